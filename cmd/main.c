// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace-cmd-stackmap: finds the command in the table, answers --help and --version from the tables,
 * and checks in the end that stdout took everything.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "front.h"
#include "record-options.h"

static const struct command *const commands[] = {
	&cmd_record,
	&cmd_import,
	&cmd_attach,
	&cmd_detach,
	&cmd_list,
	&cmd_show,
	&cmd_verify,
#ifdef CMD_READS_EVENTS
	&cmd_resolve,
#endif
	&cmd_expand,
	&cmd_save,
	&cmd_reset,
	&cmd_free,
	&cmd_stat,
	&cmd_watch,
};

#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static const struct cmd_option help_option = { CMD_KEY_HELP, "help", NULL, NULL, "show this help" };

/* The command that runs, for messages; NULL before it is known. */
static const struct command *running;

/* Why stdout did not take everything, from the first time that it did not. */
static int stdout_errno;

/* stdio forgets it with the next call that succeeds. */
static void note_stdout_errno(void)
{
	if (!stdout_errno)
		stdout_errno = errno;
}

void cmd_write(const char *data, size_t len)
{
	if (fwrite_unlocked(data, 1, len, stdout) != len)
		note_stdout_errno();
}

int cmd_flush(void)
{
	if (fflush(stdout))
		note_stdout_errno();
	return ferror(stdout) ? CMD_FAILED : CMD_OK;
}

const char *cmd_prefix(void)
{
	static char prefix[64];

	snprintf(prefix, sizeof(prefix), CMD_PROGRAM "%s%s", running ? " " : "",
		 running ? running->name : "");
	return prefix;
}

/* @name: of what it is said of; "" where the line has it, or needs none. */
static void say_line(const char *name, const char *line)
{
	/* What was printed before stands before the message where both go to one terminal. */
	cmd_flush();
	fprintf(stderr, "%s: %s%s%s\n", cmd_prefix(), name, *name ? ": " : "", line);
}

static void say(const char *fmt, va_list ap)
{
	char text[2048], line[4096];
	int len;

	len = vsnprintf(text, sizeof(text), fmt, ap);
	if (len < 0)
		return;
	stackmap_escape(line, sizeof(line), text, strlen(text));
	say_line("", line);
}

int cmd_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	return CMD_FAILED;
}

int cmd_library_error(const char *words)
{
	say_line("", words);
	return CMD_FAILED;
}

void cmd_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

void cmd_log(const char *line, void *data)
{
	/* It comes from the library, escaped. */
	say_line("", line);
}

void cmd_log_of(const char *name, const char *line)
{
	char shown[4096];
	size_t len;

	stackmap_escape(shown, sizeof(shown), name, strlen(name));
	len = strlen(shown);
	/* Maps that are attached to a trace are called by its name. */
	if (!strncmp(line, shown, len) && line[len] == ':')
		say_line("", line);
	else
		say_line(shown, line);
}

int cmd_nomem(void)
{
	return cmd_error("out of memory");
}

static void print_option(const struct cmd_option *opt)
{
	char left[80];
	int len;

	len = snprintf(left, sizeof(left), opt->key < 256 ? "  -%c, " : "      ", opt->key);
	snprintf(left + len, sizeof(left) - len, "--%s%s%s", opt->name, opt->arg ? " " : "",
		 opt->arg ? opt->arg : "");
	if (strlen(left) < 30)
		printf("%-30s%s\n", left, opt->help);
	else
		printf("%s\n%-30s%s\n", left, "", opt->help);
}

int cmd_print_help(const struct command *cmd)
{
	const struct cmd_option *const *table, *opt;

	printf("Usage: " CMD_PROGRAM " %s%s%s\n\n%s.\n", cmd->name, *cmd->synopsis ? " " : "",
	       cmd->synopsis, cmd->summary);
	if (cmd->help)
		printf("%s", cmd->help);
	printf("\nOptions:\n");
	for (table = cmd->options; table && *table; table++) {
		for (opt = *table; opt->name; opt++)
			print_option(opt);
	}
	print_option(&help_option);
	printf("\nManual page: trace-cmd-stackmap-%s(1)\n", cmd->name);
	return CMD_OK;
}

static int print_help(void)
{
	size_t i;

	printf("Usage: " CMD_PROGRAM " COMMAND [OPTION...] [FILE...]\n\n"
	       "Stacks for the cookies that the kernel's ftrace stack map records.\n\nCommands:\n");
	for (i = 0; i < NR_COMMANDS; i++)
		printf("  %-12s%s\n", commands[i]->name, commands[i]->summary);
	printf("\n\"" CMD_PROGRAM " COMMAND --help\" tells the options of a command.\n"
	       "Exit status: 0 all well, 1 something unresolved or found damaged, 2 usage or I/O.\n\n"
	       "Manual page: trace-cmd-stackmap(1)\n");
	return CMD_OK;
}

/*
 * The tables for other programs, fields separated by tabs: "COMMAND summary", then a line for each
 * option, "COMMAND --long -l ARG values". An empty field is "-".
 */
static void print_option_row(const struct command *cmd, const struct cmd_option *opt)
{
	char letter[3] = "-";

	if (opt->key < 256)
		snprintf(letter, sizeof(letter), "-%c", opt->key);
	printf("%s\t--%s\t%s\t%s\t%s\n", cmd->name, opt->name, letter, opt->arg ? opt->arg : "-",
	       opt->values ? opt->values : "-");
}

static int print_tables(void)
{
	const struct cmd_option *const *table, *opt;
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++) {
		printf("%s\t%s\n", commands[i]->name, commands[i]->summary);
		for (table = commands[i]->options; table && *table; table++) {
			for (opt = *table; opt->name; opt++)
				print_option_row(commands[i], opt);
		}
		print_option_row(commands[i], &help_option);
	}
	return CMD_OK;
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++) {
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	}
	return NULL;
}

static bool wants_help(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "--help"))
			return true;
	}
	return false;
}

static int run_command(const char *name, int argc, char **argv)
{
	const struct command *cmd = find_command(name);

	if (!cmd)
		return cmd_error("there is no command '%s'; see " CMD_PROGRAM " --help", name);
	if (!cmd->is_wrapper && wants_help(argc, argv))
		return cmd_print_help(cmd);
	running = cmd;
	return cmd->run(cmd, argc, argv);
}

static int dispatch(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;

	if (!name)
		return cmd_error("a command is missing; see " CMD_PROGRAM " --help");
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		return print_help();
	if (!strcmp(name, "--version"))
		return printf("trace-cmd-stackmap %s\n", CMD_VERSION) < 0 ? CMD_FAILED : CMD_OK;
	if (!strcmp(name, "--tables"))
		return print_tables();
	if (!strcmp(name, "--front")) {
		running = argc > 2 && !strcmp(argv[2], cmd_record.name) ? &cmd_record : NULL;
		return front_run(argc - 2, argv + 2);
	}
	if (!strcmp(name, "--record-table")) {
		record_options_print();
		return CMD_OK;
	}
	if (!strcmp(name, "help")) {
		const struct command *cmd = argc > 2 ? find_command(argv[2]) : NULL;

		return cmd ? cmd_print_help(cmd) : print_help();
	}
	return run_command(name, argc - 1, argv + 1);
}

/*
 * A file that is opened must not become standard output because that was closed. Opened the wrong
 * way round, so that using it fails as using a closed one does.
 */
static void keep_standard_fds(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };
	int fd;

	for (fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", modes[fd]);
	}
}

static int close_stdout(void)
{
	bool failed = cmd_flush() != CMD_OK;

	if (fclose(stdout))
		note_stdout_errno();
	if (!failed && !stdout_errno)
		return CMD_OK;
	return cmd_error("standard output: %s", stdout_errno ? strerror(stdout_errno) :
							       "cannot be written");
}

static bool runs_another(int argc, char **argv)
{
	return argc > 1 && (!strcmp(argv[1], "--front") || !strcmp(argv[1], cmd_record.name));
}

int main(int argc, char **argv)
{
	int status, closed;

	keep_standard_fds();
	/*
	 * A parent that ignores it would make "| head" an error instead of a quiet end. What we run
	 * in our place gets it as we got it.
	 */
	if (!runs_another(argc, argv)) {
		signal(SIGPIPE, SIG_DFL);
		/* A limit on the size of files is an error of writing, not the end of us. */
		signal(SIGXFSZ, SIG_IGN);
	}
	status = dispatch(argc, argv);
	closed = close_stdout();
	return closed != CMD_OK ? closed : status;
}

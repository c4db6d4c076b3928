// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A row for each option of "trace-cmd record" and, for the few that matter to us, its role. The
 * argument of getopt_long() is made of the rows, as trace-cmd's: "+", so that it ends at the first
 * word that is no option.
 */
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "record-options.h"
#include "units.h"

enum role {
	ROLE_NONE,
	ROLE_SOURCE,		/* something to record in the current buffer */
	ROLE_OPTION,
	ROLE_OUTPUT,
	ROLE_REMOTE,
	ROLE_BUFFER,		/* what follows is of a buffer */
	ROLE_GUEST,		/* ... of a guest, to whom it is handed */
	ROLE_PROXY,
	ROLE_NAME,
	ROLE_USAGE,
	ROLE_HELP,		/* usage, too */
	ROLE_DAEMON,
	ROLE_QUIET,
};

struct row {
	char		letter;		/* 0: none */
	const char	*name;		/* NULL: none */
	int		has_arg;
	enum role	role;
	const char	*since;		/* NULL: 3.1.6 has it */
};

static const struct row rows[] = {
	{ 'a', NULL, no_argument, ROLE_NONE, NULL },
	{ 'A', NULL, required_argument, ROLE_GUEST, NULL },
	{ 'b', NULL, required_argument, ROLE_NONE, NULL },
	{ 'B', NULL, required_argument, ROLE_BUFFER, NULL },
	{ 'c', NULL, no_argument, ROLE_NONE, NULL },
	{ 'C', NULL, required_argument, ROLE_NONE, NULL },
	{ 'd', NULL, no_argument, ROLE_NONE, NULL },
	{ 'D', NULL, no_argument, ROLE_NONE, NULL },
	{ 'e', NULL, required_argument, ROLE_SOURCE, NULL },
	{ 'f', NULL, required_argument, ROLE_NONE, NULL },
	{ 'F', NULL, no_argument, ROLE_SOURCE, NULL },
	{ 'g', NULL, required_argument, ROLE_NONE, NULL },
	{ 'G', NULL, no_argument, ROLE_NONE, NULL },
	{ 'h', NULL, no_argument, ROLE_USAGE, NULL },
	{ 'H', NULL, required_argument, ROLE_SOURCE, NULL },
	{ 'i', NULL, no_argument, ROLE_NONE, NULL },
	{ 'k', NULL, no_argument, ROLE_NONE, NULL },
	{ 'K', NULL, no_argument, ROLE_NONE, "3.4" },
	{ 'l', NULL, required_argument, ROLE_NONE, NULL },
	{ 'm', NULL, required_argument, ROLE_NONE, NULL },
	{ 'M', NULL, required_argument, ROLE_NONE, NULL },
	{ 'n', NULL, required_argument, ROLE_NONE, NULL },
	{ 'N', NULL, required_argument, ROLE_REMOTE, NULL },
	{ 'o', NULL, required_argument, ROLE_OUTPUT, NULL },
	{ 'O', NULL, required_argument, ROLE_OPTION, NULL },
	{ 'p', NULL, required_argument, ROLE_SOURCE, NULL },
	{ 'P', NULL, required_argument, ROLE_NONE, NULL },
	{ 'q', NULL, no_argument, ROLE_QUIET, NULL },
	{ 'r', NULL, required_argument, ROLE_NONE, NULL },
	{ 'R', NULL, required_argument, ROLE_NONE, NULL },
	{ 's', NULL, required_argument, ROLE_NONE, NULL },
	{ 'S', NULL, no_argument, ROLE_NONE, NULL },
	{ 't', NULL, no_argument, ROLE_NONE, NULL },
	{ 'T', NULL, no_argument, ROLE_NONE, NULL },
	{ 'v', NULL, no_argument, ROLE_NONE, NULL },
	{ 'V', NULL, required_argument, ROLE_REMOTE, NULL },
	{ 0, "by-comm", no_argument, ROLE_NONE, NULL },
	{ 0, "cmdlines-size", required_argument, ROLE_NONE, NULL },
	{ 0, "compression", required_argument, ROLE_NONE, NULL },
	{ 0, "daemonize", no_argument, ROLE_DAEMON, "3.3" },
	{ 0, "date", no_argument, ROLE_NONE, NULL },
	{ 0, "debug", no_argument, ROLE_NONE, NULL },
	{ 0, "file-version", required_argument, ROLE_NONE, NULL },
	{ 0, "fork", no_argument, ROLE_NONE, NULL },
	{ 0, "func-stack", no_argument, ROLE_NONE, NULL },
	{ 0, "help", no_argument, ROLE_HELP, NULL },
	{ 0, "max-graph-depth", required_argument, ROLE_NONE, NULL },
	{ 0, "module", required_argument, ROLE_NONE, NULL },
	{ 0, "name", required_argument, ROLE_NAME, NULL },
	{ 0, "no-filter", no_argument, ROLE_NONE, NULL },
	{ 0, "nofifos", no_argument, ROLE_NONE, NULL },
	{ 0, "nosplice", no_argument, ROLE_NONE, NULL },
	{ 0, "notimeout", no_argument, ROLE_NONE, NULL },
	{ 0, "poll", no_argument, ROLE_NONE, NULL },
	{ 0, "proc-map", no_argument, ROLE_SOURCE, NULL },
	{ 0, "profile", no_argument, ROLE_SOURCE, NULL },
	{ 0, "proxy", required_argument, ROLE_PROXY, NULL },
	{ 0, "quiet", no_argument, ROLE_QUIET, NULL },
	{ 0, "stderr", no_argument, ROLE_NONE, NULL },
	{ 0, "subbuf-size", required_argument, ROLE_NONE, "3.3" },
	{ 0, "temp", required_argument, ROLE_NONE, NULL },
	{ 0, "ts-offset", required_argument, ROLE_NONE, NULL },
	{ 0, "tsc2nsec", no_argument, ROLE_NONE, NULL },
	{ 0, "tsync-interval", required_argument, ROLE_NONE, NULL },
	{ 0, "user", required_argument, ROLE_NONE, NULL },
	{ 0, "verbose", optional_argument, ROLE_NONE, NULL },
};

#define NR_ROWS		(sizeof(rows) / sizeof(rows[0]))
#define FIRST_LONG	256	/* what getopt_long() returns for rows[0], had it a long name */

enum {
	KEY_ROTATE_AT = CMD_KEY_OWN,
	KEY_NO_ROTATE,
	KEY_PAUSE,
	KEY_NO_ATTACH,
};

const struct cmd_option record_own_options[] = {
	{ KEY_ROTATE_AT, "rotate-at", "PERCENT", NULL, "save and reset the map when so full; 75%" },
	{ KEY_NO_ROTATE, "no-rotate", NULL, NULL, "save at the end only" },
	{ KEY_PAUSE, "pause", NULL, NULL, "rotate by pausing, where it loses stacks otherwise" },
	{ KEY_NO_ATTACH, "no-attach", NULL, NULL, "leave the maps in a file beside the trace" },
	{ 0, NULL, NULL, NULL, NULL }
};

struct reader {
	struct record_options	*options;
	/* For getopt_long() */
	struct option		longs[NR_ROWS + 1];
	char			letters[3 * NR_ROWS + 3];
	/* What the next options are of; NULL: the top level */
	const char		*place;
	bool			is_guest;
	bool			is_proxy;
};

static void fill_tables(struct reader *reader)
{
	struct option *next = reader->longs;
	char *letter = reader->letters;
	size_t i;

	*letter++ = '+';
	*letter++ = ':';	/* tell a missing argument from an unknown option */
	for (i = 0; i < NR_ROWS; i++) {
		if (rows[i].name)
			*next++ = (struct option){ rows[i].name, rows[i].has_arg, NULL,
						   FIRST_LONG + i };
		if (!rows[i].letter)
			continue;
		*letter++ = rows[i].letter;
		if (rows[i].has_arg != no_argument)
			*letter++ = ':';
	}
}

static const struct row *row_of(int key)
{
	size_t i;

	if (key >= FIRST_LONG)
		return &rows[key - FIRST_LONG];
	for (i = 0; rows[i].letter != key; i++)
		;
	return &rows[i];
}

/* As the kernel takes it: blanks around it do not count. */
static bool is_word(const char *value, const char *word)
{
	size_t len = strlen(word);

	while (isspace((unsigned char)*value))
		value++;
	if (strncmp(value, word, len))
		return false;
	return !value[len + strspn(value + len, " \t\n\v\f\r")];
}

/*
 * trace-cmd writes the options of a buffer in reverse: of two that contradict each other, the first
 * has the last word.
 */
static void take_trace_option(struct reader *reader, const char *value)
{
	struct record_options *options = reader->options;
	bool is_on = is_word(value, "stackmap");

	if (!is_on && !is_word(value, "nostackmap"))
		return;
	if (!reader->place) {
		if (options->stackmap == RECORD_UNSAID)
			options->stackmap = is_on ? RECORD_ON : RECORD_OFF;
	} else if (is_on && !options->misplaced) {
		options->misplaced = reader->place;
		options->misplaced_guest = reader->is_guest;
	}
}

static void enter(struct reader *reader, const char *place, bool is_guest, bool is_proxy)
{
	reader->place = place;
	reader->is_guest = is_guest;
	reader->is_proxy = is_proxy;
}

/* Is the option one for the guest that was named last? Then trace-cmd hands it over unread. */
static bool is_handed_over(const struct reader *reader, enum role role)
{
	if (!reader->is_guest)
		return false;
	switch (role) {
	case ROLE_BUFFER:
	case ROLE_NAME:
	case ROLE_PROXY:
		return false;
	case ROLE_GUEST:
		return reader->is_proxy;
	default:
		return true;
	}
}

static void take(struct reader *reader, enum role role, const char *value)
{
	struct record_options *options = reader->options;

	if (is_handed_over(reader, role)) {
		if (role == ROLE_OPTION)
			take_trace_option(reader, value);
		return;
	}
	switch (role) {
	case ROLE_SOURCE:
		if (!reader->place)
			options->records = true;
		break;
	case ROLE_OPTION:
		take_trace_option(reader, value);
		break;
	case ROLE_OUTPUT:
		options->output = value;
		break;
	case ROLE_REMOTE:
		options->remote = value;
		break;
	case ROLE_BUFFER:
		enter(reader, value, false, false);
		break;
	case ROLE_GUEST:
		enter(reader, value, true, reader->is_proxy);
		break;
	case ROLE_PROXY:
		enter(reader, value, true, true);
		break;
	case ROLE_HELP:
		options->is_help = true;
		options->is_usage = true;
		break;
	case ROLE_USAGE:
		options->is_usage = true;
		break;
	case ROLE_QUIET:
		options->is_quiet = true;
		break;
	case ROLE_DAEMON:
		options->is_daemon = true;
		break;
	case ROLE_NAME:
	case ROLE_NONE:
		break;
	}
}

/* ---- our own ---- */

/* @word is "--name" or "--name=value". */
static const struct cmd_option *find_own(const char *word)
{
	size_t len = strcspn(word + 2, "=");
	const struct cmd_option *own;

	for (own = record_own_options; own->name; own++) {
		if (strlen(own->name) == len && !strncmp(own->name, word + 2, len))
			return own;
	}
	return NULL;
}

static int set_own(struct record_options *options, int key, const char *value)
{
	switch (key) {
	case KEY_ROTATE_AT:
		if (!units_parse_percent("--rotate-at", value, &options->rotate_at))
			return CMD_FAILED;
		options->has_rotate_at = true;
		break;
	case KEY_NO_ROTATE:
		options->no_rotate = true;
		break;
	case KEY_PAUSE:
		options->pause = true;
		break;
	case KEY_NO_ATTACH:
		options->no_attach = true;
		break;
	}
	return CMD_OK;
}

/* getopt is told to pass a value that is a word of its own, too. */
static int take_own(struct record_options *options, const struct cmd_option *own, int argc,
		    char **argv)
{
	const char *value = strchr(argv[optind - 1], '=');

	if (value)
		value++;
	if (value && !own->arg)
		return cmd_error("--%s takes no argument; see --help", own->name);
	if (!value && own->arg) {
		if (optind >= argc)
			return cmd_error("no argument after option '--%s'; see --help", own->name);
		value = argv[optind++];
	}
	return set_own(options, own->key, value);
}

/* What is not in trace-cmd's table. */
static int take_unknown(struct reader *reader, const char *word, int argc, char **argv,
			bool *ret_own)
{
	const struct cmd_option *own = NULL;

	/* getopt sets optopt for letters, and for long options that have an argument too many */
	if (!optopt && !strncmp(word, "--", 2))
		own = find_own(word);
	*ret_own = own;
	if (own)
		return take_own(reader->options, own, argc, argv);
	if (!reader->options->unknown)
		reader->options->unknown = word;
	return CMD_OK;
}

/* ---- the whole ---- */

static void pass_on(struct record_options *options, char **argv, int first, int end)
{
	for (; first < end; first++)
		options->argv[options->argc++] = argv[first];
}

/* Each option, and its words to trace-cmd unless they are ours. */
static int read_words(struct reader *reader, int argc, char **argv)
{
	int key, first, status;
	bool is_own;

	opterr = 0;
	for (optind = 0, first = 1; ; first = optind) {
		key = getopt_long(argc, argv, reader->letters, reader->longs, NULL);
		if (key < 0)
			break;
		is_own = false;
		status = CMD_OK;
		if (key == '?')
			status = take_unknown(reader, argv[first], argc, argv, &is_own);
		else if (key == ':')
			reader->options->is_usage = true;
		else
			take(reader, row_of(key)->role, optarg);
		if (status != CMD_OK)
			return status;
		/* letters of one word come one by one, and optind moves with the last */
		if (!is_own)
			pass_on(reader->options, argv, first, optind);
	}
	/* the command to trace, with the "--" before it */
	pass_on(reader->options, argv, first, argc);
	return CMD_OK;
}

int record_options_read(struct record_options *options, int argc, char **argv)
{
	struct reader reader = { .options = options };
	int status;

	*options = (struct record_options){ .rotate_at = RECORD_ROTATE_AT };
	options->argv = calloc(argc + 1, sizeof(*options->argv));
	if (!options->argv)
		return cmd_nomem();
	fill_tables(&reader);
	status = read_words(&reader, argc, argv);
	if (status != CMD_OK)
		record_options_release(options);
	return status;
}

void record_options_release(struct record_options *options)
{
	free(options->argv);
	options->argv = NULL;
}

void record_options_print(void)
{
	static const char *const args[] = {
		[no_argument] = "-",
		[required_argument] = "ARG",
		[optional_argument] = "[=ARG]",
	};
	char letter[3] = "-?";
	const char *arg;
	size_t i;

	for (i = 0; i < NR_ROWS; i++) {
		letter[1] = rows[i].letter;
		arg = rows[i].role == ROLE_OUTPUT ? "FILE" : args[rows[i].has_arg];
		printf("%s\t%s%s\t%s\t%s\n", letter, rows[i].name ? "--" : "-",
		       rows[i].name ? rows[i].name : "", arg,
		       rows[i].since ? rows[i].since : "3.1.6");
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Arguments read by the option tables of a command, with getopt_long() below and messages of our
 * own.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

static size_t count_options(const struct command *cmd)
{
	const struct cmd_option *const *table, *opt;
	size_t nr = 0;

	for (table = cmd->options; table && *table; table++) {
		for (opt = *table; opt->name; opt++)
			nr++;
	}
	return nr;
}

static void fill_options(struct cmd_args *args)
{
	const struct cmd_option *const *table, *opt;
	struct option *row = args->longs;
	char *letter = args->letters;

	*letter++ = ':';	/* tell a missing argument from an unknown option */
	for (table = args->cmd->options; table && *table; table++) {
		for (opt = *table; opt->name; opt++, row++) {
			row->name = opt->name;
			row->has_arg = opt->arg ? required_argument : no_argument;
			row->val = opt->key;
			if (opt->key >= 256)
				continue;
			*letter++ = opt->key;
			if (opt->arg)
				*letter++ = ':';
		}
	}
}

int cmd_args_init(struct cmd_args *args, const struct command *cmd, int argc, char **argv)
{
	size_t nr = count_options(cmd);

	*args = (struct cmd_args){ .cmd = cmd, .argc = argc, .argv = argv };
	args->longs = calloc(nr + 1, sizeof(*args->longs));
	args->letters = calloc(2 * nr + 2, 1);
	if (!args->longs || !args->letters) {
		cmd_args_release(args);
		return cmd_nomem();
	}
	fill_options(args);
	optind = 0;
	opterr = 0;
	return CMD_OK;
}

/* What the user wrote, as far as getopt tells it. */
static int bad_option(struct cmd_args *args, const char *what)
{
	char letter[3] = { '-', optopt, '\0' };
	const char *word = letter;

	if (optind > 0 && !strncmp(args->argv[optind - 1], "--", 2))
		word = args->argv[optind - 1];
	cmd_error("%s '%s'; see --help", what, word);
	return CMD_ARGS_BAD;
}

int cmd_args_next(struct cmd_args *args)
{
	int key = getopt_long(args->argc, args->argv, args->letters, args->longs, NULL);

	args->value = optarg;
	if (key == '?')
		return bad_option(args, "unknown or ambiguous option");
	if (key == ':')
		return bad_option(args, "no argument after option");
	return key < 0 ? CMD_ARGS_END : key;
}

int cmd_args_first(const struct cmd_args *args)
{
	return optind;
}

void cmd_args_release(struct cmd_args *args)
{
	free(args->longs);
	free(args->letters);
	args->longs = NULL;
	args->letters = NULL;
}

bool cmd_parse_number(const char *option, const char *value, uint64_t max, uint64_t *ret_number)
{
	bool hex = value[0] == '0' && (value[1] == 'x' || value[1] == 'X');
	const char *digits = hex ? value + 2 : value;
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(digits, &end, hex ? 16 : 10);
	/* strtoull() takes blanks, signs and a second "0x" */
	if (!*digits || *end || strspn(digits, "0123456789abcdefABCDEF") != strlen(digits)) {
		cmd_error("%s: '%s' is no number", option, value);
		return false;
	}
	if (errno || number > max) {
		cmd_error("%s: %s is more than %llu", option, value, (unsigned long long)max);
		return false;
	}
	*ret_number = number;
	return true;
}

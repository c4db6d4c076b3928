/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of "trace-cmd record", read as trace-cmd reads it: with getopt_long() and a
 * table of its options, up to the command that is to be traced.
 *
 * Options that trace-cmd does not know are ours where we know them, and are taken out of what it is
 * given. What neither knows is left to trace-cmd: it may be newer than our table.
 */
#ifndef CMD_RECORD_OPTIONS_H
#define CMD_RECORD_OPTIONS_H

#include <stdbool.h>

#define RECORD_DEFAULT_OUTPUT	"trace.dat"
#define RECORD_ROTATE_AT	75

/* Our own, for the help of the command. They are taken only where spelled out. */
extern const struct cmd_option record_own_options[];

enum record_wish {
	RECORD_UNSAID,
	RECORD_ON,
	RECORD_OFF,
};

struct record_options {
	char		**argv;		/* for trace-cmd, behind "record"; into the caller's */
	int		argc;

	/* Of the top level, which alone has a map */
	enum record_wish stackmap;
	bool		records;	/* something is recorded there */

	/* The first buffer or guest that was given -O stackmap; NULL: none */
	const char	*misplaced;
	bool		misplaced_guest;

	const char	*output;	/* of -o; NULL: it was not given */
	const char	*remote;	/* of -N or -V: the trace is not written here */
	const char	*unknown;	/* the first option in neither table */
	bool		is_usage;	/* trace-cmd will tell its usage, and no more */
	bool		is_help;	/* by --help */
	bool		is_quiet;
	bool		is_daemon;	/* trace-cmd ends while it goes on recording */

	/* Our own */
	bool		no_attach;
	bool		no_rotate;
	bool		pause;
	bool		has_rotate_at;
	unsigned int	rotate_at;	/* percent */
};

/*
 * @argv[0] is the word before the options. CMD_OK, or CMD_FAILED after cmd_error() where one of our
 * own options is wrong.
 */
int record_options_read(struct record_options *options, int argc, char **argv);
void record_options_release(struct record_options *options);

/*
 * The table of trace-cmd's options to stdout: letter, long name, argument (FILE: a file) and the
 * first version with it, tabs between them and "-" for none.
 */
void record_options_print(void);

#endif /* CMD_RECORD_OPTIONS_H */

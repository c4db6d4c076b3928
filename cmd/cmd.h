/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every command shares.
 *
 * A command is a const record at the end of its own file, listed in the table of main.c. Its
 * options are tables too: help, completion and the check of the man pages are made from them.
 *
 * A command reads its arguments (args.c), calls the library, prints to stdout and returns its exit
 * status; main.c checks afterwards that stdout took everything. Whatever goes wrong is said in one
 * line by cmd_error().
 */
#ifndef CMD_H
#define CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stackmap.h>

#define CMD_PROGRAM	"trace-cmd stackmap"

/* Exit status. */
#define CMD_OK		0
#define CMD_FOUND	1	/* something is unresolved, or was found damaged */
#define CMD_FAILED	2	/* usage, or input and output */

/* ---- tables ---- */

/* Keys of options without a letter; a command's own begin at CMD_KEY_OWN. */
enum cmd_key {
	CMD_KEY_HELP = 256,
	CMD_KEY_KALLSYMS,
	CMD_KEY_GENERATION,
	CMD_KEY_REQUIRE_PROOF,
	CMD_KEY_NAMES_ONLY,
	CMD_KEY_STRIP_SUFFIX,
	CMD_KEY_DEMANGLE,
	CMD_KEY_MAX_FRAMES,
	CMD_KEY_ONE_LINE,
	CMD_KEY_LIVE,
	CMD_KEY_OWN = 512,
};

struct cmd_option {
	int		key;	/* what cmd_args_next() returns; below 256 it is its letter */
	const char	*name;	/* the long option without dashes; ends a table where NULL */
	const char	*arg;	/* what help calls its argument, "FILE" for a file; NULL: none */
	const char	*values; /* the words that the argument can be; NULL: any */
	const char	*help;
};

struct command {
	const char			*name;
	const char			*synopsis;	/* behind the name in the usage line */
	const char			*summary;	/* one line, for the list of commands */
	const char			*help;		/* further lines of --help; may be NULL */
	const struct cmd_option *const	*options;	/* tables; --help is added */
	bool				is_wrapper;	/* arguments are another program's */
	int				(*run)(const struct command *cmd, int argc, char **argv);
};

extern const struct command cmd_attach;
extern const struct command cmd_detach;
extern const struct command cmd_expand;
extern const struct command cmd_free;
extern const struct command cmd_import;
extern const struct command cmd_list;
extern const struct command cmd_record;
extern const struct command cmd_reset;
extern const struct command cmd_resolve;
extern const struct command cmd_save;
extern const struct command cmd_show;
extern const struct command cmd_stat;
extern const struct command cmd_verify;
extern const struct command cmd_watch;

/* What --help prints, which main answers, but not for wrappers. CMD_OK. */
int cmd_print_help(const struct command *cmd);

/* ---- messages ---- */

/* What messages begin with: "trace-cmd stackmap NAME". */
const char *cmd_prefix(void);

/*
 * "trace-cmd stackmap NAME: WORDS" on stderr, escaped so that one line stays one line. Returns
 * CMD_FAILED.
 */
int cmd_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same for what a _get_error() of the library gave, which is escaped already. */
int cmd_library_error(const char *words);
/* The same as cmd_error() for what does not end the command. */
void cmd_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* cmd_warn() as a stackmap_log_fn. */
void cmd_log(const char *line, void *data);
/* The same for what is said of @name, one trace or text of several: "NAME: LINE". */
void cmd_log_of(const char *name, const char *line);
int cmd_nomem(void);
/*
 * Write out what stdout still holds. CMD_FAILED where it did not take everything: then return that;
 * main says why.
 */
int cmd_flush(void);
/* To stdout, for what is more than its buffer holds; a failure is said at the end, with why. */
void cmd_write(const char *data, size_t len);

/* ---- arguments ---- */

#define CMD_ARGS_END	(-1)	/* no more options; the plain arguments follow */
#define CMD_ARGS_BAD	(-2)	/* said by cmd_error(): return CMD_FAILED */

struct cmd_args {
	const struct command	*cmd;
	int			argc;
	char			**argv;
	const char		*value;	/* argument of the last option */
	/* private */
	struct option		*longs;
	char			*letters;
};

/*
 * argv[0] is the command's name. Options and plain arguments may be mixed; what follows "--" is
 * plain. --help is answered by main before the command runs.
 */
int cmd_args_init(struct cmd_args *args, const struct command *cmd, int argc, char **argv);
/* The key of the next option, CMD_ARGS_END or CMD_ARGS_BAD. */
int cmd_args_next(struct cmd_args *args);
/* After CMD_ARGS_END: the plain arguments stand in argv[*ret_first..argc-1]. */
int cmd_args_first(const struct cmd_args *args);
void cmd_args_release(struct cmd_args *args);

/*
 * An unsigned number in decimal or 0x hex, at most @max. False, after cmd_error(), where @value is
 * none.
 */
bool cmd_parse_number(const char *option, const char *value, uint64_t max, uint64_t *ret_number);

/* ---- saved maps ---- */

/* Behind the name of a trace: where its maps are looked for. */
#define CMD_MAPS_SUFFIX	".stackmap"

/*
 * The options that say which saved maps to use and how stacks are spelled:
 * -m FILE, --kallsyms FILE, --generation N; and the style, in a table of its own.
 */
extern const struct cmd_option cmd_maps_options[];
extern const struct cmd_option cmd_style_options[];
/* --require-proof, for commands that have a trace. */
extern const struct cmd_option cmd_proof_options[];
/* --live, for commands that can do with the running kernel's map. */
extern const struct cmd_option cmd_live_options[];

struct cmd_maps {
	const char		**files;	/* of -m; into argv */
	size_t			nr_files;
	const char		**kallsyms;	/* each of one trace */
	size_t			nr_kallsyms;
	/* Of the next resolver: which trace or text it is for, from 0, */
	size_t			trace_nr;
	/* and its name, which its lines begin with; NULL: there is only one. */
	const char		*trace_name;
	uint32_t		generation;
	bool			has_generation;
	bool			require_proof;
	struct stackmap_style	style;
	bool			use_live;	/* the running kernel's map, too */
	bool			is_damaged;	/* parts of maps that were added are passed over */
	/* private */
	bool			stdin_kept;	/* standard input can be read again */
	bool			is_adding;
	struct stackmap_live	*live;
	struct cmd_maps_speaker	*speakers;
};

#define CMD_MAPS_INIT { .style = { .size = sizeof(struct stackmap_style) } }

/* 1: it was an option of these tables; 0: it was not; -1: bad, said by cmd_error(). */
int cmd_maps_take(struct cmd_maps *maps, int key, const char *value);
void cmd_maps_release(struct cmd_maps *maps);

/*
 * Before the first resolver: there are so many traces or texts (@what: "trace", "text"), and what
 * one kernel calls an address says nothing of another's. CMD_OK, or CMD_FAILED after cmd_error():
 * --kallsyms is not one for each.
 */
int cmd_maps_check_kallsyms(const struct cmd_maps *maps, size_t nr, const char *what);
/* The same where all is of one kernel: it is given once at most. */
int cmd_maps_check_one_kallsyms(const struct cmd_maps *maps);

/* Are maps named, by -m, --live or TRACE_STACKMAP? Then no other is asked. */
bool cmd_maps_are_named(const struct cmd_maps *maps);

/*
 * A resolver for the trace file @trace (NULL: for a text, whose trace is not at hand) with the
 * maps that were given by -m or --live, else by the environment variable TRACE_STACKMAP, else
 * found in and beside it. NULL after cmd_error(). To have no map is no error:
 * stackmap_resolver_nr_maps() says so. @maps must outlive it.
 */
struct stackmap_resolver *cmd_maps_resolver(struct cmd_maps *maps, const char *trace);

/* The maps beside @path too. CMD_OK, there or not, or CMD_FAILED after cmd_error(). */
int cmd_maps_add_beside(struct cmd_maps *maps, struct stackmap_resolver *resolver,
			const char *path);

/* Only the one beside @trace, and not what is attached to it; as cmd_maps_each_file(). */
int cmd_maps_each_beside(const char *trace, int (*fn)(const char *path, void *data), void *data,
			 size_t *ret_nr);

/*
 * For commands that look at the maps themselves: each file that -m, else TRACE_STACKMAP, names,
 * else @trace itself, where some are attached to it, and the one beside it (NULL: none). Calls @fn
 * until it returns other than 0 and returns that; 0 where it never did. @ret_nr: files there were.
 */
int cmd_maps_each_file(const struct cmd_maps *maps, const char *trace,
		       int (*fn)(const char *path, void *data), void *data, size_t *ret_nr);

/*
 * A map on standard input is read from its beginning each time: call this before opening "-".
 * CMD_OK, or CMD_FAILED after cmd_error().
 */
int cmd_maps_rewind_stdin(struct cmd_maps *maps);

/* By its first bytes. False for what cannot be read too: who opens it says why. */
bool cmd_is_trace(const char *path);

#endif /* CMD_H */

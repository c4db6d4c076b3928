/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The real trace-cmd, in whose place we may have been called.
 */
#ifndef CMD_REAL_H
#define CMD_REAL_H

/*
 * The front says in the environment which one it would run, so may the user; what the real one runs
 * is not told. The caller frees it. NULL after cmd_error().
 */
#define REAL_VARIABLE	"TRACE_CMD_REAL"
char *real_find(void);

/* Become @path with @argv. Returns, CMD_FAILED after cmd_error(), only where that cannot be. */
int real_become(const char *path, char **argv);

#endif /* CMD_REAL_H */

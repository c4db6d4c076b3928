/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What "trace-cmd stackmap record" and the front share.
 */
#ifndef CMD_RECORD_H
#define CMD_RECORD_H

struct record_options;

/* Run the real trace-cmd at @real for these options, and save the map. Our exit status. */
int record_run(const struct record_options *options, const char *real);

/* Become the real one with @nr words behind its command. Returns only where that cannot be. */
int record_become(const char *real, const char *command, char **words, int nr);

/* -O stackmap that does nothing, since it stands behind a buffer or a guest. */
void record_warn_misplaced(const struct record_options *options);

#endif /* CMD_RECORD_H */

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the plugin has to say beside the trace: one line each on standard error, never raw.
 *
 * A library would be silent; a plugin has nobody else to speak for it. `trace-cmd report -q` asks
 * for quiet and gets it.
 */
#ifndef SMAP_PLUGINS_SAY_H
#define SMAP_PLUGINS_SAY_H

/* "stackmap: SUBJECT: WORDS". The subject (a file, a value) is escaped; the words must be plain. */
void smap_say(const char *subject, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* As stackmap_log_fn: @line has a subject of its own. */
void smap_say_line(const char *line, void *data);

#endif /* SMAP_PLUGINS_SAY_H */

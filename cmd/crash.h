/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libtracecmd and libtraceevent trust what they read. A file made to harm them ends the program,
 * but with a line that names the file and with exit status 2, as every other damaged file does.
 */
#ifndef CMD_CRASH_H
#define CMD_CRASH_H

/* The file that they are reading, from now on; borrowed. NULL: none, a crash is our own. */
void crash_set_file(const char *path);

#endif /* CMD_CRASH_H */

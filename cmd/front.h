/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the front, cmd/trace-cmd, asks for: "trace-cmd-stackmap --front WORD...", with the words of
 * a trace-cmd command that may have to do with the map.
 */
#ifndef CMD_FRONT_H
#define CMD_FRONT_H

/* @argv[0] is the command of trace-cmd. Our exit status, where we do not become trace-cmd. */
int front_run(int argc, char **argv);

#endif /* CMD_FRONT_H */

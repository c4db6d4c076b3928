/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ctrl-C, or a signal to end, while something is done that should be done to its end: the first one
 * is answered by what is being done, the second one gives it up. It may come at any time: what is
 * done here has to be such that a power cut could come as well.
 */
#ifndef CMD_INTERRUPT_H
#define CMD_INTERRUPT_H

/* From here on; given up, we exit with @status. */
void interrupt_begin(int status);

/* What is being done, "saving the map", and how things stand if it is given up now. */
void interrupt_stage(const char *doing, const char *left);

/* Signals mean what they did before. */
void interrupt_end(void);

#endif /* CMD_INTERRUPT_H */

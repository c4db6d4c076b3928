/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ctrl-C, or a signal to end, while something is saved that should be saved to its end: the first
 * one is answered by what is being done. The second one gives it up: all writing fails from then
 * on, so that what was there before is put back; where even that hangs, the program ends seconds
 * later, as in a power cut.
 */
#ifndef CMD_INTERRUPT_H
#define CMD_INTERRUPT_H

#include <stdbool.h>

/*
 * From here on; where it hangs, we exit with @status. SIGPIPE is ignored meanwhile: who reads our
 * messages may go.
 */
void interrupt_begin(int status);

/* What is being done, "saving the map", and how things stand if it hangs when it is given up. */
void interrupt_stage(const char *doing, const char *left);

/*
 * Signals mean what they did before, and writing works again. True where it was given up. A second
 * call does nothing and returns the same.
 */
bool interrupt_end(void);

/* It was given up, and is at its end by that: as interrupt_end(). Else it goes on. */
bool interrupt_is_given_up(void);

#endif /* CMD_INTERRUPT_H */

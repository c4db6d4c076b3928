/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CMD_HEAP_H
#define CMD_HEAP_H

/* For a command that is going to use tens of megabytes, before it allocates them. */
void heap_expect_much(void);

#endif /* CMD_HEAP_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CMD_APART_H
#define CMD_APART_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Call fn(@data) in a process of its own, and wait for that. A signal of @set, which are all
 * blocked, ends it (by SIGKILL) and stays pending. @data is @size bytes; what @fn leaves in them is
 * there afterwards. True: @fn has returned. Where there can be no such process it is called here.
 */
bool apart_call(const sigset_t *set, void (*fn)(void *data), void *data, size_t size);

#endif /* CMD_APART_H */

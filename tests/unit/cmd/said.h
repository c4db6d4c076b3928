/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a command would have said.
 */
#ifndef TESTS_CMD_SAID_H
#define TESTS_CMD_SAID_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* The last message, "" after it was asked for. */
const char *said(void);

#endif /* TESTS_CMD_SAID_H */

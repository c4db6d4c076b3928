// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "said.h"

static char last[512];

const char *said(void)
{
	static char copy[sizeof(last)];

	memcpy(copy, last, sizeof(copy));
	*last = '\0';
	return copy;
}

int cmd_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(last, sizeof(last), fmt, ap);
	va_end(ap);
	return CMD_FAILED;
}

void cmd_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(last, sizeof(last), fmt, ap);
	va_end(ap);
}

int cmd_nomem(void)
{
	return cmd_error("out of memory");
}

const char *cmd_prefix(void)
{
	return "trace-cmd stackmap test";
}

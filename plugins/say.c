// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "stackmap.h"

/*
 * What -q sets in trace-cmd: a variable of the program that its plugins can see. Other programs
 * have no such wish.
 */
static bool is_quiet(void)
{
	const int *quiet = dlsym(RTLD_DEFAULT, "silence_warnings");

	return quiet && *quiet;
}

void smap_say_line(const char *line, void *data)
{
	if (!is_quiet())
		fprintf(stderr, "stackmap: %s\n", line);
}

static char *escape(const char *text)
{
	size_t len = strlen(text), size;
	char *out;

	size = stackmap_escape(NULL, 0, text, len) + 1;
	out = malloc(size);
	if (out)
		stackmap_escape(out, size, text, len);
	return out;
}

void smap_say(const char *subject, const char *fmt, ...)
{
	char *line = NULL, *words, *plain;
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = vasprintf(&words, fmt, ap);
	va_end(ap);
	if (ret < 0)
		return;
	plain = escape(subject);
	if (plain && asprintf(&line, "%s: %s", plain, words) >= 0) {
		smap_say_line(line, NULL);
		free(line);
	}
	free(plain);
	free(words);
}

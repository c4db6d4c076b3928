// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "escape.h"

int smap_errno(int code)
{
	errno = -code;
	return code;
}

static void format_words(char *text, size_t size, const char *fmt, va_list ap)
{
	char raw[SMAP_ERROR_SIZE];

	if (vsnprintf(raw, sizeof(raw), fmt, ap) < 0)
		raw[0] = '\0';
	smap_escape(text, size, raw, strlen(raw));
}

int smap_error_set(struct smap_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		va_start(ap, fmt);
		format_words(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
	}
	return smap_errno(code);
}

int smap_error_prefix(struct smap_error *err, int code, const char *fmt, ...)
{
	char words[SMAP_ERROR_SIZE];
	size_t used, left;
	va_list ap;

	if (!err)
		return smap_errno(code);

	va_start(ap, fmt);
	format_words(words, sizeof(words) - 2, fmt, ap);
	va_end(ap);
	strcat(words, ": ");

	/* The place comes first and survives; the end of the chain is cut where it must be. */
	used = strlen(words);
	left = sizeof(err->text) - used - 1;
	if (strlen(err->text) > left)
		err->text[left] = '\0';
	memmove(err->text + used, err->text, strlen(err->text) + 1);
	memcpy(err->text, words, used);
	return smap_errno(code);
}

int smap_error_nomem(struct smap_error *err)
{
	return smap_error_set(err, -ENOMEM, "out of memory");
}

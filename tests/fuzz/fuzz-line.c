// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of trace text, as expand looks at them, and cookies as a user writes them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/text.h"

static void check_line(const char *line, size_t len, const char *next, size_t next_len)
{
	struct text_cookie cookie;

	if (!text_find_cookie(line, len, &cookie)) {
		text_is_frame(line, len, "", 0);
		text_is_trace(line, len);
		return;
	}
	if (cookie.prefix_len > cookie.start || cookie.start >= cookie.end ||
	    cookie.end > cookie.mark_end || cookie.mark_end > len)
		abort();
	if (memcmp(line + cookie.start, TEXT_COOKIE_MARK, sizeof(TEXT_COOKIE_MARK) - 1) ||
	    line[cookie.end - 1] != '>')
		abort();
	if (!text_is_trace(line, len))
		abort();
	text_is_frame(next, next_len, line, cookie.prefix_len);
}

static void check_word(const uint8_t *data, size_t size)
{
	struct text_cookie cookie;
	char *word = strndup((const char *)data, size);

	if (word)
		text_parse_cookie(word, &cookie);
	free(word);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *line = (const char *)data, *limit = line + size, *end, *next, *next_end;

	check_word(data, size);
	for (; line < limit; line = next) {
		end = memchr(line, '\n', (size_t)(limit - line));
		next = end ? end + 1 : limit;
		next_end = next < limit ? memchr(next, '\n', (size_t)(limit - next)) : NULL;
		check_line(line, (size_t)((end ? end : limit) - line), next,
			   (size_t)((next_end ? next_end : limit) - next));
	}
	return 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The words of verdicts, from the one list in stackmap.h.
 */
#include "core/export.h"
#include "stackmap.h"

struct verdict_words {
	const char	*name;
	const char	*text;
};

#define VERDICT_WORDS(symbol, name, text)	[STACKMAP_VERDICT_##symbol] = { name, text },
static const struct verdict_words verdicts[] = { STACKMAP_VERDICTS(VERDICT_WORDS) };
#undef VERDICT_WORDS

static const struct verdict_words *words_of(enum stackmap_verdict verdict)
{
	static const struct verdict_words unknown = { "unknown", "unknown" };

	/* The enum's own type may be signed or not. */
	return (unsigned int)verdict < STACKMAP_NR_VERDICTS ? &verdicts[verdict] : &unknown;
}

SMAP_PUBLIC const char *stackmap_verdict_get_name(enum stackmap_verdict verdict)
{
	return words_of(verdict)->name;
}

SMAP_PUBLIC const char *stackmap_verdict_get_text(enum stackmap_verdict verdict)
{
	return words_of(verdict)->text;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Options, which are the same in versions 6 and 7. An option that we do not know is passed over.
 * One that trace-cmd reads is checked as closely as trace-cmd trusts it, also where it tells us
 * nothing.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "internal.h"

struct option {
	struct smap_trace_opening	*opening;
	const char			*name;
	const char			*data;
	size_t				len;
	uint64_t			offset;
};

static int bad_option(const struct option *option, const char *why)
{
	return smap_error_set(option->opening->err, -EBADMSG, "offset %" PRIu64 ": option %s: %s",
			      option->offset, option->name, why);
}

static struct smap_bytes option_bytes(const struct option *option)
{
	return smap_bytes_init(option->data, option->len, option->opening->input.swap);
}

/* A text ends in a NUL, which libtracecmd relies on. */
static int check_text(const struct option *option)
{
	if (!option->len || !memchr(option->data, '\0', option->len))
		return bad_option(option, "the text does not end");
	return 0;
}

/* libtracecmd puts a newline in place of the last byte. */
static int check_not_empty(const struct option *option)
{
	return option->len ? 0 : bad_option(option, "empty");
}

static int replace_string(const struct option *option, char **string, const char *text, size_t len)
{
	char *copy = strndup(text, len);

	if (!copy)
		return smap_error_nomem(option->opening->err);
	free(*string);
	*string = copy;
	return 0;
}

/* Start of the word that ends at @end, the spaces before @end aside; *@end moves to its end. */
static const char *last_word(const char *start, const char **end)
{
	const char *pos;

	while (*end != start && (*end)[-1] == ' ')
		(*end)--;
	for (pos = *end; pos != start && pos[-1] != ' '; pos--)
		;
	return pos;
}

/* "Linux NODENAME RELEASE MACHINE"; only the node name may hold what a user likes. */
static int take_uname(const struct option *option)
{
	struct smap_tracedat *tracedat = option->opening->tracedat;
	const char *machine, *machine_end, *release, *release_end, *text = option->data;
	int ret = check_text(option);

	if (ret)
		return ret;
	machine_end = text + strcspn(text, "\n");
	machine = last_word(text, &machine_end);
	release_end = machine;
	release = last_word(text, &release_end);
	if (release == text || machine == machine_end)
		return 0;
	ret = replace_string(option, &tracedat->machine, machine, (size_t)(machine_end - machine));
	if (ret)
		return ret;
	return replace_string(option, &tracedat->release, release, (size_t)(release_end - release));
}

/* The word in brackets. libtracecmd falls over one that is empty. */
static int take_clock(const struct option *option)
{
	const char *end = option->data + strnlen(option->data, option->len);
	const char *pos, *word, *word_end;

	for (pos = option->data; pos != end; pos = word_end) {
		word = pos;
		while (word != end && *word == ' ')
			word++;
		for (word_end = word; word_end != end && *word_end != ' '; word_end++)
			;
		if (word == word_end || *word != '[')
			continue;
		while (word != word_end && (*word == '[' || *word == ']'))
			word++;
		for (pos = word; pos != word_end && !strchr("[]\n", *pos); pos++)
			;
		if (pos == word)
			return bad_option(option, "a clock without a name");
		return replace_string(option, &option->opening->tracedat->clock, word,
				      (size_t)(pos - word));
	}
	return 0;
}

int smap_trace_take_clock(struct smap_trace_opening *opening, const char *text, size_t len,
			  uint64_t offset)
{
	struct option option = { opening, "TRACECLOCK", text, len, offset };

	return take_clock(&option);
}

/* May be empty: version 6 has the text behind the CPUs. */
static int take_clock_option(const struct option *option)
{
	int ret = option->len ? check_text(option) : 0;

	option->opening->clock_follows = true;
	return ret || !option->len ? ret : take_clock(option);
}

static int take_cpu_count(const struct option *option)
{
	struct smap_bytes bytes = option_bytes(option);
	uint32_t count;

	if (!smap_bytes_get_u32(&bytes, &count))
		return bad_option(option, "too short");
	if (count > TRACE_MAX_CPU)
		return bad_option(option, "too many CPUs");
	option->opening->nr_cpus = count;
	return 0;
}

static int take_trace_id(const struct option *option)
{
	struct smap_bytes bytes = option_bytes(option);

	smap_bytes_get_u64(&bytes, &option->opening->tracedat->trace_id);
	return 0;
}

/* A guest of this host: name, trace id, number of CPUs, for each CPU its number and a PID. */
static int check_guest(const struct option *option)
{
	struct smap_bytes bytes = option_bytes(option);
	uint32_t count, cpu, i;
	const char *name;

	if (!smap_bytes_get_string(&bytes, &name) || !smap_bytes_skip(&bytes, 8) ||
	    !smap_bytes_get_u32(&bytes, &count))
		return bad_option(option, "too short");
	if (count > TRACE_MAX_CPU)
		return bad_option(option, "too many CPUs");
	for (i = 0; i < count; i++) {
		if (!smap_bytes_get_u32(&bytes, &cpu) || !smap_bytes_skip(&bytes, 4))
			return bad_option(option, "too short");
		if (cpu >= count)
			return bad_option(option, "the number of a CPU is too large");
	}
	return 0;
}

/* [SYSTEM:]EVENT,FIELD[,PID]/[SYSTEM:]EVENT,FIELD[,FLAGS]: what libtracecmd must find in a half. */
static bool is_hook_half(const char *text, size_t len)
{
	const char *comma = memchr(text, ',', len), *colon = memchr(text, ':', len);
	const char *end = text + len, *event = text;

	if (!comma)
		return false;
	if (colon && colon < comma) {
		if (colon == text)
			return false;
		event = colon + 1;
	}
	/* Something must stand on both sides of each comma. */
	if (event == comma)
		return false;
	while (comma && comma + 1 != end && comma[1] != ',')
		comma = memchr(comma + 1, ',', (size_t)(end - comma - 1));
	return !comma;
}

/* libtracecmd takes a hook that it cannot parse for one that it could. */
static int check_hook(const struct option *option)
{
	const char *slash;
	int ret = check_text(option);

	if (ret)
		return ret;
	slash = strchr(option->data, '/');
	if (!slash || !is_hook_half(option->data, (size_t)(slash - option->data)) ||
	    strchr(slash + 1, '/') || !is_hook_half(slash + 1, strlen(slash + 1)))
		return bad_option(option, "no hook");
	return 0;
}

static const struct {
	const char	*name;
	int		(*take)(const struct option *option);
} options[TRACE_NR] = {
	[TRACE_DATE]		= { "DATE", check_text },
	[TRACE_CPUSTAT]		= { "CPUSTAT", check_not_empty },
	[TRACE_TRACECLOCK]	= { "TRACECLOCK", take_clock_option },
	[TRACE_UNAME]		= { "UNAME", take_uname },
	[TRACE_HOOK]		= { "HOOK", check_hook },
	[TRACE_OFFSET]		= { "OFFSET", check_text },
	[TRACE_CPUCOUNT]	= { "CPUCOUNT", take_cpu_count },
	[TRACE_VERSION]		= { "VERSION", check_text },
	[TRACE_PROCMAPS]	= { "PROCMAPS", check_not_empty },
	[TRACE_TRACEID]		= { "TRACEID", take_trace_id },
	[TRACE_GUEST]		= { "GUEST", check_guest },
};

int smap_trace_take_option(struct smap_trace_opening *opening, unsigned int id, const void *data,
			   size_t len, uint64_t offset)
{
	struct option option = { opening, NULL, data, len, offset };

	if (id >= TRACE_NR || !options[id].take)
		return 0;
	option.name = options[id].name;
	return options[id].take(&option);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What stands in the sections that versions 6 and 7 have in common.
 *
 *	header info	"header_page\0" u64 size, text, "header_event\0" u64 size, text
 *	ftrace events	u32 count, then as often: u64 size, text of a format file
 *	event formats	u32 systems, then as often: name\0, u32 count, count times u64 size, text
 *	kallsyms	u32 size, text
 *	printk		u32 size, text
 *	cmdlines	u64 size, text
 *
 * The counts are not multiplied or added up: each round takes bytes of the input, which bounds it.
 */
#include <errno.h>
#include <inttypes.h>

#include "internal.h"

/* The longest name of an event system that we believe. */
#define SYSTEM_NAME_SIZE	4096

static int walk_text64(struct smap_trace_input *input, uint64_t *pos, const char *what)
{
	uint64_t size;
	int ret = smap_trace_read_u64(input, pos, &size, what);

	return ret ? ret : smap_trace_skip(input, pos, size, what);
}

static int walk_text32(struct smap_trace_input *input, uint64_t *pos, const char *what)
{
	uint64_t start = *pos;
	uint32_t size;
	int ret = smap_trace_read_u32(input, pos, &size, what);

	if (ret)
		return ret;
	/* libtracecmd adds one for a NUL and stays within 32 bits. */
	if (size == UINT32_MAX)
		return smap_error_set(input->err, -EBADMSG, "offset %" PRIu64 ": %s is too large",
				      start, what);
	return smap_trace_skip(input, pos, size, what);
}

static int walk_label(struct smap_trace_input *input, uint64_t *pos, const char *label, size_t size,
		      const char *what)
{
	uint64_t start = *pos;
	char text[16];
	int ret = smap_trace_read(input, pos, text, size, what);

	if (ret)
		return ret;
	if (memcmp(text, label, size))
		return smap_error_set(input->err, -EBADMSG, "offset %" PRIu64 ": no %s where it "
				      "should be", start, label);
	return walk_text64(input, pos, what);
}

static int walk_header_info(struct smap_trace_input *input, uint64_t *pos, const char *what)
{
	int ret = walk_label(input, pos, "header_page", sizeof("header_page"), what);

	return ret ? ret : walk_label(input, pos, "header_event", sizeof("header_event"), what);
}

/*
 * What libtraceevent (1.7.1) does not survive in the text of a format: a NUL, and in the line of a
 * field a '[' without its ']', which it goes on to look for behind the end.
 */
struct format_check {
	size_t		matched;	/* of "field:" at the beginning of the line */
	bool		is_other;	/* the line is none of a field */
	unsigned int	depth;		/* open brackets */
};

static const char field_label[] = "field:";

#define FIELD_LABEL_LEN	(sizeof(field_label) - 1)

static bool check_field_char(struct format_check *check, char c)
{
	if (check->matched < FIELD_LABEL_LEN) {
		if (c == field_label[check->matched])
			check->matched++;
		else if (check->matched || (c != '\t' && c != ' '))
			check->is_other = true;
		return true;
	}
	if (c == '[')
		return ++check->depth == 1;
	if (c == ']')
		return check->depth-- == 1;
	return c != ';' || !check->depth;
}

static bool check_format_char(struct format_check *check, char c)
{
	bool is_whole = !check->depth;

	if (!c)
		return false;
	if (c == '\n') {
		*check = (struct format_check){ 0 };
		return is_whole;
	}
	return check->is_other || check_field_char(check, c);
}

static int walk_format(struct smap_trace_input *input, uint64_t *pos, const char *what)
{
	struct format_check check = { 0 };
	uint64_t start, size, left;
	char text[512];
	size_t len, i;
	int ret = smap_trace_read_u64(input, pos, &size, what);

	start = *pos;
	if (!ret)
		ret = smap_trace_check_range(input->size, start, size, what, input->err);
	for (left = size; !ret && left; left -= len) {
		len = left < sizeof(text) ? (size_t)left : sizeof(text);
		ret = smap_trace_read(input, pos, text, len, what);
		for (i = 0; !ret && i < len; i++) {
			if (!check_format_char(&check, text[i]))
				ret = smap_error_set(input->err, -EBADMSG, "offset %" PRIu64
						     ": %s: the text is damaged", *pos - len + i,
						     what);
		}
	}
	if (!ret && check.depth)
		ret = smap_error_set(input->err, -EBADMSG, "offset %" PRIu64
				     ": %s: the text is damaged", start, what);
	return ret;
}

static int walk_formats(struct smap_trace_input *input, uint64_t *pos, const char *what)
{
	uint32_t count, i;
	int ret = smap_trace_read_u32(input, pos, &count, what);

	for (i = 0; !ret && i < count; i++)
		ret = walk_format(input, pos, what);
	return ret;
}

static int walk_systems(struct smap_trace_input *input, uint64_t *pos, const char *what)
{
	char name[SYSTEM_NAME_SIZE];
	uint32_t systems, i;
	int ret = smap_trace_read_u32(input, pos, &systems, what);

	for (i = 0; !ret && i < systems; i++) {
		ret = smap_trace_read_string(input, pos, name, sizeof(name),
					     "the name of an event system");
		if (!ret)
			ret = walk_formats(input, pos, what);
	}
	return ret;
}

static const struct {
	const char	*name;
	int		(*walk)(struct smap_trace_input *input, uint64_t *pos, const char *what);
} sections[TRACE_NR] = {
	[TRACE_DONE]		= { "options", NULL },
	[TRACE_BUFFER]		= { "event data", NULL },
	[TRACE_STRINGS]		= { "strings", NULL },
	[TRACE_HEADER_INFO]	= { "header info", walk_header_info },
	[TRACE_FTRACE_EVENTS]	= { "ftrace event formats", walk_formats },
	[TRACE_EVENT_FORMATS]	= { "event formats", walk_systems },
	[TRACE_KALLSYMS]	= { "kallsyms", walk_text32 },
	[TRACE_PRINTK]		= { "printk formats", walk_text32 },
	[TRACE_CMDLINES]	= { "command lines", walk_text64 },
	[TRACE_BUFFER_TEXT]	= { "text of a buffer", NULL },
};

const char *smap_trace_section_name(unsigned int id)
{
	if (id >= TRACE_NR || !sections[id].name)
		return NULL;
	return sections[id].name;
}

int smap_trace_walk_section(unsigned int id, struct smap_trace_input *input, uint64_t *pos)
{
	if (id < TRACE_NR && sections[id].walk)
		return sections[id].walk(input, pos, sections[id].name);
	*pos = input->size;
	return 0;
}

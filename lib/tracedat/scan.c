// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Pages of events.
 *
 *	page:   u64 time stamp | long commit | events, commit bytes of them | unused
 *	event:  u32 type_len, time_delta | (u32 length) | data
 *
 * How an event's header is to be read is left to libtraceevent: kbuffer_raw_get() decodes a single
 * one where we point it. It believes what stands there (as kbuffer_next_event() does, which goes
 * round for ever in a damaged page), so the way from one event to the next is guarded here:
 *  - commit lies inside the page before the first event is looked at;
 *  - an event begins inside commit. kbuffer_raw_get() may read its header past that before it is
 *    found to be cut off, hence SLACK bytes behind the pages in memory;
 *  - the next event begins behind this one's header and not behind commit, so that each page ends.
 * Of the data nothing is read that the event does not have.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <traceevent/kbuffer.h>

#include "internal.h"

#define SLACK		16
#define COMMIT_MASK	((1U << 27) - 1)
#define READ_AT_ONCE	(1U << 20)	/* bytes of pages that are not compressed */
/* Absolute time stamps lack their upper five bits, which are those of the time so far. */
#define ABSOLUTE_BITS	59

struct scan {
	const struct smap_tracedat	*tracedat;
	struct smap_error		*err;
	struct kbuffer			*kbuf;
	struct smap_trace_unpacker	unpacker;
	uint8_t				*packed;
	uint8_t				*pages;
	size_t				packed_capacity;
	size_t				pages_capacity;
	bool				swap;
	bool				top_only;
	int				(*fn)(uint64_t cookie, uint64_t ts, void *data);
	void				*data;
};

static int bad_page(const struct scan *scan, uint64_t offset, const char *why)
{
	return smap_error_set(scan->err, -EBADMSG, "offset %" PRIu64 ": a page of events: %s",
			      offset, why);
}

static uint64_t read_number(const struct scan *scan, const uint8_t *data, unsigned int size)
{
	struct smap_bytes bytes = smap_bytes_init(data, size, scan->swap);
	uint64_t val64 = 0;
	uint32_t val32;
	uint16_t val16;

	switch (size) {
	case 1:
		return data[0];
	case 2:
		return smap_bytes_get_u16(&bytes, &val16) ? val16 : 0;
	case 4:
		return smap_bytes_get_u32(&bytes, &val32) ? val32 : 0;
	default:
		return smap_bytes_get_u64(&bytes, &val64) ? val64 : 0;
	}
}

static bool is_number(const struct smap_tracedat_field *field)
{
	return field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8;
}

/* False where the event ends before the field does. */
static bool get_field(const struct scan *scan, const struct smap_tracedat_field *field,
		      const uint8_t *data, size_t len, uint64_t *ret_val)
{
	if (field->offset > len || field->size > len - field->offset)
		return false;
	*ret_val = read_number(scan, data + field->offset, field->size);
	return true;
}

static int take_event(const struct scan *scan, const uint8_t *data, size_t len, uint64_t ts)
{
	const struct smap_tracedat *tracedat = scan->tracedat;
	uint64_t type, cookie;

	if (!get_field(scan, &tracedat->type_field, data, len, &type) ||
	    type != tracedat->stack_id_type ||
	    !get_field(scan, &tracedat->cookie_field, data, len, &cookie))
		return 0;
	return scan->fn(cookie, ts, scan->data);
}

static uint64_t advance_time(uint64_t ts, const struct kbuffer_raw_info *info)
{
	if (info->type == KBUFFER_TYPE_TIME_STAMP)
		return info->delta | ts >> ABSOLUTE_BITS << ABSOLUTE_BITS;
	return ts + info->delta;
}

static bool is_data(const struct kbuffer_raw_info *info)
{
	return info->type < KBUFFER_TYPE_PADDING;
}

/*
 * [start, start + len) are the events of a page, @page is where it begins. The length of an event
 * (info->length) is used only after it was compared with what is left.
 */
static int scan_events(const struct scan *scan, uint8_t *page, size_t start, size_t commit,
		       uint64_t offset)
{
	struct kbuffer_raw_info info;
	uint8_t *end = page + start + commit, *pos = page + start, *data;
	uint64_t ts = kbuffer_subbuf_timestamp(scan->kbuf, page);
	int ret;

	while (pos != end) {
		info.next = pos;
		if (!kbuffer_raw_get(scan->kbuf, page, &info))
			return bad_page(scan, offset, "an event is cut off");
		/* The rest was left empty; no length is stored. */
		if (info.type == KBUFFER_TYPE_PADDING && !info.delta)
			return 0;
		if (info.length < 0 || (size_t)info.length > commit || info.length % 4)
			return bad_page(scan, offset, "the length of an event is wrong");
		data = (uint8_t *)info.next - info.length;
		if (data > end || info.length > end - data)
			return bad_page(scan, offset, "an event is cut off");
		ts = advance_time(ts, &info);
		if (is_data(&info)) {
			ret = take_event(scan, data, (size_t)info.length, ts);
			if (ret)
				return ret;
		}
		pos = info.next;
	}
	return 0;
}

/* @len: of the page, less than its size at the end of a file that was not filled up. */
static int scan_page(const struct scan *scan, uint8_t *page, size_t len, uint64_t offset)
{
	unsigned int long_size = scan->tracedat->long_size;
	size_t start = 8 + long_size, commit;

	if (len < start)
		return bad_page(scan, offset, "its header is cut off");
	/* The upper bits say that events before it were lost. */
	commit = read_number(scan, page + 8, long_size) & COMMIT_MASK;
	if (commit > len - start)
		return bad_page(scan, offset, "more events than it can hold");
	return scan_events(scan, page, start, commit, offset);
}

/* @offset: of the pages in the file; @step: how far apart they are there, 0: unpacked. */
static int scan_pages(const struct scan *scan, const struct smap_tracedat_cpu *cpu, size_t len,
		      uint64_t offset, uint64_t step)
{
	uint64_t at = offset;
	size_t pos, left;
	int ret = 0;

	for (pos = 0; !ret && pos < len; pos += cpu->page_size) {
		left = len - pos;
		ret = scan_page(scan, scan->pages + pos,
				left < cpu->page_size ? left : cpu->page_size, at);
		at += step;
	}
	return ret;
}

static int make_room(const struct scan *scan, uint8_t **buf, size_t *capacity, size_t len)
{
	uint8_t *grown;

	if (len <= *capacity)
		return 0;
	grown = realloc(*buf, len + SLACK);
	if (!grown)
		return smap_error_nomem(scan->err);
	memset(grown + len, 0, SLACK);
	*buf = grown;
	*capacity = len;
	return 0;
}

static int scan_stored(struct scan *scan, const struct smap_tracedat_cpu *cpu)
{
	size_t room = cpu->page_size > READ_AT_ONCE ? cpu->page_size : READ_AT_ONCE, len;
	uint64_t done;
	int ret;

	if (room > cpu->len)
		room = (size_t)cpu->len;
	ret = make_room(scan, &scan->pages, &scan->pages_capacity, room);
	for (done = 0; !ret && done < cpu->len; done += len) {
		len = cpu->len - done < room ? (size_t)(cpu->len - done) : room;
		ret = smap_trace_pread(scan->tracedat->fd, cpu->offset + done, scan->pages, len,
				       scan->err);
		if (!ret)
			ret = scan_pages(scan, cpu, len, cpu->offset + done, cpu->page_size);
	}
	return ret;
}

/* Sizes were checked when the file was opened, but the file can have been written to since. */
static int scan_chunk(struct scan *scan, const struct smap_tracedat_cpu *cpu, uint64_t *pos)
{
	uint64_t offset = *pos;
	uint8_t header[8];
	uint32_t packed, len;
	int ret;

	ret = smap_trace_pread(scan->tracedat->fd, offset, header, sizeof(header), scan->err);
	if (ret)
		return ret;
	packed = (uint32_t)read_number(scan, header, 4);
	len = (uint32_t)read_number(scan, header + 4, 4);
	if (packed > TRACE_MAX_CHUNK || len > TRACE_MAX_CHUNK ||
	    packed > cpu->offset + cpu->len - offset)
		return bad_page(scan, offset, "the file has changed");
	ret = make_room(scan, &scan->packed, &scan->packed_capacity, packed);
	if (!ret)
		ret = make_room(scan, &scan->pages, &scan->pages_capacity, len);
	if (!ret)
		ret = smap_trace_pread(scan->tracedat->fd, offset + sizeof(header), scan->packed,
				       packed, scan->err);
	if (ret)
		return ret;
	ret = smap_trace_unpack(&scan->unpacker, scan->packed, packed, scan->pages, len);
	if (ret == -ENOMEM)
		return smap_error_nomem(scan->err);
	if (ret)
		return bad_page(scan, offset, "cannot be unpacked");
	*pos = offset + sizeof(header) + packed;
	return scan_pages(scan, cpu, len, offset, 0);
}

static int scan_chunks(struct scan *scan, const struct smap_tracedat_cpu *cpu)
{
	uint64_t pos = cpu->offset + 4;
	int ret = 0;

	while (!ret && pos < cpu->offset + cpu->len)
		ret = scan_chunk(scan, cpu, &pos);
	return ret;
}

static int scan_cpus(struct scan *scan)
{
	const struct smap_tracedat *tracedat = scan->tracedat;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < tracedat->nr_cpus; i++) {
		if (scan->top_only && tracedat->cpus[i].buffer)
			continue;
		if (tracedat->cpus[i].compressed)
			ret = scan_chunks(scan, &tracedat->cpus[i]);
		else
			ret = scan_stored(scan, &tracedat->cpus[i]);
	}
	return ret;
}

static int run_scan(struct scan *scan)
{
	const struct smap_tracedat *tracedat = scan->tracedat;
	int ret;

	scan->swap = tracedat->big_endian != SMAP_HOST_IS_BIG_ENDIAN;
	scan->kbuf = kbuffer_alloc(tracedat->long_size == 8 ? KBUFFER_LSIZE_8 : KBUFFER_LSIZE_4,
				   tracedat->big_endian ? KBUFFER_ENDIAN_BIG :
							  KBUFFER_ENDIAN_LITTLE);
	if (!scan->kbuf)
		return smap_error_nomem(scan->err);
	ret = smap_trace_unpacker_init(&scan->unpacker, tracedat->compression);
	if (ret) {
		ret = smap_error_nomem(scan->err);
		goto out;
	}
	ret = scan_cpus(scan);
	free(scan->packed);
	free(scan->pages);
	smap_trace_unpacker_free(&scan->unpacker);
out:
	kbuffer_free(scan->kbuf);
	return ret;
}

static int scan_cookies(struct scan *scan)
{
	const struct smap_tracedat *tracedat = scan->tracedat;

	if (!tracedat->has_stack_id)
		return 0;
	if (!is_number(&tracedat->type_field) || !is_number(&tracedat->cookie_field))
		return smap_error_set(scan->err, -EBADMSG,
				      "the format of ftrace:stack_id lacks a field");
	return run_scan(scan);
}

int smap_tracedat_scan(const struct smap_tracedat *tracedat,
		       int (*fn)(uint64_t cookie, uint64_t ts, void *data), void *data,
		       struct smap_error *err)
{
	struct scan scan = { .tracedat = tracedat, .err = err, .fn = fn, .data = data };

	return scan_cookies(&scan);
}

int smap_tracedat_scan_top(const struct smap_tracedat *tracedat,
			   int (*fn)(uint64_t cookie, uint64_t ts, void *data), void *data,
			   struct smap_error *err)
{
	struct scan scan = {
		.tracedat = tracedat, .err = err, .top_only = true, .fn = fn, .data = data
	};

	return scan_cookies(&scan);
}

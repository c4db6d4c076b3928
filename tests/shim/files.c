// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a read of each file gives. Text is made as seq_file does: whole records, about a page a
 * read; what does not fit into the reader's buffer waits behind the struct shim_file.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ftrace_stackmap.h>

#include "world.h"

#define BIN1_MAGIC	0x46534d42

struct text {
	char	*data;
	size_t	len;
	size_t	size;
};

static int text_bytes(struct text *text, const void *data, size_t len)
{
	size_t size = text->size ? text->size : 8192;
	char *more;

	while (size < text->len + len)
		size *= 2;
	if (size != text->size) {
		more = realloc(text->data, size);
		if (!more)
			return -ENOMEM;
		text->data = more;
		text->size = size;
	}
	memcpy(text->data + text->len, data, len);
	text->len += len;
	return 0;
}

__attribute__((format(printf, 2, 3)))
static int text_add(struct text *text, const char *fmt, ...)
{
	char line[1024];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	return text_bytes(text, line, (size_t)len);
}

static const struct shim_record *record_at(const struct shim_map *map, uint32_t slot)
{
	return (const struct shim_record *)((const char *)map + map->slots[slot]);
}

/* The first slot from @slot on that holds a stack; nr_slots: none. */
static uint32_t next_slot(const struct shim_map *map, uint32_t slot)
{
	while (slot < map->nr_slots && !map->slots[slot])
		slot++;
	return slot;
}

static uint64_t fallbacks(const struct shim_map *map)
{
	return map->causes[SHIM_NO_CAPACITY] + map->causes[SHIM_NO_SPACE] +
	       map->causes[SHIM_NO_SLOT];
}

void shim_file_hold(struct shim_world *world, struct shim_file *file)
{
	struct shim_map *map;

	if (file->map || (file->flags & O_ACCMODE) == O_WRONLY)
		return;
	map = shim_map_get(world, world->state->live);
	if (!map)
		return;
	file->map = map->sequence;
	file->nr_resets = map->nr_resets;
	shim_map_put(map);
}

/* ---- stack_map ---- */

static int add_frame(struct text *text, const char *dir, uint64_t frame)
{
	char name[512];

	if (frame == SHIM_TRAMPOLINE)
		return text_add(text, "[FTRACE TRAMPOLINE]\n");
	shim_symbol_print(dir, frame, name, sizeof(name));
	return text_add(text, "%s\n", name);
}

static int add_record(struct shim_world *world, struct text *text, const struct shim_map *map,
		      uint32_t slot)
{
	const struct shim_record *record = record_at(map, slot);
	bool is_old = world->state->series < 8;
	uint32_t i;
	int ret;

	ret = is_old ? text_add(text, "stack_id %" PRIu32 " [ref %" PRIu32 ", depth %" PRIu32 "]\n",
				slot, record->ref, record->depth) :
		       text_add(text, "stack_id %" PRIu32 " gen %" PRIu32 " ref %" PRIu32
				" depth %" PRIu32 "\n",
				slot, map->generation, record->ref, record->depth);
	for (i = 0; !ret && i < record->depth; i++) {
		ret = is_old ? text_add(text, "  [%" PRIu32 "] ", i) : text_add(text, " => ");
		if (!ret)
			ret = add_frame(text, world->dir, record->frames[i]);
	}
	if (!ret && is_old)
		ret = text_add(text, "\n");
	return ret;
}

/* Records until @want bytes are there or the page is full; at least one. */
static int make_stack_map(struct shim_world *world, struct shim_file *file,
			  const struct shim_map *map, struct text *text, size_t want)
{
	size_t before;
	uint32_t slot;
	int ret;

	file->is_started = true;
	while (text->len < want) {
		slot = next_slot(map, file->slot);
		if (slot >= map->nr_slots)
			break;
		before = text->len;
		ret = add_record(world, text, map, slot);
		if (ret)
			return ret;
		if (before && text->len > world->state->page) {
			text->len = before;
			break;
		}
		file->slot = slot + 1;
	}
	return 0;
}

/* ---- stack_map_stat ---- */

static int make_old_stat(const struct shim_map *map, struct text *text)
{
	uint64_t all = map->successes + fallbacks(map);

	return text_add(text, "entries:      %" PRIu32 " / %" PRIu32 "\ntable_size:   %" PRIu32
			"\nsuccesses:    %" PRIu64 "\ndrops:        %" PRIu64
			"\nsuccess_rate: %" PRIu64 "%%\n",
			map->entries, map->capacity, map->nr_slots, map->successes, fallbacks(map),
			all ? map->successes * 100 / all : 0);
}

static uint64_t map_memory(const struct shim_map *map)
{
	return map->arena_size + 8 * (uint64_t)map->nr_slots;
}

static int add_own_stat(struct shim_world *world, const struct shim_map *map, struct text *text)
{
	static const char *const names[] = {
		"no_capacity", "no_space", "no_slot", "bad_depth", "no_event"
	};
	uint32_t nr = shim_nr_swapped_out(world), i;
	int ret;

	ret = text_add(text, "arena_used: %" PRIu64 "\narena_size: %" PRIu64 "\nmemory: %" PRIu64
		       "\nswapped_out_maps: %" PRIu32 "\nswapped_out_memory: %" PRIu64 "\n",
		       map->arena_used, map->arena_size, map_memory(map), nr,
		       nr * map_memory(map));
	for (i = 0; !ret && i < SHIM_NR_CAUSES; i++)
		ret = text_add(text, "%s: %" PRIu64 "\n", names[i], map->causes[i]);
	if (!ret)
		ret = text_add(text, "no_map: %" PRIu64 "\nnot_watching: 0\nno_full_event: 0\n",
			       world->state->no_map);
	return ret;
}

static int make_stat(struct shim_world *world, struct shim_file *file, const struct shim_map *map,
		     struct text *text)
{
	int ret;

	if (file->nr_made)
		return 0;
	if (world->state->series < 8)
		return make_old_stat(map, text);
	ret = text_add(text, "generation: %" PRIu32 "\nentries: %" PRIu32 "\ncapacity: %" PRIu32
		       "\nsuccesses: %" PRIu64 "\nfallbacks: %" PRIu64 "\n",
		       map->generation, map->entries, map->capacity, map->successes,
		       fallbacks(map));
	if (!ret && world->state->series == SHIM_SERIES_OURS)
		ret = add_own_stat(world, map, text);
	return ret;
}

/* ---- stack_map_bin ---- */

static int make_bin1_stack(const struct shim_map *map, uint32_t slot, struct text *text)
{
	const struct shim_record *record = record_at(map, slot);
	uint32_t head[4] = { slot, record->depth, record->ref, 0 };
	int ret = text_bytes(text, head, sizeof(head));

	return ret ? ret : text_bytes(text, record->frames,
				      record->depth * sizeof(record->frames[0]));
}

/* All of it at once: exactly the announced number of stacks follows. */
static int make_bin1(struct shim_file *file, const struct shim_map *map, struct text *text)
{
	uint32_t head[4] = { BIN1_MAGIC, 1, map->entries, 0 }, slot;
	int ret;

	if (file->nr_made)
		return 0;
	ret = text_bytes(text, head, sizeof(head));
	for (slot = 0; !ret && slot < map->nr_slots; slot++) {
		if (map->slots[slot])
			ret = make_bin1_stack(map, slot, text);
	}
	return ret;
}

enum bin2_part {
	BIN2_HEADER,
	BIN2_STACKS,
	BIN2_END,
};

static int make_bin2_header(const struct shim_map *map, struct text *text)
{
	struct ftrace_stackmap_bin_header header = {
		.magic = FTRACE_STACKMAP_BIN_MAGIC,
		.version = FTRACE_STACKMAP_BIN_VERSION,
		.header_size = sizeof(header),
		.flags = map->is_closed ? FTRACE_STACKMAP_BIN_CLOSED : 0,
		.generation = map->generation,
		.capacity = map->capacity,
		.stext = SHIM_STEXT,
		.trampoline = SHIM_TRAMPOLINE,
		.build_id_len = sizeof(header.build_id),
		.build_id = "a played kernel, 20",
	};

	return text_bytes(text, &header, sizeof(header));
}

static int make_bin2_stack(struct shim_file *file, const struct shim_map *map, uint32_t slot,
			   struct text *text)
{
	const struct shim_record *record = record_at(map, slot);
	struct ftrace_stackmap_bin_stack head = {
		.kind = FTRACE_STACKMAP_BIN_STACK,
		.size = sizeof(head) + record->depth * 8,
		.slot = slot,
		.ref = record->ref,
		.frames = record->depth,
		.frames_offset = sizeof(head),
	};
	int ret = text_bytes(text, &head, sizeof(head));

	file->slot = slot + 1;
	file->nr_stacks++;
	return ret ? ret : text_bytes(text, record->frames, record->depth * 8);
}

static int make_bin2_trailer(struct shim_file *file, const struct shim_map *map, struct text *text)
{
	struct ftrace_stackmap_bin_trailer trailer = {
		.kind = FTRACE_STACKMAP_BIN_TRAILER,
		.size = sizeof(trailer),
		.nr_stacks = file->nr_stacks,
		.nr_bytes = file->nr_made + text->len,
		.successes = map->successes,
		.fallbacks = fallbacks(map),
	};

	file->part = BIN2_END;
	return text_bytes(text, &trailer, sizeof(trailer));
}

static int make_bin2_next(struct shim_file *file, const struct shim_map *map, struct text *text)
{
	uint32_t slot;

	if (file->part == BIN2_HEADER) {
		file->part = BIN2_STACKS;
		return make_bin2_header(map, text);
	}
	slot = next_slot(map, file->slot);
	return slot < map->nr_slots ? make_bin2_stack(file, map, slot, text) :
				      make_bin2_trailer(file, map, text);
}

/* Whole records as long as they have room; one that has none is sent in parts. */
static int make_bin2(struct shim_file *file, const struct shim_map *map, struct text *text,
		     size_t want)
{
	struct shim_file before;
	size_t len;
	int ret = 0;

	file->is_started = true;
	while (!ret && text->len < want && file->part != BIN2_END) {
		before = *file;
		len = text->len;
		ret = make_bin2_next(file, map, text);
		if (!ret && len && text->len > want) {
			text->len = len;
			*file = before;
			break;
		}
	}
	return ret;
}

/* ---- switches ---- */

static int make_word(struct shim_file *file, struct text *text, uint32_t value)
{
	return file->nr_made ? 0 : text_add(text, "%" PRIu32 "\n", value);
}

static int make_options(struct shim_world *world, struct shim_file *file, struct text *text)
{
	char path[PATH_MAX], *list;
	size_t len;
	int ret;

	if (file->nr_made)
		return 0;
	snprintf(path, sizeof(path), "%s/root/%s", world->dir, file->name);
	list = shim_sys_load(path, &len);
	ret = list ? text_bytes(text, list, len) : 0;
	free(list);
	if (!ret && world->state->series && !file->is_instance)
		ret = text_add(text, "%sstackmap\n", world->state->option ? "" : "no");
	return ret;
}

/* ---- reading ---- */

static int make_of_map(struct shim_world *world, struct shim_file *file,
		       const struct shim_map *map, struct text *text, size_t want)
{
	switch (file->kind) {
	case SHIM_STACK_MAP:
		return make_stack_map(world, file, map, text, want);
	case SHIM_STACK_MAP_STAT:
		return make_stat(world, file, map, text);
	default:
		break;
	}
	if (world->state->series == SHIM_SERIES_OURS)
		return make_bin2(file, map, text, want);
	return make_bin1(file, map, text);
}

static int make_from_map(struct shim_world *world, struct shim_file *file, struct text *text,
			 size_t want)
{
	struct shim_map *map;
	int ret;

	shim_file_hold(world, file);
	map = shim_map_get(world, file->map);
	if (!map)
		return 0;
	ret = make_of_map(world, file, map, text, want);
	shim_map_put(map);
	return ret;
}

static int make(struct shim_world *world, struct shim_file *file, struct text *text, size_t want)
{
	switch (file->kind) {
	case SHIM_OPTION:
		return make_word(file, text, world->state->option);
	case SHIM_TRACING_ON:
		return make_word(file, text, world->state->tracing_on);
	case SHIM_TRACE_OPTIONS:
		return make_options(world, file, text);
	default:
		return make_from_map(world, file, text, want);
	}
}

/* What a read before left over. */
static size_t take_left(int fd, struct shim_file *file, char *data, size_t count)
{
	size_t len = file->buf_len - file->buf_from;

	len = len < count ? len : count;
	syscall(SYS_pread64, fd, data, len, (long)(sizeof(*file) + file->buf_from));
	file->buf_from += len;
	return len;
}

static void leave(int fd, struct shim_file *file, const char *data, size_t len)
{
	file->buf_from = 0;
	file->buf_len = (uint32_t)len;
	syscall(SYS_pwrite64, fd, data, len, (long)sizeof(*file));
}

static long fill_more(struct shim_world *world, int fd, struct shim_file *file, char *data,
		      size_t count)
{
	struct text text = { NULL, 0, 0 };
	int ret = make(world, file, &text, count);
	size_t len;

	if (ret) {
		free(text.data);
		return ret;
	}
	len = text.len < count ? text.len : count;
	if (len)
		memcpy(data, text.data, len);
	file->nr_made += text.len;
	leave(fd, file, text.data + len, text.len - len);
	free(text.data);
	return (long)len;
}

/* Series 4 to 7: was the map reset since this stack_map_bin was opened, and some of it is left? */
static bool is_stale(struct shim_world *world, const struct shim_file *file)
{
	struct shim_map *map;
	bool is_stale;

	if (file->kind != SHIM_STACK_MAP_BIN || world->state->series >= 8)
		return false;
	if (file->nr_made && file->buf_from == file->buf_len)
		return false;
	map = shim_map_get(world, file->map);
	is_stale = map && map->nr_resets != file->nr_resets;
	shim_map_put(map);
	return is_stale;
}

long shim_file_fill(struct shim_world *world, int fd, struct shim_file *file, char *data,
		    size_t count)
{
	size_t len;
	long more = 0;

	if (is_stale(world, file))
		return -ESTALE;
	len = take_left(fd, file, data, count);
	if (len < count && !(file->kind == SHIM_STACK_MAP_BIN && len))
		more = fill_more(world, fd, file, data + len, count - len);
	if (more < 0 && !len)
		return more;
	len += more > 0 ? (size_t)more : 0;
	file->nr_read += len;
	return (long)len;
}

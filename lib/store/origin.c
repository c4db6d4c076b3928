// SPDX-License-Identifier: LGPL-2.1-or-later
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/bytes.h"
#include "layout.h"
#include "origin.h"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool dash_belongs_here(unsigned int nr_digits)
{
	return nr_digits == 8 || nr_digits == 12 || nr_digits == 16 || nr_digits == 20;
}

int smap_boot_id_parse(const char *text, uint8_t boot_id[16])
{
	unsigned int nr_digits = 0;
	uint8_t parsed[16] = { 0 };
	bool dashes = strchr(text, '-');
	int digit;

	for (; *text && *text != '\n'; text++) {
		if (dashes && dash_belongs_here(nr_digits) && text[-1] != '-') {
			if (*text != '-')
				return smap_errno(-EINVAL);
			continue;
		}
		digit = hex_digit(*text);
		if (digit < 0 || nr_digits == 32)
			return smap_errno(-EINVAL);
		parsed[nr_digits / 2] = (uint8_t)(parsed[nr_digits / 2] << 4 | digit);
		nr_digits++;
	}
	/* As /proc has it, with one newline at its end. */
	if (nr_digits != 32 || (*text && text[1]))
		return smap_errno(-EINVAL);
	memcpy(boot_id, parsed, sizeof(parsed));
	return 0;
}

static void boot_id_format(const uint8_t boot_id[16], char *text, size_t size)
{
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < 16; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%02x",
					 dash_belongs_here(i * 2) ? "-" : "", boot_id[i]);
}

void smap_origin_release(struct smap_origin *origin)
{
	free(origin->release);
	free(origin->version);
	free(origin->machine);
	origin->release = NULL;
	origin->version = NULL;
	origin->machine = NULL;
}

void smap_save_init(struct stackmap_save *save)
{
	memset(save, 0, sizeof(*save));
	save->saved_wall_ns = SMAP_TIME_UNKNOWN;
	save->saved_boot_ns = SMAP_TIME_UNKNOWN;
}

void smap_save_release(struct stackmap_save *save)
{
	smap_origin_release(&save->origin);
	free(save->generations);
	free(save->superseded);
	save->generations = NULL;
	save->superseded = NULL;
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now = { 0, 0 };

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void smap_read_times_take(struct smap_read_times *times)
{
	times->boot_ns = now_ns(CLOCK_BOOTTIME);
	times->mono_ns = now_ns(CLOCK_MONOTONIC);
	times->mono_raw_ns = now_ns(CLOCK_MONOTONIC_RAW);
	times->is_known = true;
}

static uint32_t origin_flags(const struct smap_save_input *input)
{
	uint32_t flags = 0;

	if (input->origin.has_boot_id)
		flags |= SMAP_ORIGIN_HAS_BOOT_ID;
	if (input->origin.random_generation)
		flags |= SMAP_ORIGIN_RANDOM_GENERATION;
	if (input->read_times.is_known)
		flags |= SMAP_ORIGIN_HAS_READ_TIMES;
	if (input->modules.is_known)
		flags |= SMAP_ORIGIN_HAS_MODULES;
	return flags;
}

static void add_read_times(struct smap_buf *buf, const struct smap_read_times *times)
{
	const struct smap_store_read_times disk = {
		.boot		= htole64(times->boot_ns),
		.mono		= htole64(times->mono_ns),
		.mono_raw	= htole64(times->mono_raw_ns),
	};

	if (times->is_known)
		smap_buf_add(buf, &disk, sizeof(disk));
}

static void add_modules(struct smap_buf *buf, const struct smap_modules *modules)
{
	const smap_le64 sum = htole64(modules->sum);

	if (modules->is_known)
		smap_buf_add(buf, &sum, sizeof(sum));
}

static int string_len(const char *name, const char *string, smap_le16 *ret_len,
		      struct smap_error *err)
{
	size_t len = string ? strlen(string) : 0;

	if (len > UINT16_MAX)
		return smap_error_set(err, -EINVAL, "%s longer than %d bytes", name, UINT16_MAX);
	*ret_len = htole16((uint16_t)len);
	return 0;
}

static void add_string(struct smap_buf *buf, const char *string)
{
	if (string)
		smap_buf_add_str(buf, string);
}

int smap_origin_encode(struct smap_buf *buf, const struct smap_save_input *input,
		       struct smap_error *err)
{
	const struct smap_origin *origin = &input->origin;
	struct smap_store_origin disk = { 0 };
	int ret;

	ret = string_len("release", origin->release, &disk.release_len, err);
	if (!ret)
		ret = string_len("version", origin->version, &disk.version_len, err);
	if (!ret)
		ret = string_len("machine", origin->machine, &disk.machine_len, err);
	if (ret)
		return ret;

	if (origin->has_boot_id)
		memcpy(disk.boot_id, origin->boot_id, sizeof(disk.boot_id));
	disk.flags = htole32(origin_flags(input));
	disk.word_size = (uint8_t)origin->word_size;
	disk.byte_order = (uint8_t)origin->byte_order;
	disk.saved_wall = htole64(input->saved_wall_ns);
	disk.saved_boot = htole64(input->saved_boot_ns);

	smap_buf_add(buf, &disk, sizeof(disk));
	add_string(buf, origin->release);
	add_string(buf, origin->version);
	add_string(buf, origin->machine);
	add_read_times(buf, &input->read_times);
	add_modules(buf, &input->modules);
	return smap_buf_failed(buf) ? smap_error_nomem(err) : 0;
}

int smap_summary_encode(struct smap_buf *buf, const struct smap_export *export,
			const struct smap_findings *findings, struct smap_error *err)
{
	struct smap_store_generation generation = { 0 };
	struct smap_store_summary disk = { 0 };
	size_t i;

	if (export->nr_maps > (SMAP_META_MAX - sizeof(disk)) / sizeof(generation))
		return smap_error_set(err, -EINVAL, "%zu generations are more than a save can hold",
				      export->nr_maps);
	disk.flags = htole32(export->has_generation ? SMAP_SUMMARY_HAS_GENERATION : 0);
	disk.nr_generations = htole32((uint32_t)export->nr_maps);
	disk.nr_records = htole64(findings->nr_records);
	smap_buf_add(buf, &disk, sizeof(disk));
	for (i = 0; i < export->nr_maps; i++) {
		generation.generation = htole32(export->maps[i].generation);
		generation.nr_stacks = htole64(export->maps[i].nr_stacks);
		smap_buf_add(buf, &generation, sizeof(generation));
	}
	return smap_buf_failed(buf) ? smap_error_nomem(err) : 0;
}

/* Unknown is NULL, never "". */
static int get_string(struct smap_bytes *bytes, size_t len, char **ret_string,
		      struct smap_error *err)
{
	const void *data;
	char *string;

	if (!len)
		return 0;
	if (!smap_bytes_get(bytes, len, &data))
		return smap_error_set(err, -EBADMSG, "cut short");
	if (memchr(data, '\0', len))
		return smap_error_set(err, -EBADMSG, "a string with a NUL in it");
	string = strndup(data, len);
	if (!string)
		return smap_error_nomem(err);
	*ret_string = string;
	return 0;
}

static int get_read_times(struct smap_bytes *bytes, struct smap_read_times *times,
			  struct smap_error *err)
{
	struct smap_store_read_times disk;
	const void *data;

	if (!smap_bytes_get(bytes, sizeof(disk), &data))
		return smap_error_set(err, -EBADMSG, "cut short");
	memcpy(&disk, data, sizeof(disk));
	times->boot_ns = le64toh(disk.boot);
	times->mono_ns = le64toh(disk.mono);
	times->mono_raw_ns = le64toh(disk.mono_raw);
	times->is_known = true;
	return 0;
}

static int get_modules(struct smap_bytes *bytes, struct smap_modules *modules,
		       struct smap_error *err)
{
	const void *data;
	smap_le64 sum;

	if (!smap_bytes_get(bytes, sizeof(sum), &data))
		return smap_error_set(err, -EBADMSG, "cut short");
	memcpy(&sum, data, sizeof(sum));
	modules->sum = le64toh(sum);
	modules->is_known = true;
	return 0;
}

int smap_origin_decode(struct stackmap_save *save, const void *data, size_t len,
		       struct smap_error *err)
{
	struct smap_bytes bytes = smap_bytes_init(data, len, false);
	struct smap_origin *origin = &save->origin;
	struct smap_store_origin disk;
	const void *fixed;
	int ret;

	if (!smap_bytes_get(&bytes, sizeof(disk), &fixed))
		return smap_error_set(err, -EBADMSG, "cut short");
	memcpy(&disk, fixed, sizeof(disk));
	origin->has_boot_id = le32toh(disk.flags) & SMAP_ORIGIN_HAS_BOOT_ID;
	if (origin->has_boot_id) {
		memcpy(origin->boot_id, disk.boot_id, sizeof(origin->boot_id));
		boot_id_format(origin->boot_id, save->boot_id_text, sizeof(save->boot_id_text));
	}
	/* What we do not know is unknown to us, not broken. */
	if (disk.word_size == 4 || disk.word_size == 8)
		origin->word_size = disk.word_size;
	if (disk.byte_order <= SMAP_ORDER_BIG)
		origin->byte_order = (enum smap_byte_order)disk.byte_order;
	save->saved_wall_ns = le64toh(disk.saved_wall);
	save->saved_boot_ns = le64toh(disk.saved_boot);

	ret = get_string(&bytes, le16toh(disk.release_len), &origin->release, err);
	if (!ret)
		ret = get_string(&bytes, le16toh(disk.version_len), &origin->version, err);
	if (!ret)
		ret = get_string(&bytes, le16toh(disk.machine_len), &origin->machine, err);
	origin->random_generation = le32toh(disk.flags) & SMAP_ORIGIN_RANDOM_GENERATION;
	if (!ret && le32toh(disk.flags) & SMAP_ORIGIN_HAS_READ_TIMES)
		ret = get_read_times(&bytes, &save->read_times, err);
	if (!ret && le32toh(disk.flags) & SMAP_ORIGIN_HAS_MODULES)
		ret = get_modules(&bytes, &save->modules, err);
	return ret;
}

static int alloc_generations(struct stackmap_save *save, size_t nr, struct smap_error *err)
{
	if (!nr)
		return 0;
	save->generations = calloc(nr, sizeof(*save->generations));
	if (!save->generations)
		return smap_error_nomem(err);
	save->nr_generations = nr;
	return 0;
}

int smap_summary_decode(struct stackmap_save *save, const void *data, size_t len,
			struct smap_error *err)
{
	struct smap_bytes bytes = smap_bytes_init(data, len, false);
	struct smap_store_generation generation;
	struct smap_store_summary disk;
	const void *fixed;
	uint32_t nr, i;
	int ret;

	if (!smap_bytes_get(&bytes, sizeof(disk), &fixed))
		return smap_error_set(err, -EBADMSG, "cut short");
	memcpy(&disk, fixed, sizeof(disk));
	nr = le32toh(disk.nr_generations);
	if (nr > smap_bytes_left(&bytes) / sizeof(generation))
		return smap_error_set(err, -EBADMSG, "cut short");
	ret = alloc_generations(save, nr, err);
	if (ret)
		return ret;
	save->has_generation = le32toh(disk.flags) & SMAP_SUMMARY_HAS_GENERATION;
	save->nr_records = le64toh(disk.nr_records);
	for (i = 0; i < nr && smap_bytes_get(&bytes, sizeof(generation), &fixed); i++) {
		memcpy(&generation, fixed, sizeof(generation));
		save->generations[i].generation = le32toh(generation.generation);
		save->generations[i].nr_stacks = le64toh(generation.nr_stacks);
	}
	return 0;
}

int smap_superseded_decode(struct stackmap_save *save, const void *data, size_t len,
			   struct smap_error *err)
{
	const smap_le64 *sums = data;
	size_t nr = len / sizeof(*sums), i;

	if (len % sizeof(*sums))
		return smap_error_set(err, -EBADMSG, "cut short");
	save->superseded = calloc(nr + 1, sizeof(*save->superseded));
	if (!save->superseded)
		return smap_error_nomem(err);
	for (i = 0; i < nr; i++)
		save->superseded[i] = le64toh(sums[i]);
	save->nr_superseded = nr;
	return 0;
}

int smap_summary_from_export(struct stackmap_save *save, const struct smap_export *export,
			     const struct smap_findings *findings, struct smap_error *err)
{
	size_t i;
	int ret;

	ret = alloc_generations(save, export->nr_maps, err);
	if (ret)
		return ret;
	save->has_generation = export->has_generation;
	save->nr_records = findings->nr_records;
	for (i = 0; i < export->nr_maps; i++) {
		save->generations[i].generation = export->maps[i].generation;
		save->generations[i].nr_stacks = export->maps[i].nr_stacks;
	}
	return 0;
}

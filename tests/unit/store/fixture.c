// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

const char fixture_gen1[] =
	"stack_id 42 gen 1 ref 1337 depth 3\n"
	" => schedule+0x48/0xc0\n"
	" => schedule_timeout+0x1c/0x30\n"
	" => [FTRACE TRAMPOLINE]\n"
	"stack_id 77 gen 1 ref 1 depth 1\n"
	" => ext4_sync_file+0x10/0x80 [ext4]\n";

const char fixture_gen2[] =
	"stack_id 42 gen 2 ref 5 depth 1\n"
	" => kmem_cache_alloc+0x9a/0x2b0\n";

const char fixture_text4[] =
	"stack_id 33 [ref 1, depth 2]\n"
	"  [0] __schedule+0x61f/0x7a0\n"
	"  [1] preempt_schedule_irq+0x3c/0x60\n"
	"\n";

const char fixture_stat[] =
	"generation: 1\n"
	"entries: 2\n"
	"capacity: 16384\n"
	"successes: 1338\n"
	"fallbacks: 0\n";

const char fixture_symbols[] =
	"ffffffff81000000 c0 schedule\n"
	"ffffffffc0001000 80 ext4_sync_file\text4\n";

struct smap_save_input fixture_input(const char *export)
{
	static char release[] = "7.2.13", version[] = "#1 SMP", machine[] = "x86_64";
	struct smap_save_input input = {
		.origin = { .release = release, .version = version, .machine = machine,
			    .word_size = 8, .byte_order = SMAP_ORDER_LITTLE, .has_boot_id = true },
		.saved_wall_ns = 1790000000123456789,
		.saved_boot_ns = 987654321,
		.export = export,
		.export_len = strlen(export),
	};

	assert_int_equal(smap_boot_id_parse(BOOT_ID, input.origin.boot_id), 0);
	return input;
}

void fixture_noise(uint8_t *room, size_t len, uint64_t seed)
{
	uint64_t state = seed + 1;
	size_t i;

	for (i = 0; i < len; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		room[i] = (uint8_t)(state >> 32);
	}
}

size_t fixture_add_header(struct smap_buf *buf)
{
	size_t at = buf->len;

	assert_int_equal(smap_store_encode_header(buf, STORE_ID), 0);
	return at;
}

size_t fixture_add_input(struct smap_buf *buf, const struct smap_save_input *input)
{
	struct smap_error err = { "" };
	size_t at = buf->len;

	if (smap_store_encode_block(buf, STORE_ID, input, &err))
		fail_msg("%s", err.text);
	return at;
}

size_t fixture_add_block(struct smap_buf *buf, const char *export)
{
	struct smap_save_input input = fixture_input(export);

	return fixture_add_input(buf, &input);
}

size_t fixture_add_kind(struct smap_buf *buf, unsigned int kind, unsigned int flags,
			unsigned int nr_sections, const void *sections, size_t len)
{
	struct smap_block_header disk = { 0 };
	size_t at = buf->len;

	memcpy(disk.magic, SMAP_BLOCK_MAGIC, sizeof(disk.magic));
	disk.store_id = htole64(STORE_ID);
	disk.header_size = htole16(sizeof(disk));
	disk.kind = htole16((uint16_t)kind);
	disk.flags = htole32(flags);
	disk.size = htole64(len);
	disk.nr_sections = htole32(nr_sections);
	smap_buf_add(buf, &disk, sizeof(disk));
	smap_buf_add(buf, sections, len);
	fixture_seal_block(buf, at);
	return at;
}

void fixture_add_section(struct smap_buf *buf, unsigned int kind, unsigned int flags,
			 unsigned int codec, uint64_t size, const void *data, size_t len)
{
	struct smap_section_header disk = { 0 };

	disk.kind = htole16((uint16_t)kind);
	disk.codec = htole16((uint16_t)codec);
	disk.flags = htole32(flags);
	disk.stored_size = htole64(len);
	disk.size = htole64(size);
	smap_buf_add(buf, &disk, sizeof(disk));
	smap_buf_add(buf, data, len);
	smap_buf_add(buf, "\0\0\0\0\0\0\0", -len % 8);
}

size_t fixture_block_len(const struct smap_buf *buf, size_t block)
{
	struct smap_block_header disk;

	memcpy(&disk, buf->data + block, sizeof(disk));
	return le16toh(disk.header_size) + (size_t)le64toh(disk.size);
}

void fixture_seal_block(struct smap_buf *buf, size_t block)
{
	struct smap_block_header disk;
	uint64_t sum;
	size_t size;

	memcpy(&disk, buf->data + block, sizeof(disk));
	size = le16toh(disk.header_size);
	if (le64toh(disk.size) <= buf->len - block - size)
		disk.data_checksum = htole64(smap_checksum(buf->data + block + size,
							   (size_t)le64toh(disk.size)));
	memcpy(buf->data + block, &disk, offsetof(struct smap_block_header, checksum));
	sum = htole64(smap_checksum(buf->data + block, size - sizeof(sum)));
	memcpy(buf->data + block + size - sizeof(sum), &sum, sizeof(sum));
}

void fixture_seal_header(struct smap_buf *buf)
{
	struct smap_store_header disk;
	uint64_t sum;
	size_t size;

	memcpy(&disk, buf->data, sizeof(disk));
	size = le16toh(disk.header_size);
	sum = htole64(smap_checksum(buf->data, size - sizeof(sum)));
	memcpy(buf->data + size - sizeof(sum), &sum, sizeof(sum));
}

size_t fixture_find_section(const struct smap_buf *buf, size_t block, unsigned int kind)
{
	size_t at = block + sizeof(struct smap_block_header), end;
	struct smap_section_header disk;

	for (end = block + fixture_block_len(buf, block); at < end;
	     at += sizeof(disk) + (le64toh(disk.stored_size) + 7) / 8 * 8) {
		memcpy(&disk, buf->data + at, sizeof(disk));
		if (le16toh(disk.kind) == kind)
			return at + sizeof(disk);
	}
	fail_msg("no section of kind %u", kind);
	return 0;
}

struct smap_store *fixture_open(const struct smap_buf *buf)
{
	struct smap_store *store = NULL;
	struct smap_error err = { "" };

	if (smap_store_open_memory(buf->data, buf->len, &store, &err))
		fail_msg("%s", err.text);
	return store;
}

void fixture_refused(const struct smap_buf *buf, int code, const char *words)
{
	struct smap_store *store = NULL;
	struct smap_error err = { "" };

	assert_int_equal(smap_store_open_memory(buf->data, buf->len, &store, &err), code);
	assert_int_equal(errno, -code);
	assert_null(store);
	if (!strstr(err.text, words))
		fail_msg("'%s' has no '%s'", err.text, words);
}

void fixture_holds(struct smap_store *store, size_t nr, const char *text)
{
	struct smap_error err = { "" };
	char *data;
	size_t len;

	if (smap_store_export_bytes(store, nr, &data, &len, &err))
		fail_msg("%s", err.text);
	assert_int_equal(len, strlen(text));
	assert_string_equal(data, text);
	free(data);
}

void fixture_damaged(struct smap_store *store, size_t nr, uint64_t offset, uint64_t len,
		     const char *words)
{
	const struct smap_damage *damage = smap_store_damage(store, nr);

	assert_non_null(damage);
	assert_int_equal(damage->offset, offset);
	assert_int_equal(damage->len, len);
	if (!strstr(damage->text, words))
		fail_msg("'%s' has no '%s'", damage->text, words);
}

struct looking_for {
	const char	*words;
	bool		found;
	uint64_t	last_offset;
};

static void look(const struct smap_damage *damage, void *data)
{
	struct looking_for *looking = data;

	if (looking->words && strstr(damage->text, looking->words))
		looking->found = true;
	assert_true(damage->offset >= looking->last_offset);
	looking->last_offset = damage->offset;
}

int fixture_verify(struct smap_store *store, const char *words)
{
	struct looking_for looking = { words, false, 0 };
	struct smap_error err = { "" };
	int ret = smap_store_verify(store, look, &looking, &err);

	if (ret < 0)
		fail_msg("%s", err.text);
	if (words && !looking.found)
		fail_msg("no fault has '%s'", words);
	return ret;
}

static char folder[64];

int fixture_folder_setup(void **state)
{
	strcpy(folder, "/tmp/stackmap-test.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static size_t each_file(void (*fn)(const char *path))
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[512];
	size_t nr = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		nr++;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (fn)
			fn(path);
	}
	closedir(dir);
	return nr;
}

static void remove_file(const char *path)
{
	if (unlink(path))
		rmdir(path);
}

int fixture_folder_teardown(void **state)
{
	chmod(folder, 0755);
	each_file(remove_file);
	return rmdir(folder);
}

size_t fixture_nr_files(void)
{
	return each_file(NULL);
}

const char *fixture_path(const char *name)
{
	static char paths[8][256];
	static unsigned int next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

void fixture_write(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
}

void fixture_read(const char *path, struct smap_buf *buf)
{
	FILE *file = fopen(path, "rb");
	char part[4096];
	size_t got;

	assert_non_null(file);
	while ((got = fread(part, 1, sizeof(part), file)))
		smap_buf_add(buf, part, got);
	fclose(file);
	assert_false(smap_buf_failed(buf));
}

const char *fixture_data(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", getenv("SMAP_TEST_DATA"), name);
	return path;
}

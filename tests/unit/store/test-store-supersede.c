// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A later save that makes an older one needless: found by a writer, believed by readers as far as
 * they can look, and left out in the end.
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "alloc-fail.h"
#include "store/writer.h"

#define OTHER_BOOT	"00000000-1111-2222-3333-444444444444"

static const struct smap_fingerprint trace = { 7, 1000, 1, 2 };

#define STACK(slot, name)	"stack_id " #slot " gen 1 ref 1 depth 1\n => " name "+0x0/0x10\n"

static const char one[] = STACK(1, "one");
static const char two[] = STACK(1, "one") STACK(2, "two");
static const char three[] = STACK(1, "one") STACK(2, "two") STACK(3, "three");
static const char differs[] = STACK(1, "other") STACK(2, "two");
static const char gen2[] = "stack_id 1 gen 2 ref 1 depth 1\n => one+0x0/0x10\n";
static const char both[] = STACK(1, "one") "stack_id 1 gen 2 ref 1 depth 1\n => one+0x0/0x10\n";

static const char *path(void)
{
	return fixture_path("a.stackmap");
}

/* ---- writing ---- */

static int parse_input(struct smap_save_input *input, struct smap_export **ret_export,
		       struct smap_findings *findings)
{
	int ret = smap_parse(input->export, input->export_len, ret_export, &input->order,
			     findings, NULL);

	input->parsed = ret ? NULL : *ret_export;
	input->findings = findings;
	return ret;
}

/* As a saver does. */
static int save_input(struct smap_save_input input)
{
	struct smap_writer *writer = NULL;
	struct smap_export *export;
	struct smap_findings findings;
	uint64_t len;
	int ret;

	ret = parse_input(&input, &export, &findings);
	if (ret)
		return ret;
	ret = smap_writer_open(path(), &writer, NULL);
	if (!ret)
		ret = smap_writer_append(writer, &input, &len, NULL);
	smap_writer_close(writer);
	smap_export_free(export);
	return ret;
}

static int save(const char *export)
{
	return save_input(fixture_input(export));
}

static void save_of_boot(const char *export, const char *boot_id)
{
	struct smap_save_input input = fixture_input(export);

	input.origin.has_boot_id = boot_id;
	if (boot_id)
		assert_int_equal(smap_boot_id_parse(boot_id, input.origin.boot_id), 0);
	assert_int_equal(save_input(input), 0);
}

/* Bit n: save n is superseded, or tied to the trace. */
static unsigned int bits_of(struct smap_store *store, bool tied)
{
	unsigned int bits = 0;
	size_t i;

	assert_int_equal(smap_store_nr_damages(store), 0);
	assert_int_equal(fixture_verify(store, NULL), 0);
	if (tied)
		assert_int_equal(smap_store_mark_tied(store, &trace), 0);
	for (i = 0; i < smap_store_nr_saves(store); i++)
		bits |= (unsigned int)(tied ? smap_store_save(store, i)->is_tied :
				       smap_store_save(store, i)->is_superseded) << i;
	return bits;
}

static unsigned int bits_in_file(bool tied, size_t nr)
{
	struct smap_store *store;
	unsigned int bits;

	assert_int_equal(smap_store_open(path(), &store, NULL), 0);
	assert_int_equal(smap_store_nr_saves(store), nr);
	bits = bits_of(store, tied);
	smap_store_close(store);
	return bits;
}

static void superseded_is(size_t nr, unsigned int bits)
{
	assert_int_equal(bits_in_file(false, nr), bits);
}

static void tied_is(size_t nr, unsigned int bits)
{
	assert_int_equal(bits_in_file(true, nr), bits);
}

static void a_fuller_save_of_the_same_map_supersedes_the_older(void **state)
{
	save(one);
	save(two);
	superseded_is(2, 1);
	/* All of the file but the last is needless by then. */
	save(three);
	superseded_is(1, 0);
}

static void with_stacks(unsigned int nr)
{
	struct smap_buf older = SMAP_BUF_INIT, export = SMAP_BUF_INIT;
	char last[32];
	unsigned int i;

	for (i = 0; i < nr; i++)
		smap_buf_addf(&older, "stack_id %u gen 1 ref 1 depth 1\n => f%u+0x0/0x10\n", 2 * i,
			      i * 7919);
	for (i = 0; i < nr; i++)
		smap_buf_addf(&export, "stack_id %u gen 1 ref 2 depth 1\n => f%u+0x0/0x10\n"
			      "stack_id %u gen 1 ref 1 depth 1\n => g%u+0x0/0x10\n", 2 * i,
			      i * 7919, 2 * i + 1, i * 7919);
	save(older.data);
	save(export.data);
	superseded_is(2, 1);
	unlink(path());
	save(older.data);
	/* The last frame of the last stack that the older one has. */
	snprintf(last, sizeof(last), "f%u+", (nr - 1) * 7919);
	*strstr(export.data, last) = 'h';
	save(export.data);
	superseded_is(2, 0);
	unlink(path());
	smap_buf_free(&older);
	smap_buf_free(&export);
}

/* Longer than a window; and longer than what is decoded at once, 4 MiB. */
static void also_where_both_are_long(void **state)
{
	with_stacks(5000);
	with_stacks(100000);
}

static void one_that_does_not_hold_all_of_it_does_not(void **state)
{
	save(two);
	save(one);
	save(differs);
	superseded_is(3, 0);
}

static void nor_does_one_of_another_map(void **state)
{
	save(one);
	save(gen2);
	save(both);
	save_of_boot(one, OTHER_BOOT);
	save_of_boot(two, NULL);
	superseded_is(5, 0);
}

static void nor_one_without_its_symbols(void **state)
{
	struct smap_save_input input = fixture_input(one);

	input.symbols = fixture_symbols;
	input.symbols_len = strlen(fixture_symbols);
	save_input(input);
	save(two);
	superseded_is(2, 0);
	input = fixture_input(three);
	input.symbols = fixture_symbols;
	input.symbols_len = strlen(fixture_symbols);
	save_input(input);
	superseded_is(1, 0);
}

static void tie(void)
{
	assert_int_equal(smap_store_tie(path(), &trace, NULL), 0);
}

static void what_was_tied_stays_so_in_the_one_that_holds_all_of_it(void **state)
{
	save(one);
	tie();
	save(two);
	tied_is(2, 3);
}

static void also_where_it_was_left_out_since(void **state)
{
	save(one);
	tie();
	save(two);
	save(three);
	save(STACK(1, "one") STACK(2, "two") STACK(3, "three") STACK(4, "four"));
	save(gen2);
	/* The first two are gone; the fourth does not name what was tied, but the third did. */
	superseded_is(3, 1);
	tied_is(3, 1 | 2);
}

/* ---- lists that nobody of us writes ---- */

/* Add a save of @export that names these as superseded; returns its own number. */
static uint64_t add_list(struct smap_buf *buf, const char *export, const uint64_t *sums, size_t nr)
{
	struct smap_save_input input = fixture_input(export);
	struct smap_block_header disk;
	size_t at;

	input.superseded = sums;
	input.nr_superseded = nr;
	at = fixture_add_input(buf, &input);
	memcpy(&disk, buf->data + at, sizeof(disk));
	return le64toh(disk.data_checksum);
}

static void superseded_in_memory(const struct smap_buf *buf, unsigned int bits)
{
	struct smap_store *store = fixture_open(buf);

	assert_int_equal(bits_of(store, false), bits);
	smap_store_close(store);
}

static void one_that_stands_behind_it_is_not_superseded(void **state)
{
	struct smap_buf later = SMAP_BUF_INIT, buf = SMAP_BUF_INIT;
	uint64_t sum;

	sum = add_list(&later, one, NULL, 0);
	fixture_add_header(&buf);
	add_list(&buf, two, &sum, 1);
	assert_int_equal(add_list(&buf, one, NULL, 0), sum);
	superseded_in_memory(&buf, 0);
	smap_buf_free(&later);
	smap_buf_free(&buf);
}

/*
 * Nobody knows a number before what it is the checksum of is written: a save that names itself, or
 * one that names it, needs numbers that collide. Two blocks of the same bytes have the same one.
 */
static void blocks_of_one_number_leave_one_that_counts(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	uint64_t sum, sums[3];

	fixture_add_header(&buf);
	sum = add_list(&buf, one, NULL, 0);
	assert_int_equal(add_list(&buf, one, NULL, 0), sum);
	sums[0] = sums[1] = sum;
	sums[2] = ~sum;
	sum = add_list(&buf, two, sums, 3);
	assert_int_equal(add_list(&buf, two, sums, 3), sum);
	superseded_in_memory(&buf, 1);
	add_list(&buf, three, &sum, 1);
	superseded_in_memory(&buf, 1 | 4);
	smap_buf_free(&buf);
}

static void one_of_another_map_is_not_superseded(void **state)
{
	struct smap_save_input unknown = fixture_input(one);
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_store *store;
	uint64_t sums[3];
	size_t i;

	unknown.origin.has_boot_id = false;
	fixture_add_header(&buf);
	add_list(&buf, gen2, NULL, 0);
	add_list(&buf, both, NULL, 0);
	fixture_add_input(&buf, &unknown);
	store = fixture_open(&buf);
	for (i = 0; i < 3; i++)
		sums[i] = store->blocks[i].data_checksum;
	smap_store_close(store);
	add_list(&buf, two, sums, 3);
	superseded_in_memory(&buf, 0);
	/* Nor by one that holds more than one, whatever it says. */
	add_list(&buf, both, sums, 3);
	superseded_in_memory(&buf, 0);
	smap_buf_free(&buf);
}

static void a_list_that_is_cut_is_damage(void **state)
{
	static const char list[] = "not of eight";
	struct smap_buf buf = SMAP_BUF_INIT, sections = SMAP_BUF_INIT, good = SMAP_BUF_INIT;
	struct smap_block_header disk;
	struct smap_store *store;
	size_t at;

	at = fixture_add_block(&good, one);
	memcpy(&disk, good.data + at, sizeof(disk));
	smap_buf_add(&sections, good.data + at + sizeof(disk), good.len - at - sizeof(disk));
	fixture_add_section(&sections, SMAP_SECTION_SUPERSEDED, 0, SMAP_CODEC_NONE, sizeof(list),
			    list, sizeof(list));
	fixture_add_header(&buf);
	at = fixture_add_kind(&buf, SMAP_BLOCK_SAVE, 0, le32toh(disk.nr_sections) + 1,
			      sections.data, sections.len);
	store = fixture_open(&buf);
	fixture_damaged(store, 0, at, fixture_block_len(&buf, at), "cut short");
	smap_store_close(store);
	smap_buf_free(&sections);
	smap_buf_free(&good);
	smap_buf_free(&buf);
}

/* ---- without memory ---- */

struct bytes {
	struct smap_buf	buf;
	const char	*export;
};

static int save_once(void *data)
{
	const struct bytes *before = data;

	unlink(path());
	if (before->buf.len)
		fixture_write(path(), before->buf.data, before->buf.len);
	return save(before->export) ? smap_errno(-ENOMEM) : 0;
}

static void no_allocation_that_fails_does_harm(void **state)
{
	struct bytes before = { SMAP_BUF_INIT, one };
	struct smap_store *store;

	alloc_fail_each(save_once, &before);
	superseded_is(1, 0);
	tie();
	save(two);
	fixture_read(path(), &before.buf);
	before.export = three;
	/* To leave out what is needless is a favour, which may fail. */
	alloc_fail_each_tolerant(save_once, &before);
	assert_int_equal(smap_store_open(path(), &store, NULL), 0);
	fixture_holds(store, smap_store_nr_saves(store) - 1, three);
	assert_int_equal(bits_of(store, true) >> (smap_store_nr_saves(store) - 1), 1);
	smap_store_close(store);
	smap_buf_free(&before.buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLDER_TEST(a_fuller_save_of_the_same_map_supersedes_the_older),
		FOLDER_TEST(also_where_both_are_long),
		FOLDER_TEST(one_that_does_not_hold_all_of_it_does_not),
		FOLDER_TEST(nor_does_one_of_another_map),
		FOLDER_TEST(nor_one_without_its_symbols),
		FOLDER_TEST(what_was_tied_stays_so_in_the_one_that_holds_all_of_it),
		FOLDER_TEST(also_where_it_was_left_out_since),
		cmocka_unit_test(one_that_stands_behind_it_is_not_superseded),
		cmocka_unit_test(blocks_of_one_number_leave_one_that_counts),
		cmocka_unit_test(one_of_another_map_is_not_superseded),
		cmocka_unit_test(a_list_that_is_cut_is_damage),
		FOLDER_TEST(no_allocation_that_fails_does_harm),
	};

	return cmocka_run_group_tests_name("store-supersede", tests, NULL, NULL);
}

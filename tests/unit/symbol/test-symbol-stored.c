// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alloc-fail.h"
#include "fixture.h"

static const char table[] =
	"ffffffff81000000 T f\n"
	"ffffffff81000040 t g\n"
	"ffffffff81000050 T \x01\xff[odd]\xc3\xa4?\n"
	"ffffffff81000060 T _etext\n"
	"ffffffffc0001000 t nfs_open\t[nfs]\n"
	"ffffffffc0001010 t nfs_close\t[nfs]\n"
	"ffffffffc0300000 t bpf_prog_07df9015606e4140\t[bpf]\n";

static char *stored_of(const struct smap_symbols *symbols, const uint64_t *addresses, size_t nr)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	char *text;

	smap_symbols_write(symbols, addresses, nr, &buf);
	text = smap_buf_detach(&buf, NULL);
	assert_non_null(text);
	return text;
}

static void only_symbols_that_cover_an_address_are_written(void **state)
{
	static const uint64_t addresses[] = {
		0xffffffffc0001018, 0xffffffff81000004, 0x401234, 0xffffffff81000004,
		0xffffffff81000000, 0xffffffff81000060, UINT64_MAX, 0,
	};
	struct smap_symbols *symbols = table_of(table);
	char *text = stored_of(symbols, addresses, 8);

	assert_string_equal(text, "ffffffff81000000 40 f\nffffffffc0001010 ff0? nfs_close\tnfs\n");
	free(text);
	text = stored_of(symbols, NULL, 0);
	assert_string_equal(text, "");
	free(text);
	smap_symbols_free(symbols);
}

static void assert_same_tables(const struct smap_symbols *a, const struct smap_symbols *b)
{
	const struct smap_symbol *symbol_a, *symbol_b;
	size_t i;

	assert_int_equal(smap_symbols_nr(a), smap_symbols_nr(b));
	for (i = 0; i < smap_symbols_nr(a); i++) {
		symbol_a = smap_symbols_get(a, i);
		symbol_b = smap_symbols_get(b, i);
		assert_int_equal(symbol_a->start, symbol_b->start);
		assert_int_equal(symbol_a->end, symbol_b->end);
		assert_int_equal(symbol_a->has_size, symbol_b->has_size);
		assert_string_equal(symbol_a->name, symbol_b->name);
		assert_int_equal(!symbol_a->module, !symbol_b->module);
		if (symbol_a->module)
			assert_string_equal(symbol_a->module, symbol_b->module);
	}
}

static void what_was_written_reads_back_the_same(void **state)
{
	struct smap_symbols *symbols = table_of(table), *back;
	size_t nr = smap_symbols_nr(symbols), i;
	uint64_t addresses[16];
	char *text, *again;

	assert_int_equal(nr, 6);
	for (i = 0; i < nr; i++)
		addresses[i] = smap_symbols_get(symbols, i)->start;
	text = stored_of(symbols, addresses, nr);
	assert_int_equal(smap_symbols_from_stored(text, strlen(text), &back, NULL), 0);
	assert_same_tables(symbols, back);
	again = stored_of(back, addresses, nr);
	assert_string_equal(again, text);
	free(again);
	free(text);
	smap_symbols_free(symbols);
	smap_symbols_free(back);
}

static void a_stored_table_answers_a_match(void **state)
{
	static const char text[] = "ffffffff81000000 40 f\nffffffff81000040 10? g\n"
				   "ffffffffc0001000 10 nfs_open\tnfs\n";
	struct smap_symbols *symbols;

	assert_int_equal(smap_symbols_from_stored(text, sizeof(text) - 1, &symbols, NULL), 0);
	assert_int_equal(smap_symbols_match(symbols, "f", 1, 0x40), SMAP_SYMBOL_MATCHES);
	assert_int_equal(smap_symbols_match(symbols, "f", 1, 0x41), SMAP_SYMBOL_OTHER_SIZE);
	assert_int_equal(smap_symbols_match(symbols, "g", 1, 0x41), SMAP_SYMBOL_MATCHES);
	assert_int_equal(smap_symbols_match(symbols, "nfs_open", 8, 0x10), SMAP_SYMBOL_ABSENT);
	assert_int_equal(smap_symbols_address(symbols, "g"), 0xffffffff81000040);
	smap_symbols_free(symbols);
}

static void no_bytes_are_a_table_without_symbols(void **state)
{
	struct smap_symbols *symbols;

	assert_int_equal(smap_symbols_from_stored(NULL, 0, &symbols, NULL), 0);
	assert_int_equal(smap_symbols_nr(symbols), 0);
	assert_null(smap_symbols_get(symbols, 0));
	assert_null(smap_symbols_find(symbols, 0xffffffff81000000));
	assert_int_equal(smap_symbols_match(symbols, "f", 1, 0), SMAP_SYMBOL_ABSENT);
	smap_symbols_free(symbols);
}

static void a_damaged_line_is_refused_with_its_number(void **state)
{
	static const struct {
		const char *text;
		const char *words;
	} bad[] = {
		{ "ffffffff81000000 40 f", "symbols: line 1: cut" },
		{ "ffffffff81000000 40 f\nx 40 g\n", "symbols: line 2: not a symbol" },
		{ "\n", "symbols: line 1: not a symbol" },
		{ "1000 40\n", "symbols: line 1: not a symbol" },
		{ "1000 40 \n", "symbols: line 1: not a symbol" },
		{ "1000 0 f\n", "symbols: line 1: not a symbol" },
		{ "1000  40 f\n", "symbols: line 1: not a symbol" },
		{ "1000 40 f m\n", "symbols: line 1: not a symbol" },
		{ "1000 40 f\t\n", "symbols: line 1: not a symbol" },
		{ "1000 40 f\tm \n", "symbols: line 1: not a symbol" },
		{ "1000 40! f\n", "symbols: line 1: not a symbol" },
		{ "ffffffffffffffff 1 f\n", "symbols: line 1: not a symbol" },
		{ "1000 40 f\n1020 40 g\n", "symbols: line 2: lies in the line before" },
		{ "1000 40 f\n800 40 g\n", "symbols: line 2: lies in the line before" },
		{ "1000 40 f\n1000 40 f\n", "symbols: line 2: lies in the line before" },
	};
	struct smap_symbols *symbols = NULL;
	struct smap_error err;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(smap_symbols_from_stored(bad[i].text, strlen(bad[i].text),
							  &symbols, &err), -EBADMSG);
		assert_int_equal(errno, EBADMSG);
		assert_string_equal(err.text, bad[i].words);
		assert_null(symbols);
	}
}

static void a_nul_in_a_stored_name_is_refused(void **state)
{
	static const char text[] = "1000 40 f\0g\n";
	struct smap_symbols *symbols = NULL;

	assert_int_equal(smap_symbols_from_stored(text, sizeof(text) - 1, &symbols, NULL),
			 -EBADMSG);
}

/* ---- a few of many ---- */

#define NR_MANY	1000

/* Names of all lengths, gaps here and there, some without a size. */
static char *many_lines(void)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	unsigned int i;

	for (i = 0; i < NR_MANY; i++)
		smap_buf_addf(&buf, "%llx %x%s f%0*u%s\n", 0xffffffff81000000ULL + i * 0x40,
			      i % 7 ? 0x40 : 0x20, i % 11 ? "" : "?", (int)(i % 50 + 1), i,
			      i % 5 ? "" : "\tnfs");
	return smap_buf_detach(&buf, NULL);
}

/* Every @step-th address from right before the first line to right behind the last. */
static size_t addresses_by(uint64_t *addresses, unsigned int step)
{
	uint64_t address = 0xffffffff80fffff0;
	size_t nr = 0;

	for (; address < 0xffffffff81000000 + NR_MANY * 0x40 + 0x10; address += step)
		addresses[nr++] = address;
	return nr;
}

static void what_is_picked_is_what_would_be_written(void **state)
{
	static const unsigned int steps[] = { 8, 0x40, 0x41, 0x1000, 0x1234 };
	static uint64_t addresses[NR_MANY * 9];
	struct smap_symbols *symbols;
	char *text = many_lines(), *wanted;
	struct smap_buf picked;
	size_t i, nr;

	assert_int_equal(smap_symbols_from_stored(text, strlen(text), &symbols, NULL), 0);
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		nr = addresses_by(addresses, steps[i]);
		wanted = stored_of(symbols, addresses, nr);
		picked = (struct smap_buf)SMAP_BUF_INIT;
		smap_symbols_pick(text, strlen(text), addresses, nr, &picked);
		assert_int_equal(picked.len, strlen(wanted));
		assert_string_equal(picked.data, wanted);
		smap_buf_free(&picked);
		free(wanted);
	}
	free(text);
	smap_symbols_free(symbols);
}

static void all_are_written(void **state)
{
	struct smap_buf buf = SMAP_BUF_INIT;
	struct smap_symbols *symbols;
	char *text = many_lines();

	assert_int_equal(smap_symbols_from_stored(text, strlen(text), &symbols, NULL), 0);
	smap_symbols_write_all(symbols, &buf);
	assert_string_equal(buf.data, text);
	smap_buf_free(&buf);
	free(text);
	smap_symbols_free(symbols);
}

static void nothing_is_picked_where_no_line_covers(void **state)
{
	static const struct {
		const char	*text;
		uint64_t	address;
	} cases[] = {
		{ "", 0x1000 }, { "x\ny\n\n", 0x1000 }, { "1000 10 f", 0x1010 },
		{ "1000 10 f\n", 0xfff }, { "1000 0 f\n", 0x1000 }, { "1000 g\n", 0x1000 },
		{ "fffffffffffffff0 10 f\n", UINT64_MAX }, { "fffffff0 10 f\n", UINT32_MAX },
		{ "fffffffffffffff0 ffff f\n", 0xfffffffffffffff4 },
	};
	struct smap_buf picked = SMAP_BUF_INIT;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		smap_symbols_pick(cases[i].text, strlen(cases[i].text), &cases[i].address, 1,
				  &picked);
	assert_int_equal(picked.len, 0);
	smap_buf_free(&picked);
}

/* "START 10 fff...", as long as @len with its newline. */
static void add_long_line(struct smap_buf *buf, unsigned int start, size_t len)
{
	const size_t until = buf->len + len - 1;

	smap_buf_addf(buf, "%x 10 ", start);
	while (buf->len < until)
		smap_buf_add_char(buf, 'f');
	smap_buf_add_char(buf, '\n');
}

/* One of a billion bytes would take minutes, if each address looked for its end. */
static void a_line_without_an_end_is_none(void **state)
{
	static const uint64_t addresses[] = { 0x1000, 0x2000, 0x3000, 0x4000 };
	struct smap_buf text = SMAP_BUF_INIT, picked = SMAP_BUF_INIT;

	add_long_line(&text, 0x1000, 4096);
	add_long_line(&text, 0x2000, 4096);
	smap_symbols_pick(text.data, text.len, addresses, 4, &picked);
	assert_int_equal(picked.len, text.len);
	smap_buf_reset(&picked);
	add_long_line(&text, 0x3000, 1 << 20);
	smap_symbols_pick(text.data, text.len, &addresses[2], 2, &picked);
	smap_symbols_pick(text.data + 2 * 4096, text.len - 2 * 4096, &addresses[2], 2, &picked);
	assert_int_equal(picked.len, 0);
	smap_buf_free(&text);
	smap_buf_free(&picked);
}

static int read_once(void *data)
{
	struct smap_symbols *symbols;
	int ret = smap_symbols_from_stored(data, strlen(data), &symbols, NULL);

	if (!ret)
		smap_symbols_free(symbols);
	return ret;
}

static int write_once(void *data)
{
	static const uint64_t address = 0xffffffff81000004;
	struct smap_buf buf = SMAP_BUF_INIT;
	int ret = 0;

	smap_symbols_write(data, &address, 1, &buf);
	if (smap_buf_failed(&buf))
		ret = smap_errno(-ENOMEM);
	smap_buf_free(&buf);
	return ret;
}

static void no_memory_is_told_and_leaks_nothing(void **state)
{
	struct smap_symbols *symbols;

	alloc_fail_each(read_once, (void *)"1000 40 f\n2000 40 g\tm\n");
	symbols = table_of(table);
	alloc_fail_each(write_once, symbols);
	smap_symbols_free(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_symbols_that_cover_an_address_are_written),
		cmocka_unit_test(what_was_written_reads_back_the_same),
		cmocka_unit_test(a_stored_table_answers_a_match),
		cmocka_unit_test(no_bytes_are_a_table_without_symbols),
		cmocka_unit_test(a_damaged_line_is_refused_with_its_number),
		cmocka_unit_test(a_nul_in_a_stored_name_is_refused),
		cmocka_unit_test(what_is_picked_is_what_would_be_written),
		cmocka_unit_test(all_are_written),
		cmocka_unit_test(nothing_is_picked_where_no_line_covers),
		cmocka_unit_test(a_line_without_an_end_is_none),
		cmocka_unit_test(no_memory_is_told_and_leaks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bounded reading of files and of memory.
 */
#include "fixture.h"

static int make_file(size_t len)
{
	char name[] = "/tmp/smap-input-XXXXXX";
	int fd = mkstemp(name);
	uint8_t byte;
	size_t i;

	assert_true(fd >= 0);
	unlink(name);
	for (i = 0; i < len; i++) {
		byte = (uint8_t)i;
		assert_int_equal(pwrite(fd, &byte, 1, (off_t)i), 1);
	}
	return fd;
}

static void numbers_are_read_in_the_order_of_the_file(void **state)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 };
	struct smap_trace_input input;
	uint64_t pos = 0, val64;
	uint32_t val32;
	uint16_t val16;

	smap_trace_input_memory(&input, bytes, sizeof(bytes), SMAP_HOST_IS_BIG_ENDIAN, NULL);
	assert_int_equal(smap_trace_read_u16(&input, &pos, &val16, "x"), 0);
	assert_int_equal(smap_trace_read_u32(&input, &pos, &val32, "x"), 0);
	assert_int_equal(smap_trace_read_u64(&input, &pos, &val64, "x"), 0);
	assert_int_equal(val16, 0x0201);
	assert_int_equal(val32, 0x06050403);
	assert_int_equal(val64, 0x0e0d0c0b0a090807);
	pos = 0;
	smap_trace_input_memory(&input, bytes, sizeof(bytes), !SMAP_HOST_IS_BIG_ENDIAN, NULL);
	assert_int_equal(smap_trace_read_u16(&input, &pos, &val16, "x"), 0);
	assert_int_equal(smap_trace_read_u32(&input, &pos, &val32, "x"), 0);
	assert_int_equal(smap_trace_read_u64(&input, &pos, &val64, "x"), 0);
	assert_int_equal(val16, 0x0102);
	assert_int_equal(val32, 0x03040506);
	assert_int_equal(val64, 0x0708090a0b0c0d0e);
}

static void the_window_moves_with_what_is_read(void **state)
{
	struct smap_trace_input input;
	int fd = make_file(10000);
	uint64_t pos;
	uint8_t bytes[4];

	smap_trace_input_file(&input, fd, 10000, false, NULL);
	for (pos = 0; pos <= 10000 - 4; ) {
		assert_int_equal(smap_trace_read(&input, &pos, bytes, 4, "x"), 0);
		assert_int_equal(bytes[3], (uint8_t)(pos - 1));
		pos += 91;
	}
	/* And back. */
	for (pos = 9000; pos > 1000; pos -= 1004) {
		assert_int_equal(smap_trace_read(&input, &pos, bytes, 4, "x"), 0);
		assert_int_equal(bytes[0], (uint8_t)(pos - 4));
	}
	close(fd);
}

static void what_goes_past_the_end_moves_nothing(void **state)
{
	struct smap_error err;
	struct smap_trace_input input;
	uint64_t pos = 5, val = 77;
	int fd = make_file(12);

	smap_trace_input_file(&input, fd, 12, false, &err);
	assert_int_equal(smap_trace_read_u64(&input, &pos, &val, "the number"), -EBADMSG);
	assert_string_equal(err.text, "offset 5: the number is cut off at 12");
	assert_int_equal(pos, 5);
	assert_int_equal(val, 77);
	assert_int_equal(smap_trace_skip(&input, &pos, UINT64_MAX, "x"), -EBADMSG);
	assert_int_equal(pos, 5);
	assert_int_equal(smap_trace_skip(&input, &pos, 7, "x"), 0);
	assert_int_equal(pos, 12);
	pos = UINT64_MAX;
	assert_int_equal(smap_trace_read_u64(&input, &pos, &val, "x"), -EBADMSG);
	close(fd);
}

static void a_file_shorter_than_it_was_is_cut_off(void **state)
{
	struct smap_error err;
	struct smap_trace_input input;
	uint64_t pos = 0, val;
	int fd = make_file(4);

	smap_trace_input_file(&input, fd, 4096, false, &err);
	assert_int_equal(smap_trace_read_u64(&input, &pos, &val, "x"), -EBADMSG);
	assert_string_equal(err.text, "offset 0: data is cut off at 4");
	close(fd);
}

static void a_failed_read_is_told_by_its_errno(void **state)
{
	struct smap_error err;
	char data[4];

	assert_int_equal(smap_trace_pread(-1, 7, data, 4, &err), -EBADF);
	assert_string_equal(err.text, "offset 7: cannot be read");
}

static void a_string_ends_within_its_room(void **state)
{
	struct smap_trace_input input;
	uint64_t pos = 0;
	char text[4];

	smap_trace_input_memory(&input, "abc\0defg\0", 10, false, NULL);
	assert_int_equal(smap_trace_read_string(&input, &pos, text, sizeof(text), "x"), 0);
	assert_string_equal(text, "abc");
	assert_int_equal(pos, 4);
	assert_int_equal(smap_trace_read_string(&input, &pos, text, sizeof(text), "x"), -EBADMSG);
	pos = 0;
	smap_trace_input_memory(&input, "ab", 2, false, NULL);
	assert_int_equal(smap_trace_read_string(&input, &pos, text, sizeof(text), "x"), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_read_in_the_order_of_the_file),
		cmocka_unit_test(the_window_moves_with_what_is_read),
		cmocka_unit_test(what_goes_past_the_end_moves_nothing),
		cmocka_unit_test(a_file_shorter_than_it_was_is_cut_off),
		cmocka_unit_test(a_failed_read_is_told_by_its_errno),
		cmocka_unit_test(a_string_ends_within_its_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

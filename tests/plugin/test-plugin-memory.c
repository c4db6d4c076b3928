// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of a handle - load, two events, unload - with every allocation of the plugin's own
 * failing in turn: it prints what it can, crashes nowhere and leaves nothing behind.
 *
 * The plugin is linked in, and given a handle of libtraceevent's without any trace.dat.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <event-parse.h>
#include <trace-seq.h>

#include "alloc-fail.h"

int TEP_PLUGIN_LOADER(struct tep_handle *tep);
void TEP_PLUGIN_UNLOADER(struct tep_handle *tep);

static const char format[] =
	"name: stack_id\n"
	"ID: 22\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:u64 stack_cookie;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\n"
	"print fmt: \"<stack_id %u>\", (unsigned int)REC->stack_cookie\n";

struct event_bytes {
	uint16_t	type;
	uint8_t		flags;
	uint8_t		preempt_count;
	int32_t		pid;
	uint64_t	cookie;
};

static void print(struct tep_handle *tep, struct trace_seq *seq, uint64_t cookie)
{
	struct event_bytes bytes = { .type = 22, .pid = 1, .cookie = cookie };
	struct tep_record record = { .ts = 1000, .size = sizeof(bytes), .data = &bytes };

	trace_seq_reset(seq);
	tep_print_event(tep, seq, &record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(seq);
}

/* The cookie itself is always there. */
static int live(void *data)
{
	struct trace_seq seq;
	struct tep_handle *tep = tep_alloc();
	int ret;

	assert_non_null(tep);
	assert_int_equal(tep_parse_event(tep, format, strlen(format), "ftrace"), 0);
	trace_seq_init(&seq);
	ret = TEP_PLUGIN_LOADER(tep);
	if (!ret) {
		print(tep, &seq, (1ULL << 32) | 15964);
		assert_int_equal(strncmp(seq.buffer, "<stack_id 15964 gen 1>", 22), 0);
		if (!alloc_fail_has_failed())
			assert_non_null(strstr(seq.buffer, "\n => __schedule+0x61f/0x7a0\n"));
		print(tep, &seq, (9ULL << 32) | 1);
		assert_int_equal(strncmp(seq.buffer, "<stack_id 1 gen 9>", 18), 0);
	}
	TEP_PLUGIN_UNLOADER(tep);
	trace_seq_destroy(&seq);
	tep_free(tep);
	if (ret)
		errno = -ret;
	return ret;
}

static void every_allocation_can_fail(void **state)
{
	assert_true(alloc_fail_each_tolerant(live, NULL) > 10);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_allocation_can_fail),
	};
	char map[4096];

	snprintf(map, sizeof(map), "%s/good/v8/sched.stack_map", getenv("SMAP_TEST_DATA"));
	setenv("TRACE_STACKMAP", map, 1);
	/* One line or more for each failure are no news here. */
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

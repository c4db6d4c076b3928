// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See alloc-fail.h. The live allocations stand in a set of pointers, open addressing, in memory
 * that is not counted itself.
 */
#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alloc-fail.h"

/* So that a function which never stops to fail ends the test, not the day. */
#define MAX_ALLOCATIONS	1000000

void *__real_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__real_realloc(void *ptr, size_t size);
void __real_free(void *ptr);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t nr, size_t size);
void *__wrap_realloc(void *ptr, size_t size);
void *__wrap_reallocarray(void *ptr, size_t nr, size_t size);
void __wrap_free(void *ptr);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t len);
int __wrap_vasprintf(char **ret_text, const char *fmt, va_list ap);
int __wrap_asprintf(char **ret_text, const char *fmt, ...);

static struct {
	size_t	nr_made;
	size_t	fail_at;	/* 0: never */
	bool	all_after;
	bool	has_failed;
} plan;

/* ---- the set of live allocations ---- */

static struct {
	void	**slots;	/* NULL: empty, GONE: was one */
	size_t	size;		/* a power of two */
	size_t	nr_used;	/* with those that are gone */
	size_t	nr_live;
	size_t	bytes;		/* of those */
	size_t	bytes_before;	/* alloc_fail_watch_bytes() */
	size_t	most_bytes;	/* since then */
} live;

static char gone_mark;
#define GONE	((void *)&gone_mark)

static size_t live_home(const void *ptr)
{
	return (size_t)(((uintptr_t)ptr >> 4) * 0x9e3779b97f4a7c15ULL >> 20) & (live.size - 1);
}

/* It is not there: the same room given out again and again takes its old place. */
static void live_put(void *ptr)
{
	size_t at = live_home(ptr);

	while (live.slots[at] && live.slots[at] != GONE)
		at = (at + 1) & (live.size - 1);
	live.nr_used += !live.slots[at];
	live.slots[at] = ptr;
	live.nr_live++;
}

static void live_grow(void)
{
	size_t i, old_size = live.size;
	void **old = live.slots;

	live.size = 1024;
	while (live.size < live.nr_live * 4)
		live.size *= 2;
	live.slots = __real_calloc(live.size, sizeof(*live.slots));
	if (!live.slots)
		abort();
	live.nr_used = live.nr_live = 0;
	for (i = 0; i < old_size; i++)
		if (old[i] && old[i] != GONE)
			live_put(old[i]);
	__real_free(old);
}

static void *live_add(void *ptr)
{
	if (!ptr)
		return NULL;
	if (live.nr_used * 2 >= live.size)
		live_grow();
	live_put(ptr);
	live.bytes += malloc_usable_size(ptr);
	if (live.bytes > live.most_bytes)
		live.most_bytes = live.bytes;
	return ptr;
}

/* What is not there was allocated by someone else. */
static void live_remove(void *ptr)
{
	size_t at;

	if (!ptr || !live.size)
		return;
	for (at = live_home(ptr); live.slots[at]; at = (at + 1) & (live.size - 1)) {
		if (live.slots[at] != ptr)
			continue;
		live.slots[at] = GONE;
		live.nr_live--;
		live.bytes -= malloc_usable_size(ptr);
		return;
	}
}

size_t alloc_fail_nr_live(void)
{
	return live.nr_live;
}

void alloc_fail_watch_bytes(void)
{
	live.bytes_before = live.most_bytes = live.bytes;
}

size_t alloc_fail_most_bytes(void)
{
	return live.most_bytes - live.bytes_before;
}

/* ---- which allocation fails ---- */

void alloc_fail_at(size_t nth, bool all_after)
{
	plan.nr_made = 0;
	plan.fail_at = nth;
	plan.all_after = all_after;
	plan.has_failed = false;
}

size_t alloc_fail_stop(void)
{
	plan.fail_at = 0;
	return plan.nr_made;
}

bool alloc_fail_has_failed(void)
{
	return plan.has_failed;
}

static bool fails_now(void)
{
	plan.nr_made++;
	if (!plan.fail_at || plan.nr_made < plan.fail_at)
		return false;
	if (plan.nr_made > plan.fail_at && !plan.all_after)
		return false;
	plan.has_failed = true;
	errno = ENOMEM;
	return true;
}

/* ---- the functions that are wrapped ---- */

void *__wrap_malloc(size_t size)
{
	return fails_now() ? NULL : live_add(__real_malloc(size));
}

void *__wrap_calloc(size_t nr, size_t size)
{
	return fails_now() ? NULL : live_add(__real_calloc(nr, size));
}

void *__wrap_realloc(void *ptr, size_t size)
{
	void *grown;

	if (fails_now())
		return NULL;
	/* Out of the set first: afterwards the value of @ptr must not be used. */
	live_remove(ptr);
	grown = __real_realloc(ptr, size);
	if (!grown && size)
		abort();
	return live_add(grown);
}

void *__wrap_reallocarray(void *ptr, size_t nr, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(nr, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return __wrap_realloc(ptr, bytes);
}

void __wrap_free(void *ptr)
{
	live_remove(ptr);
	__real_free(ptr);
}

char *__wrap_strndup(const char *text, size_t len)
{
	size_t have = strnlen(text, len);
	char *copy = __wrap_malloc(have + 1);

	if (!copy)
		return NULL;
	memcpy(copy, text, have);
	copy[have] = '\0';
	return copy;
}

char *__wrap_strdup(const char *text)
{
	return __wrap_strndup(text, strlen(text));
}

int __wrap_vasprintf(char **ret_text, const char *fmt, va_list ap)
{
	va_list measure;
	char *text;
	int len;

	va_copy(measure, ap);
	len = vsnprintf(NULL, 0, fmt, measure);
	va_end(measure);
	text = len < 0 ? NULL : __wrap_malloc((size_t)len + 1);
	if (!text)
		return -1;
	vsnprintf(text, (size_t)len + 1, fmt, ap);
	*ret_text = text;
	return len;
}

int __wrap_asprintf(char **ret_text, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = __wrap_vasprintf(ret_text, fmt, ap);
	va_end(ap);
	return len;
}

/* ---- the loop ---- */

static void check_failed_call(size_t nth, int ret, int err, bool tolerant)
{
	if (ret == -ENOMEM && err == ENOMEM)
		return;
	if (ret == 0 && tolerant)
		return;
	fail_msg("allocation %zu failed: got %d with errno %d, not -ENOMEM", nth, ret, err);
}

static size_t fail_each(int (*fn)(void *data), void *data, bool all_after, bool tolerant)
{
	size_t nth, made, live_before = alloc_fail_nr_live();
	int ret, err;

	for (nth = 1; nth < MAX_ALLOCATIONS; nth++) {
		alloc_fail_at(nth, all_after);
		errno = 0;
		ret = fn(data);
		err = errno;
		made = alloc_fail_stop();
		if (alloc_fail_nr_live() != live_before)
			fail_msg("allocation %zu failed: %zu allocations before, %zu after",
				 nth, live_before, alloc_fail_nr_live());
		if (!alloc_fail_has_failed()) {
			if (ret)
				fail_msg("no allocation failed: got %d", ret);
			return made;
		}
		check_failed_call(nth, ret, err, tolerant);
	}
	fail_msg("more than %d allocations", MAX_ALLOCATIONS);
	return 0;
}

size_t alloc_fail_each(int (*fn)(void *data), void *data)
{
	fail_each(fn, data, true, false);
	return fail_each(fn, data, false, false);
}

size_t alloc_fail_each_tolerant(int (*fn)(void *data), void *data)
{
	fail_each(fn, data, true, true);
	return fail_each(fn, data, false, true);
}

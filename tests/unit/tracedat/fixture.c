// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"

#include "core/array.h"

static void read_layout(const char *path, struct layout *layout)
{
	FILE *file = fopen(path, "r");
	struct part *part;
	unsigned long long offset;

	assert_non_null(file);
	layout->nr = 0;
	for (;;) {
		part = &layout->parts[layout->nr];
		if (fscanf(file, "%llu %63[^\n]", &offset, part->name) != 2)
			break;
		part->offset = offset;
		layout->nr++;
		assert_true(layout->nr < 64);
	}
	fclose(file);
}

int make_trace(const char *description, struct layout *layout)
{
	char trace[] = "/tmp/smap-tracedat-XXXXXX", parts[] = "/tmp/smap-layout-XXXXXX";
	int fd = mkstemp(trace), parts_fd = mkstemp(parts);
	char command[1024];
	FILE *tool;

	assert_true(fd >= 0 && parts_fd >= 0);
	assert_non_null(getenv("SMAP_MKTRACE"));
	snprintf(command, sizeof(command), "'%s' --layout %s > %s", getenv("SMAP_MKTRACE"), trace,
		 parts);
	tool = popen(command, "w");
	assert_non_null(tool);
	fputs(description, tool);
	assert_int_equal(pclose(tool), 0);
	if (layout)
		read_layout(parts, layout);
	unlink(trace);
	unlink(parts);
	close(parts_fd);
	return fd;
}

int make_tracef(const char *fmt, ...)
{
	char description[8192];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(description, sizeof(description), fmt, ap);
	va_end(ap);
	return make_trace(description, NULL);
}

uint64_t part_offset(const struct layout *layout, const char *name)
{
	size_t i;

	for (i = 0; i < layout->nr; i++) {
		if (!strcmp(layout->parts[i].name, name))
			return layout->parts[i].offset;
	}
	fail_msg("no part %s", name);
	return 0;
}

struct smap_tracedat *open_trace(int fd)
{
	struct smap_tracedat *tracedat = NULL;
	struct smap_error err = { "" };

	if (smap_tracedat_open_fd(fd, &tracedat, &err))
		fail_msg("%s", err.text);
	close(fd);
	return tracedat;
}

struct smap_tracedat *open_described(const char *description)
{
	return open_trace(make_trace(description, NULL));
}

void assert_refused(int fd, int code, const char *words)
{
	struct smap_tracedat *tracedat = NULL;
	struct smap_error err = { "" };
	int ret;

	ret = smap_tracedat_open_fd(fd, &tracedat, &err);
	assert_true(!ret == !!tracedat);
	if (!ret) {
		ret = smap_tracedat_check_sections(tracedat, &err);
		smap_tracedat_close(tracedat);
	}
	assert_int_equal(ret, code);
	assert_int_equal(errno, -code);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" is not in \"%s\"", words, err.text);
	close(fd);
}

static int take_cookie(uint64_t cookie, uint64_t ts, void *data)
{
	struct scanned *scanned = data;
	size_t capacity = scanned->capacity;

	if (SMAP_ARRAY_GROW(scanned->cookies, scanned->capacity, scanned->nr + 1) ||
	    SMAP_ARRAY_GROW(scanned->times, capacity, scanned->nr + 1))
		return -ENOMEM;
	scanned->cookies[scanned->nr] = cookie;
	scanned->times[scanned->nr++] = ts;
	return 0;
}

int scan_into(const struct smap_tracedat *tracedat, struct scanned *scanned, struct smap_error *err)
{
	*scanned = (struct scanned){ 0 };
	return smap_tracedat_scan(tracedat, take_cookie, scanned, err);
}

struct scanned scan_trace(const struct smap_tracedat *tracedat)
{
	struct smap_error err = { "" };
	struct scanned scanned;

	if (scan_into(tracedat, &scanned, &err))
		fail_msg("%s", err.text);
	return scanned;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

size_t count_distinct(struct scanned *scanned)
{
	size_t i, nr = 0;

	if (scanned->nr)
		qsort(scanned->cookies, scanned->nr, sizeof(*scanned->cookies), by_value);
	for (i = 0; i < scanned->nr; i++)
		nr += !i || scanned->cookies[i] != scanned->cookies[i - 1];
	return nr;
}

void free_scanned(struct scanned *scanned)
{
	free(scanned->cookies);
	free(scanned->times);
}

void poke(int fd, uint64_t offset, uint64_t val, unsigned int size)
{
	uint8_t bytes[8];
	unsigned int i;

	for (i = 0; i < size; i++)
		bytes[i] = (uint8_t)(val >> 8 * i);
	assert_int_equal(pwrite(fd, bytes, size, (off_t)offset), size);
}

uint64_t peek(int fd, uint64_t offset, unsigned int size)
{
	uint8_t bytes[8];
	uint64_t val = 0;
	unsigned int i;

	assert_int_equal(pread(fd, bytes, size, (off_t)offset), size);
	for (i = 0; i < size; i++)
		val |= (uint64_t)bytes[i] << 8 * i;
	return val;
}

char *good_path(const char *name)
{
	char *path = NULL;

	assert_non_null(getenv("SMAP_TEST_DATA"));
	assert_true(asprintf(&path, "%s/good/%s", getenv("SMAP_TEST_DATA"), name) > 0);
	return path;
}

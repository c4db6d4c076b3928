// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * How far back the ring buffer reaches, from per_cpu/cpuN/stats:
 *
 *	entries: 129
 *	oldest event ts:  2725.123456		in the trace clock
 *	now ts:  2730.654321			the same moment as our reading, in that clock
 *
 * The age of the oldest event is the difference, whatever clock that is, if it counts seconds and
 * is never set: "tai" follows the time of day. On CLOCK_BOOTTIME it may be older: a clock can stop
 * while the machine sleeps, and none runs quite as fast as another. Both is allowed for, since
 * somebody is going to throw away what is older.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/export.h"
#include "oldest.h"
#include "room.h"

#define NS_PER_S	1000000000ULL
/* What clocks drift apart at most, as a part of the time that passed; and once more this. */
#define DRIFT_PART	1000
#define SLACK_NS	NS_PER_S

/* The text behind "NAME:" at the begin of a line, without blanks; NULL: no such line. */
static const char *find_value(const char *text, const char *name)
{
	size_t len = strlen(name);
	const char *line = text;

	while (line && *line) {
		if (!strncmp(line, name, len) && line[len] == ':')
			return line + len + 1 + strspn(line + len + 1, " ");
		line = strchr(line, '\n');
		line += line ? 1 : 0;
	}
	return NULL;
}

/* "SECONDS.MICROSECONDS" */
static bool parse_time(const char *value, uint64_t *ret_ns)
{
	unsigned int micros;
	uint64_t seconds;
	int end = 0;

	/* sscanf() takes signs */
	if (!value || *value < '0' || *value > '9' ||
	    sscanf(value, "%10" SCNu64 ".%6u%n", &seconds, &micros, &end) != 2 ||
	    (value[end] != '\n' && value[end]))
		return false;
	*ret_ns = seconds * NS_PER_S + micros * 1000ULL;
	return true;
}

int smap_oldest_parse(const char *text, uint64_t *ret_age_ns)
{
	const char *entries = find_value(text, "entries");
	uint64_t oldest, now;

	if (!entries || *entries < '0' || *entries > '9')
		return -EBADMSG;
	if (!strtoull(entries, NULL, 10))
		return -ENODATA;
	if (!parse_time(find_value(text, "oldest event ts"), &oldest) ||
	    !parse_time(find_value(text, "now ts"), &now) || now < oldest)
		return -EOPNOTSUPP;
	*ret_age_ns = now - oldest;
	return 0;
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t smap_oldest_boot_ns(uint64_t age_ns, uint64_t boot_ns, uint64_t mono_ns)
{
	uint64_t slept = boot_ns > mono_ns ? boot_ns - mono_ns : 0;
	uint64_t back;

	if (__builtin_add_overflow(age_ns, age_ns / DRIFT_PART + SLACK_NS + slept, &back) ||
	    back >= boot_ns)
		return 0;
	return boot_ns - back;
}

/* The largest age of what the CPU has, taken into *age_ns. As smap_oldest_parse(). */
static int look_at_cpu(struct stackmap_live *live, const char *cpu, uint64_t *age_ns)
{
	struct smap_buf text = SMAP_BUF_INIT;
	uint64_t age = 0;
	char name[64];
	int ret;

	if ((size_t)snprintf(name, sizeof(name), "per_cpu/%s/stats", cpu) >= sizeof(name))
		return -EOPNOTSUPP;
	ret = smap_tracefs_read(live->dir, name, &text, &live->err);
	smap_buf_add(&text, "", 1);
	if (!ret)
		ret = smap_buf_failed(&text) ? smap_error_nomem(&live->err) :
					       smap_oldest_parse(text.data, &age);
	if (!ret && age > *age_ns)
		*age_ns = age;
	smap_buf_free(&text);
	return ret;
}

/* -ENODATA: no CPU has an event. */
static int look_at_cpus(struct stackmap_live *live, DIR *folder, uint64_t *ret_age_ns)
{
	bool has_events = false;
	struct dirent *entry;
	int ret;

	*ret_age_ns = 0;
	while ((entry = readdir(folder))) {
		if (strncmp(entry->d_name, "cpu", 3))
			continue;
		ret = look_at_cpu(live, entry->d_name, ret_age_ns);
		if (ret && ret != -ENODATA)
			return ret;
		has_events |= !ret;
	}
	return has_events ? 0 : -ENODATA;
}

static int find_age(struct stackmap_live *live, uint64_t *ret_age_ns)
{
	char *path;
	DIR *folder;
	int ret;

	if (asprintf(&path, "%s/per_cpu", live->dir) < 0)
		return smap_error_nomem(&live->err);
	folder = opendir(path);
	free(path);
	if (!folder)
		return smap_error_set(&live->err, -EOPNOTSUPP, "%s/per_cpu: %m", live->dir);
	ret = look_at_cpus(live, folder, ret_age_ns);
	closedir(folder);
	return ret;
}

/* "local [mono] tai": which is in use? Whoever set another one emptied the ring buffer by that. */
static int check_clock(struct stackmap_live *live)
{
	char clocks[512] = "";
	size_t len;
	int ret;

	ret = smap_tracefs_read_head(live->dir, "trace_clock", clocks, sizeof(clocks) - 1, &len,
				     &live->err);
	if (ret)
		return ret == -ENOENT ? -EOPNOTSUPP : ret;
	return strchr(clocks, '[') && !strstr(clocks, "[tai]") ? 0 : -EOPNOTSUPP;
}

/* A snapshot of the ring buffer holds cookies too, of an age that nobody tells. */
static int check_snapshot(struct stackmap_live *live)
{
	char head[4096] = "";
	size_t len;
	int ret;

	ret = smap_tracefs_read_head(live->dir, "snapshot", head, sizeof(head) - 1, &len,
				     &live->err);
	/* A kernel without snapshots, or an empty one, which is told in a comment. */
	if (ret == -ENOENT || (!ret && strstr(head, "Snapshot is ")))
		return 0;
	return ret ? ret : -EOPNOTSUPP;
}

static int words_of(struct stackmap_live *live, int ret)
{
	if (ret == -ENODATA)
		return smap_error_set(&live->err, ret, "%s: the ring buffer is empty", live->dir);
	if (ret == -EOPNOTSUPP || ret == -EBADMSG)
		return smap_error_set(&live->err, -EOPNOTSUPP,
				      "%s: the trace clock does not count seconds or can be set "
				      "back, or a snapshot holds events: how old they are is not "
				      "known", live->dir);
	return smap_errno(ret);
}

SMAP_PUBLIC int stackmap_live_get_oldest_ns(struct stackmap_live *live, uint64_t *ret_ns)
{
	uint64_t boot = read_clock(CLOCK_BOOTTIME), mono = read_clock(CLOCK_MONOTONIC), age = 0;
	int ret;

	ret = smap_live_look(live);
	if (ret)
		return smap_errno(ret);
	ret = check_clock(live);
	if (!ret)
		ret = check_snapshot(live);
	if (!ret)
		ret = find_age(live, &age);
	if (ret)
		return words_of(live, ret);
	*ret_ns = smap_oldest_boot_ns(age, boot, mono);
	return 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One map, read whole into memory, with what is known of it.
 *
 *	times, origin | stack_map_bin | its addresses named | stack_map where these names are not
 *	enough | stack_map_stat, if it is of the same generation
 *
 * The times are those before the first byte is read: what was recorded until then is in the copy.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "store/layout.h"
#include "store/reader.h"
#include "room.h"

/* A reset overtakes a read of series 4 to 7: it cannot do so for ever. */
#define MAX_TRIES	8

/* ---- origin ---- */

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time))
		return SMAP_TIME_UNKNOWN;
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Of the kernel: a program of 32 bits can run on one of 64. */
static unsigned int word_size(const char *machine)
{
	static const char *const machines[] = {
		"x86_64", "aarch64", "aarch64_be", "ppc64", "ppc64le", "s390x", "riscv64", "mips64",
		"loongarch64", "sparc64", "alpha",
	};
	size_t i;

	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (!strcmp(machines[i], machine))
			return 8;
	return 0;
}

static int set_uname(struct smap_origin *origin)
{
	struct utsname name;

	if (uname(&name))
		return 0;
	origin->release = strdup(name.release);
	origin->version = strdup(name.version);
	origin->machine = strdup(name.machine);
	origin->word_size = word_size(name.machine);
	return origin->release && origin->version && origin->machine ? 0 : -ENOMEM;
}

int smap_read_boot_id(uint8_t boot_id[16], struct smap_error *err)
{
	struct smap_buf text = SMAP_BUF_INIT;
	int ret;

	ret = smap_read_file("/proc/sys/kernel/random/boot_id", NULL, &text, err);
	if (!ret && (!text.len || smap_boot_id_parse(text.data, boot_id)))
		ret = smap_error_set(err, -EINVAL, "boot_id of /proc is none");
	smap_buf_free(&text);
	return ret;
}

/* A container may hide it: then it is unknown. */
static int set_boot_id(struct stackmap_live *live, struct smap_origin *origin)
{
	struct smap_error why = { "" };
	int ret = smap_read_boot_id(origin->boot_id, &why);

	if (ret == -ENOMEM)
		return ret;
	origin->has_boot_id = !ret;
	if (ret)
		smap_live_log(live, "the id of this boot is not known and not saved: %s",
			      why.text);
	return 0;
}

static int set_origin(struct stackmap_live *live, struct smap_copy *copy)
{
	copy->wall_ns = now(CLOCK_REALTIME);
	copy->boot_ns = now(CLOCK_BOOTTIME);
	smap_read_times_take(&copy->read_times);
	copy->origin.random_generation = live->abilities & STACKMAP_CAN_RANDOM_GENERATION;
	copy->origin.byte_order = __BYTE_ORDER == __BIG_ENDIAN ? SMAP_ORDER_BIG : SMAP_ORDER_LITTLE;
	if (set_uname(&copy->origin) || set_boot_id(live, &copy->origin))
		return -ENOMEM;
	return 0;
}

struct smap_copy *smap_copy_new(struct stackmap_live *live)
{
	struct smap_copy *copy = calloc(1, sizeof(*copy));

	if (copy && !set_origin(live, copy))
		return copy;
	smap_copy_free(copy);
	smap_error_nomem(&live->err);
	return NULL;
}

void smap_shot_release(struct smap_shot *shot)
{
	smap_buf_free(&shot->bytes);
	smap_export_free(shot->parsed);
	*shot = (struct smap_shot){ .bytes = SMAP_BUF_INIT };
}

void smap_copy_free(struct smap_copy *copy)
{
	if (!copy)
		return;
	smap_shot_release(&copy->bin);
	smap_shot_release(&copy->text);
	smap_buf_free(&copy->stat);
	smap_buf_free(&copy->symbols);
	smap_origin_release(&copy->origin);
	free(copy);
}

const struct smap_export *smap_copy_export(const struct smap_copy *copy)
{
	return copy->bin.parsed && !copy->text_is_main ? copy->bin.parsed : copy->text.parsed;
}

/* ---- exports ---- */

/* Something of it was not read: it is still in the kernel. In words. */
static bool lacks_something(const struct smap_findings *findings, struct smap_error *ret_words)
{
	static const enum smap_finding kinds[] = {
		SMAP_FINDING_CUT, SMAP_FINDING_MISSING, SMAP_FINDING_NO_TRAILER,
		SMAP_FINDING_TRAILER,
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (smap_findings_get_words(findings, kinds[i], ret_words))
			return true;
	return false;
}

/* What was read. An export that is not complete is none. */
static int parse_shot(struct stackmap_live *live, struct smap_shot *shot, const char *name)
{
	int ret;

	if (!shot->bytes.len)
		return -ENODATA;
	ret = smap_parse_brief(shot->bytes.data, shot->bytes.len, &shot->parsed, &shot->order,
			       &shot->findings, &live->err);
	if (!ret && lacks_something(&shot->findings, &live->err))
		ret = smap_errno(-EBADMSG);
	if (ret)
		smap_error_prefix(&live->err, ret, "%s/%s", live->dir, name);
	return ret;
}

int smap_shot_read_fd(struct stackmap_live *live, struct smap_shot *shot, int fd, const char *name)
{
	int ret;

	ret = smap_tracefs_read_fd(fd, live->dir, name, &shot->bytes, &live->err);
	if (!ret)
		ret = parse_shot(live, shot, name);
	if (ret)
		smap_shot_release(shot);
	return ret;
}

static int read_shot(struct stackmap_live *live, struct smap_shot *shot, const char *name)
{
	unsigned int tries = MAX_TRIES;
	int fd, ret;

	do {
		fd = smap_tracefs_open(live->dir, name, O_RDONLY, &live->err);
		if (fd < 0)
			return fd;
		ret = smap_shot_read_fd(live, shot, fd, name);
		close(fd);
	} while ((ret == -ESTALE || ret == -EBADMSG) && --tries);
	return ret;
}

/* ---- names ---- */

static uint64_t *get_addresses(const struct smap_export *export, size_t *ret_nr)
{
	uint64_t *addresses = calloc(export->nr_frames + 1, sizeof(*addresses));
	size_t i, nr = 0;

	for (i = 0; addresses && i < export->nr_frames; i++)
		if (export->frames[i].kind == SMAP_FRAME_ADDRESS)
			addresses[nr++] = export->frames[i].value;
	*ret_nr = nr;
	return addresses;
}

/* How a table names addresses. */
struct coverage {
	size_t		nr_unnamed;
	uint64_t	unnamed_sum;	/* tells sets of those apart */
	bool		has_made;	/* names of code that the kernel made at run time */
};

static struct coverage get_coverage(const struct smap_names *names, const uint64_t *addresses,
				    size_t nr)
{
	const struct smap_symbol *symbol = NULL;
	struct coverage coverage = { 0 };
	size_t i;

	for (i = 0; i < nr; i++) {
		if (names->symbols)
			symbol = smap_symbols_find(names->symbols, addresses[i]);
		if (!symbol) {
			coverage.unnamed_sum += (addresses[i] ^ addresses[i] >> 29) *
						0x9e3779b97f4a7c15;
			coverage.nr_unnamed++;
		} else if (symbol->module && smap_module_is_made(symbol->module)) {
			coverage.has_made = true;
		}
	}
	return coverage;
}

/*
 * BPF programs come and go without any module: another one may be at the address of one that the
 * table names, and new addresses without a name may be one. To the names of a save all are new: the
 * rest of the table may have theirs.
 */
static bool is_outdated(const struct smap_names *names, const struct coverage *coverage)
{
	if (!names->symbols)
		return false;
	return coverage->has_made ||
	       (coverage->nr_unnamed && coverage->unnamed_sum != names->unnamed_sum);
}

static int update_names(struct stackmap_live *live, uint64_t *addresses, size_t nr,
			size_t *ret_nr_unnamed)
{
	struct smap_names *names = &live->names;
	struct coverage coverage;
	int ret;

	ret = smap_names_update(names, false, &live->err);
	if (ret < 0)
		return ret;
	coverage = get_coverage(names, addresses, nr);
	if (ret == SMAP_NAMES_KEPT && is_outdated(names, &coverage) &&
	    smap_names_take_kept(names, addresses, nr))
		coverage = get_coverage(names, addresses, nr);
	if (ret == SMAP_NAMES_KEPT && is_outdated(names, &coverage)) {
		ret = smap_names_update(names, true, &live->err);
		if (ret < 0)
			return ret;
		coverage = get_coverage(names, addresses, nr);
	}
	names->unnamed_sum = coverage.unnamed_sum;
	*ret_nr_unnamed = coverage.nr_unnamed;
	return 0;
}

static void tell_hidden(struct stackmap_live *live)
{
	if (!live->names.hidden || live->names.has_told)
		return;
	live->names.has_told = true;
	smap_live_log(live, "addresses cannot be named, the text with its names is saved too: %s",
		      live->names.hidden);
}

int smap_copy_name(struct stackmap_live *live, struct smap_copy *copy, bool *ret_named)
{
	size_t nr, nr_unnamed;
	uint64_t *addresses;
	int ret;

	addresses = get_addresses(copy->bin.parsed, &nr);
	if (!addresses)
		return smap_error_nomem(&live->err);
	*ret_named = !nr;
	ret = nr ? update_names(live, addresses, nr, &nr_unnamed) : 0;
	if (!ret && nr) {
		*ret_named = !nr_unnamed;
		if (live->names.symbols)
			smap_symbols_write(live->names.symbols, addresses, nr, &copy->symbols);
		copy->modules = live->names.modules;
		tell_hidden(live);
	}
	free(addresses);
	if (!ret && smap_buf_failed(&copy->symbols)) {
		smap_buf_reset(&copy->symbols);
		*ret_named = false;
		ret = smap_error_nomem(&live->err);
	}
	return ret;
}

/* ---- all of it ---- */

/*
 * 1: it is there, with names for all; 0: the text is needed, and stands in for it where
 * @ret_why has words.
 */
static int read_bin(struct stackmap_live *live, struct smap_copy *copy, struct smap_error *ret_why)
{
	bool named;
	int ret;

	if (!(live->abilities & STACKMAP_CAN_BINARY))
		return 0;
	ret = read_shot(live, &copy->bin, "stack_map_bin");
	if (ret == -ENOMEM || ret == -ENODATA)
		return ret;
	if (ret) {
		*ret_why = live->err;
		return 0;
	}
	ret = smap_copy_name(live, copy, &named);
	return ret ? ret : named;
}

void smap_log_no_names(struct stackmap_live *live)
{
	smap_live_log_loss(live, "%s: saved without it, and without names for some frames",
			   live->err.text);
}

static int read_text(struct stackmap_live *live, struct smap_copy *copy)
{
	int ret = read_shot(live, &copy->text, "stack_map");

	if (ret && ret != -ENOMEM && copy->bin.parsed) {
		smap_log_no_names(live);
		return 0;
	}
	/*
	 * Without a generation nothing would tell that the two are of one map: a moment lies
	 * between them. The one with names is worth more.
	 */
	if (!ret && copy->bin.parsed && !copy->bin.parsed->has_generation) {
		smap_shot_release(&copy->bin);
		smap_buf_reset(&copy->symbols);
	}
	return ret;
}

/* A stat of another generation says nothing of this copy. */
static int read_stat(struct stackmap_live *live, struct smap_copy *copy)
{
	const struct smap_export *export = smap_copy_export(copy);
	struct smap_stat stat;
	bool has_generation;
	int ret;

	ret = smap_tracefs_read(live->dir, "stack_map_stat", &copy->stat, &live->err);
	if (ret == -ENOMEM)
		return smap_error_nomem(&live->err);
	if (ret && ret != -ENOENT)
		smap_live_log(live, "%s: saved without statistics", live->err.text);
	if (ret || smap_stat_parse(copy->stat.data, copy->stat.len, &stat, NULL)) {
		smap_buf_reset(&copy->stat);
		return 0;
	}
	has_generation = stat.has & 1U << SMAP_STAT_GENERATION;
	if (has_generation != export->has_generation ||
	    (has_generation &&
	     stat.value[SMAP_STAT_GENERATION] != export->maps[export->nr_maps - 1].generation))
		smap_buf_reset(&copy->stat);
	return 0;
}

static int no_stacks(struct stackmap_live *live)
{
	return smap_error_set(&live->err, -ENODATA,
			      "%s/stack_map: no stack in it: nothing was recorded with the option "
			      "stackmap, or not since the map was reset or freed", live->dir);
}

int smap_copy_read(struct stackmap_live *live, struct smap_copy *copy)
{
	struct smap_error why = { "" };
	int ret = read_bin(live, copy, &why);

	if (!ret)
		ret = read_text(live, copy);
	if (ret < 0)
		return ret == -ENODATA ? no_stacks(live) : ret;
	if (!smap_copy_export(copy)->nr_stacks)
		return no_stacks(live);
	if (*why.text)
		smap_live_log(live, "%s: the text is saved in its place", why.text);
	return read_stat(live, copy);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SMAP_TRACEFS_OLDEST_H
#define SMAP_TRACEFS_OLDEST_H

#include <stdint.h>

/*
 * The age of the oldest event of per_cpu/cpuN/stats, @text with a NUL behind it. -ENODATA: there is
 * no event; -EOPNOTSUPP: the clock does not count seconds, or was set back; -EBADMSG: these are no
 * such stats.
 */
int smap_oldest_parse(const char *text, uint64_t *ret_age_ns);

/*
 * The CLOCK_BOOTTIME that no event of this age was before, for sure; 0 where that is no time at
 * all. @boot_ns, @mono_ns: CLOCK_BOOTTIME and CLOCK_MONOTONIC of now.
 */
uint64_t smap_oldest_boot_ns(uint64_t age_ns, uint64_t boot_ns, uint64_t mono_ns);

#endif /* SMAP_TRACEFS_OLDEST_H */

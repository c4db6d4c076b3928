/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments that are a number with a unit. Each gives false, after cmd_error(), for what is none.
 */
#ifndef CMD_UNITS_H
#define CMD_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/* "75%" or "75"; 1 to 100. */
bool units_parse_percent(const char *option, const char *value, unsigned int *ret_percent);
/* "500ms", "90s", "90", "10m", "12h", "7d"; not 0. */
bool units_parse_time(const char *option, const char *value, uint64_t *ret_ns);
/* "65536", "64K", "64M", "2G", in powers of 1024; not 0. */
bool units_parse_size(const char *option, const char *value, uint64_t *ret_len);

#endif /* CMD_UNITS_H */

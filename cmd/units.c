// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "units.h"

struct unit {
	const char	*name;
	uint64_t	factor;
};

static const struct unit time_units[] = {
	{ "ms", 1000000ULL },
	{ "", 1000000000ULL },
	{ "s", 1000000000ULL },
	{ "m", 60 * 1000000000ULL },
	{ "h", 3600 * 1000000000ULL },
	{ "d", 86400 * 1000000000ULL },
	{ NULL, 0 }
};

static const struct unit size_units[] = {
	{ "", 1 },
	{ "K", 1ULL << 10 },
	{ "M", 1ULL << 20 },
	{ "G", 1ULL << 30 },
	{ "T", 1ULL << 40 },
	{ NULL, 0 }
};

/* 0: no such unit */
static uint64_t find_factor(const struct unit *units, const char *name)
{
	for (; units->name; units++) {
		if (!strcmp(units->name, name))
			return units->factor;
	}
	return 0;
}

static bool parse(const struct unit *units, const char *value, uint64_t *ret_number)
{
	unsigned long long number;
	uint64_t factor, product;
	char *end;

	/* strtoull() takes blanks and signs */
	if (*value < '0' || *value > '9')
		return false;
	errno = 0;
	number = strtoull(value, &end, 10);
	factor = find_factor(units, end);
	if (errno || !number || !factor || __builtin_mul_overflow(number, factor, &product))
		return false;
	*ret_number = product;
	return true;
}

bool units_parse_time(const char *option, const char *value, uint64_t *ret_ns)
{
	if (parse(time_units, value, ret_ns))
		return true;
	cmd_error("%s: '%s' is no time; say it as 500ms, 90s, 10m, 12h or 7d", option, value);
	return false;
}

bool units_parse_size(const char *option, const char *value, uint64_t *ret_len)
{
	if (parse(size_units, value, ret_len))
		return true;
	cmd_error("%s: '%s' is no size; say it as 65536, 64K, 64M or 2G", option, value);
	return false;
}

bool units_parse_percent(const char *option, const char *value, unsigned int *ret_percent)
{
	static const struct unit percent[] = { { "%", 1 }, { "", 1 }, { NULL, 0 } };
	uint64_t number;

	if (parse(percent, value, &number) && number <= 100) {
		*ret_percent = (unsigned int)number;
		return true;
	}
	cmd_error("%s: '%s' is no part; say it as 75%%", option, value);
	return false;
}

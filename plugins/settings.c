// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "say.h"
#include "settings.h"
#include "stackmap.h"

#define ALIAS	"stackmap"

/* Order of the array below. */
enum {
	OPTION_FILE,
	OPTION_ONE_LINE,
	OPTION_NAMES,
	OPTION_RAW,
	OPTION_PROOF,
	OPTION_DEPTH,
	OPTION_GENERATION,
	NR_OPTIONS
};

/* One with a value must not start as NULL: libtraceevent would take it for a switch. */
#define WITH_VALUE	""

/* libtraceevent has no const there, and writes to none of them. */
#define TEXT(string)	((char *)(string))

static struct tep_plugin_option options[NR_OPTIONS + 1] = {
	[OPTION_FILE] = {
		.name = TEXT("file"),
		.plugin_alias = TEXT(ALIAS),
		.description = TEXT("Saved map, or copy of stack_map, to use; A:B for several"),
		.value = WITH_VALUE,
	},
	[OPTION_ONE_LINE] = {
		.name = TEXT("oneline"),
		.plugin_alias = TEXT(ALIAS),
		.description = TEXT("Print the frames of a stack in one line, innermost first"),
	},
	[OPTION_NAMES] = {
		.name = TEXT("names"),
		.plugin_alias = TEXT(ALIAS),
		.description = TEXT("Print functions without offset, size and module"),
	},
	[OPTION_RAW] = {
		.name = TEXT("raw"),
		.plugin_alias = TEXT(ALIAS),
		.description = TEXT("Print bare cookies"),
	},
	[OPTION_PROOF] = {
		.name = TEXT("proof"),
		.plugin_alias = TEXT(ALIAS),
		.description = TEXT("Use no map that is not proven to be of the trace"),
	},
	[OPTION_DEPTH] = {
		.name = TEXT("depth"),
		.plugin_alias = TEXT(ALIAS),
		.description = TEXT("Most frames to print of a stack"),
		.value = WITH_VALUE,
	},
	[OPTION_GENERATION] = {
		.name = TEXT("generation"),
		.plugin_alias = TEXT(ALIAS),
		.description = TEXT("Map that cookies without a generation are of"),
		.value = WITH_VALUE,
	},
};

static void set_defaults(bool in_kernelshark)
{
	size_t i;

	for (i = 0; i < NR_OPTIONS; i++) {
		options[i].set = 0;
		if (options[i].value)
			options[i].value = WITH_VALUE;
	}
	options[OPTION_ONE_LINE].set = in_kernelshark;
}

int smap_settings_register(bool in_kernelshark)
{
	set_defaults(in_kernelshark);
	return tep_plugin_add_options(ALIAS, options) ? -ENOMEM : 0;
}

void smap_settings_unregister(void)
{
	tep_plugin_remove_options(options);
}

/* false: no number was given, or none that fits. */
static bool read_u32(const struct tep_plugin_option *option, uint32_t *ret_number)
{
	unsigned long long number;
	char *end;

	if (!*option->value)
		return false;
	errno = 0;
	number = strtoull(option->value, &end, 0);
	if (errno || *end || !isdigit((unsigned char)*option->value) || number > UINT32_MAX) {
		smap_say(option->value, "option %s takes a number of at most 32 bits",
			 option->name);
		return false;
	}
	*ret_number = number;
	return true;
}

void smap_settings_read(struct smap_settings *ret_settings)
{
	struct smap_settings settings = { .path = NULL };
	uint32_t depth;

	if (*options[OPTION_FILE].value)
		settings.path = options[OPTION_FILE].value;
	settings.raw = options[OPTION_RAW].set;
	settings.one_line = options[OPTION_ONE_LINE].set;
	settings.names = options[OPTION_NAMES].set;
	settings.proof = options[OPTION_PROOF].set;
	if (read_u32(&options[OPTION_DEPTH], &depth))
		settings.max_frames = depth;
	settings.has_generation = read_u32(&options[OPTION_GENERATION], &settings.generation);
	*ret_settings = settings;
}

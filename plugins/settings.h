/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The plugin's options, as libtraceevent keeps them, and what they mean.
 *
 * libtraceevent writes them into a static array that all handles share, and an option without a
 * value flips what is there. So the array is filled once, when the first handle loads the plugin,
 * and each handle reads it at its first event: by then whatever the program sets is set.
 */
#ifndef SMAP_PLUGINS_SETTINGS_H
#define SMAP_PLUGINS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct smap_settings {
	const char	*path;		/* file=PATH; NULL: not given */
	bool		raw;		/* bare cookies */
	bool		one_line;
	bool		names;
	bool		proof;		/* no map that is not proven to be of the trace */
	unsigned int	max_frames;	/* 0: all */
	bool		has_generation;
	uint32_t	generation;
};

/* Start from the defaults, those for KernelShark if @in_kernelshark. Returns 0 or -ENOMEM. */
int smap_settings_register(bool in_kernelshark);
void smap_settings_unregister(void);

/* A value that is not understood is told to the user and left aside. */
void smap_settings_read(struct smap_settings *ret_settings);

#endif /* SMAP_PLUGINS_SETTINGS_H */

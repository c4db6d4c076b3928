/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder of `watch`: one saved-map file a boot, whose name tells when the boot began and which
 * one it was, so that names sort by time and a boot finds its file again.
 *
 *	/var/lib/trace-stackmap/
 *	  20261128T073012Z-6a9f0f63-1d0b-4c0f-8a5e-0123456789ab.stackmap
 *	  20261129T081507Z-0c4d7c1e-9f0a-4b8e-b1e5-ba9876543210.stackmap
 *
 * Other files in it are not touched, nor counted.
 */
#ifndef CMD_FOLDER_H
#define CMD_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include <stackmap.h>

#define FOLDER_BOOT_ID_LEN	36

struct folder_bounds {
	uint64_t	max_len;	/* bytes of all files together; 0: any */
	uint64_t	max_age_ns;	/* 0: any */
	bool		drops_live;	/* also what the ring buffer may still need */
};

/* The times of now, and what of this boot may be dropped. */
struct folder_now {
	uint64_t	wall_ns;	/* since 1970 */
	uint64_t	boot_ns;	/* CLOCK_BOOTTIME */
	/* No event of the ring buffer is older, on that clock; 0: who knows */
	uint64_t	oldest_ns;
};

struct folder_trimmed {
	size_t		nr_saves;	/* that were dropped */
	uint64_t	len;		/* bytes of them */
	uint64_t	over_len;	/* bytes that are still too many: all may be needed */
	uint64_t	unread_len;	/* bytes of files that cannot be read: they do not count */
	/*
	 * Files that cannot be read, or not be made smaller now. They do not count for the size:
	 * all others would have to go for them.
	 */
	size_t		nr_stuck;
	char		stuck[1024];	/* what is wrong with the first one; escaped */
};

/* Make the folder where it is not there (not those above it). CMD_OK, or CMD_FAILED, said. */
int folder_make(const char *folder);

/*
 * The file of this boot: the one that is there, else the name that it is to have. Memory for
 * free(), or NULL after cmd_error().
 */
char *folder_find(const char *folder, const char boot_id[FOLDER_BOOT_ID_LEN + 1],
		  uint64_t boot_wall_ns);

/*
 * Keep the folder within its bounds: the oldest saves go first, all of a generation together, those
 * of @current (the file of this boot) only where no event in the ring buffer can need them. CMD_OK,
 * also where files are stuck, or CMD_FAILED after cmd_error(); @ret_trimmed is filled in either
 * case.
 */
int folder_trim(const char *folder, const char *current, const struct folder_bounds *bounds,
		const struct folder_now *now, struct folder_trimmed *ret_trimmed);

/* Bytes of all its files, without opening them. CMD_OK, or CMD_FAILED after cmd_error(). */
int folder_len(const char *folder, uint64_t *ret_len);

#endif /* CMD_FOLDER_H */

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The map of the running kernel: the only code that opens files of tracefs.
 *
 *	place.c		where tracefs is, and one of its files opened, read, written; the words for
 *			each way in which that fails
 *	kernel.c	what this kernel can, told from what its files say
 *	names.c		/proc/kallsyms, kept while no module came or went, by the store as well
 *	copy.c		one map read whole: exports, statistics, names, origin
 *	live.c		the object; option, statistics, reset, free
 *	follow.c	the map for a resolver, read again as it grows
 *	save.c		a copy made durable, also in another place than was asked for
 *	rotate.c	the order that loses nothing
 *
 * Files are found anew for each operation and none stays open behind it: tracefs may be unmounted
 * and mounted elsewhere, and a map that is held costs memory.
 */
#ifndef SMAP_TRACEFS_ROOM_H
#define SMAP_TRACEFS_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buf.h"
#include "core/error.h"
#include "core/map.h"
#include "parse/parse.h"
#include "stackmap.h"
#include "store/store.h"
#include "store/writer.h"
#include "symbol/symbol.h"

/* ---- place.c ---- */

/* The folder of the instance, to be freed. Errors as those of stackmap_live_open(). */
int smap_tracefs_find(struct tracefs_instance *instance, char **ret_dir, struct smap_error *err);

/* DIR/NAME with open(2)'s @flags. Returns a descriptor, or negative errno with words. */
int smap_tracefs_open(const char *dir, const char *name, int flags, struct smap_error *err);
/* 1, 0 or -ENOMEM */
int smap_tracefs_has(const char *dir, const char *name);

/* To the end. Nothing of a read that fails is left in @buf. -ESTALE: a reset overtook it. */
int smap_tracefs_read_fd(int fd, const char *dir, const char *name, struct smap_buf *buf,
			 struct smap_error *err);
int smap_tracefs_read(const char *dir, const char *name, struct smap_buf *buf,
		      struct smap_error *err);
/* The first bytes: up to @size of them, as many as one read gives. */
int smap_tracefs_read_head(const char *dir, const char *name, char *head, size_t size,
			   size_t *ret_len, struct smap_error *err);

/* All of @text in one write. Negative errno with words; EINTR only where a signal kills. */
int smap_tracefs_write_fd(int fd, const char *dir, const char *name, const char *text,
			  struct smap_error *err);
int smap_tracefs_write(const char *dir, const char *name, const char *text, struct smap_error *err);

/* ---- kernel.c ---- */

/* STACKMAP_CAN_ bits, or as stackmap_live_open(). */
int smap_kernel_look(const char *dir, unsigned int *ret_abilities, struct smap_error *err);

/* ---- names.c ---- */

/* Symbols of the running kernel, and when they were read. */
struct smap_names {
	struct smap_symbols	*symbols;	/* NULL: not read yet, or hidden */
	struct smap_modules	modules;	/* those that were there */
	char			*hidden;	/* why there are none, in words */
	bool			is_read;
	bool			is_part;	/* those of a file: not all of the kernel's */
	/* All of them are kept there, while a writer has it open; NULL: nowhere. */
	struct smap_store	*kept_in;
	uint8_t			boot_id[16];	/* of those */
	bool			has_told;	/* hidden was logged */
	/* Of the addresses that had no name when the table was read last. */
	uint64_t		unnamed_sum;
	uint64_t		stext;		/* where _stext is; 0: hidden */
	bool			stext_known;
};

enum smap_names_result {
	SMAP_NAMES_KEPT,
	SMAP_NAMES_READ,
};

/* Have them as they are now; @again: even if no module came or went. What was done, or -ENOMEM. */
int smap_names_update(struct smap_names *names, bool again, struct smap_error *err);
/*
 * Where none were read yet: those of the last save of boot @boot_id in @store, if no module came or
 * went since. They are a part of the table. Where one is missing, _take_kept has those for the
 * @addresses, which it sorts, if @store has all; false: the table is to be read.
 */
void smap_names_take(struct smap_names *names, struct smap_store *store,
		     const uint8_t boot_id[16]);
bool smap_names_take_kept(struct smap_names *names, uint64_t *addresses, size_t nr);
/*
 * Keep them in the file for other processes, where they were read, are not there yet, and take no
 * more than what is there. A favour, which may fail.
 */
void smap_names_keep(const struct smap_names *names, struct smap_writer *writer);
/*
 * Where _stext is, as a line of stored symbols: KASLR has it elsewhere in each boot. Reads no more
 * of the table than that takes. Adds nothing where it is hidden. 0 or -ENOMEM.
 */
int smap_names_add_stext(struct smap_names *names, struct smap_buf *buf);
void smap_names_release(struct smap_names *names);

/* ---- live.c ---- */


/* Files that hold a map which was swapped out; -1: not open. */
struct smap_held {
	int	map;		/* stack_map, for reading and writing */
	int	bin;
	int	stat;
};

#define SMAP_HELD_NONE	{ -1, -1, -1 }

struct stackmap_live {
	struct tracefs_instance	*instance;
	struct smap_error	err;
	struct smap_buf		*queue;		/* of lines, each with a NUL; NULL: log at once */
	stackmap_log_fn		log;
	void			*log_data;
	char			*dir;		/* found last */
	unsigned int		abilities;
	bool			has_abilities;	/* of what is at dir */
	struct smap_names	names;
	bool			keeps_names;	/* in the files that it saves to */
	unsigned int		lock_ms;	/* to wait for one of them */
	char			*path;		/* where the last save went; NULL: nowhere */
	char			*wanted_path;	/* where it was to go: no memory is needed then */
	struct smap_copy	*pending;	/* of a map that was reset, written nowhere yet */
	struct smap_held	held;		/* that map, where it could not even be read */
	bool			has_rotated;
	uint32_t		rotated;	/* the last generation that was saved closed */
	bool			has_seen;
	uint32_t		seen;		/* the generation as a rotation began */
	bool			has_losses;	/* of the save or rotation that is going on */
	/* For a resolver: follow.c. */
	struct smap_origin	origin;
	bool			has_origin;
	struct {
		bool		is_read;
		struct smap_stat stat;		/* before it was read last */
	} followed;
};

void smap_live_log(const struct stackmap_live *live, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Of something that is in no save. */
void smap_live_log_loss(struct stackmap_live *live, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Until _give_log(), lines are kept: who is told of them may block, or end us, which must not
 * happen while a map is in our hands only, or tracing is paused.
 */
void smap_live_queue_log(struct stackmap_live *live, struct smap_buf *queue);
void smap_live_give_log(struct stackmap_live *live);
/*
 * Find the files anew and see what the kernel can, once. 0 or negative errno, in live->err too.
 */
int smap_live_look(struct stackmap_live *live);

/* What stack_map_stat says: a field that is absent has its bit unset in ret_stat->has. */
int smap_live_stat(struct stackmap_live *live, struct smap_stat *ret_stat);

/* ---- copy.c ---- */

/* One export of a map. */
struct smap_shot {
	struct smap_buf		bytes;
	struct smap_export	*parsed;	/* NULL: none was read */
	struct smap_findings	findings;
	enum smap_byte_order	order;
};

/* All that is known of a map at one moment. */
struct smap_copy {
	struct smap_shot	bin;
	struct smap_shot	text;
	bool			text_is_main;	/* bin is of another generation */
	bool			has_losses;	/* of a pending one: said as it was read */
	struct smap_buf		stat;
	struct smap_buf		symbols;	/* for the addresses of bin */
	struct smap_modules	modules;	/* of which these are */
	struct smap_origin	origin;
	uint64_t		wall_ns;	/* before the first byte was read */
	uint64_t		boot_ns;
	struct smap_read_times	read_times;	/* the same moment; whether known: save.c */
};

/* The id of this boot. 0, -ENOMEM, or negative errno with words. */
int smap_read_boot_id(uint8_t boot_id[16], struct smap_error *err);

struct smap_copy *smap_copy_new(struct stackmap_live *live);
void smap_copy_free(struct smap_copy *copy);

/* The export of the map that was to be copied; NULL: none was read. */
const struct smap_export *smap_copy_export(const struct smap_copy *copy);

/*
 * Read what the kernel has, with names. -ENODATA: no map, or no stack in it.
 */
int smap_copy_read(struct stackmap_live *live, struct smap_copy *copy);

/* The parts of that, for a map that is held through files that are open. */
int smap_shot_read_fd(struct stackmap_live *live, struct smap_shot *shot, int fd, const char *name);
void smap_shot_release(struct smap_shot *shot);
/* The text, of which the names were wanted, failed: live->err. */
void smap_log_no_names(struct stackmap_live *live);
/* Name the addresses; *ret_named: every one of them has a name. 0 or -ENOMEM. */
int smap_copy_name(struct stackmap_live *live, struct smap_copy *copy, bool *ret_named);

/* ---- pause.c ---- */

struct smap_pause {
	int	tracing_on;	/* the file, open */
	pid_t	guard;
	int	line;		/* to it */
};

/* Tracing, which is on, is off until _end(), or until this process ends. 0 or negative errno. */
int smap_pause_begin(struct stackmap_live *live, struct smap_pause *pause);
int smap_pause_end(struct stackmap_live *live, struct smap_pause *pause);

/* ---- rotate.c ---- */

/*
 * Reset through stack_map, open for writing. Tries again for a second where the kernel has no room
 * for one more map at the moment. 0, or negative errno with words.
 */
int smap_reset_fd(struct stackmap_live *live, int fd);
void smap_held_close(struct smap_held *held);
/* What is pending, where it could not be read before. 0, or negative errno: it stays held. */
int smap_held_read_again(struct stackmap_live *live);

/* ---- save.c ---- */

/* Log that no save has the generations behind @last and before @generation. */
void smap_tell_between(struct stackmap_live *live, uint32_t last, uint32_t generation);

/* What is being told to the caller. */
void smap_saved_init(struct stackmap_saved *saved);
void smap_saved_give(const struct stackmap_live *live, struct stackmap_saved *saved,
		     struct stackmap_saved *ret_saved);

/* Append the copy to the store. */
int smap_copy_append(struct stackmap_live *live, const struct smap_copy *copy,
		     struct smap_writer *writer, struct stackmap_saved *saved);
/* Where it cannot be written to @path: to a new file elsewhere, with words. */
int smap_copy_append_elsewhere(struct stackmap_live *live, const struct smap_copy *copy,
			       const char *path, struct stackmap_saved *saved);
/* Lock the store, and write what is pending; keep names in it where that is wanted, unlock it. */
int smap_save_begin(struct stackmap_live *live, const char *path, struct smap_writer **ret_writer);
void smap_save_end(struct stackmap_live *live, struct smap_writer *writer);

/* Before anything is done. */
int smap_check_saved(struct stackmap_live *live, const char *path,
		     const struct stackmap_saved *ret_saved);
/* Once it is: where it went to, if not elsewhere. */
void smap_keep_path(struct stackmap_live *live);

#endif /* SMAP_TRACEFS_ROOM_H */

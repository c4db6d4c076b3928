/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A store that is locked against other writers for as long as its writer lives.
 *
 *	open	the file is there, or is made with a header alone; locked; still that of its name?
 *		| look at its last saves, not at all of it: the map fills meanwhile
 *	append	write behind its end | fsync | fsync the folder; cut back where that fails
 *	close	a file that was made and got no block is removed again; one that is mostly
 *		superseded blocks is written anew without them
 */
#ifndef SMAP_STORE_WRITER_H
#define SMAP_STORE_WRITER_H

#include "store.h"

struct smap_writer;

/*
 * Waits for other writers. Errors as those of smap_store_append(), all of them before anything was
 * changed. Words begin with the path.
 */
int smap_writer_open(const char *path, struct smap_writer **ret_writer, struct smap_error *err);

/* The same, otherwise than usual. */
struct smap_writer_how {
	bool		is_private;	/* what it makes is for its owner alone: not by the umask */
	unsigned int	lock_ms;	/* how long it waits for others */
};
int smap_writer_open_how(const char *path, const struct smap_writer_how *how,
			 struct smap_writer **ret_writer, struct smap_error *err);

/*
 * What stood at its end when it was locked, see smap_store_open_end(); without the blocks appended
 * since; never NULL.
 */
struct smap_store *smap_writer_store(const struct smap_writer *writer);

/*
 * As smap_store_append(). Where @input is of a single generation that smap_writer_store() has from
 * the same boot, and all of an older save is in it, it supersedes that save. @ret_len: bytes
 * written.
 */
int smap_writer_append(struct smap_writer *writer, const struct smap_save_input *input,
		       uint64_t *ret_len, struct smap_error *err);

/*
 * Is a block of kept names of this boot and these modules worth @len bytes? Not where no save was
 * appended or there is one, nor where all that are there would take more than half of what was
 * looked at.
 */
bool smap_writer_wants_names(const struct smap_writer *writer, const uint8_t boot_id[16],
			     const struct smap_modules *modules, uint64_t len);

void smap_writer_close(struct smap_writer *writer);

#endif /* SMAP_STORE_WRITER_H */

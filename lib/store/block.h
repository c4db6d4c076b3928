/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One block of a store, and the store itself as reader and checker see it.
 *
 *	struct smap_store
 *	  saves[nr]	what a block says of itself, for everybody
 *	  blocks[nr]	where its sections lie; not used for a raw export
 *	  damages[]	in the order of their offsets
 *
 * Nothing of a block is kept before the checksum of all its data was right. Whoever comes
 * back to its bytes later checks them again: the file may have changed.
 */
#ifndef SMAP_STORE_BLOCK_H
#define SMAP_STORE_BLOCK_H

#include "codec.h"
#include "layout.h"
#include "store.h"
#include "stream.h"

struct smap_section {
	bool		is_there;
	uint64_t	offset;		/* of its data, from the first section header */
	struct smap_coded coded;
};

struct smap_block {
	uint64_t	offset;		/* of its header, in the store */
	uint64_t	size;		/* of all sections */
	uint64_t	data_checksum;
	uint32_t	nr_sections;
	uint32_t	flags;
	uint16_t	header_size;
	uint16_t	kind;
	struct smap_section sections[SMAP_NR_SECTIONS];
};

/* Block kind 3. */
struct smap_kept_names {
	struct smap_block	block;
	uint8_t			boot_id[16];
	struct smap_modules	modules;
};

struct smap_store {
	struct smap_reader	reader;
	struct smap_stream	*stream;	/* while blocks are looked for */
	uint64_t		store_id;
	uint64_t		to_waste;	/* bytes that may still be checked in vain */
	struct stackmap_save	*saves;
	size_t			saves_capacity;
	struct smap_block	*blocks;
	size_t			blocks_capacity;
	size_t			nr_saves;
	struct smap_tie		*ties;		/* block kind 2, in the order of the file */
	struct smap_block	*tie_blocks;
	size_t			ties_capacity;
	size_t			tie_blocks_capacity;
	size_t			nr_ties;
	struct smap_kept_names	*names;		/* in the order of the file */
	size_t			names_capacity;
	size_t			nr_names;
	struct smap_damage	*damages;
	size_t			damages_capacity;
	size_t			nr_damages;
	struct smap_export	*raw_export;	/* parsed at opening, for the first who asks */
	struct smap_findings	raw_findings;
	bool			is_raw;		/* an export: no header, no blocks */
	bool			is_end_only;	/* nothing before its end was looked at */
};

static inline uint64_t smap_block_len(const struct smap_block *block)
{
	return block->header_size + block->size;
}

enum smap_block_result {
	SMAP_BLOCK_SAVE_READ,	/* block and save are filled in */
	SMAP_BLOCK_TIE_READ,	/* block and tie are */
	SMAP_BLOCK_NAMES_READ,	/* block is, and of save what the origin says */
	SMAP_BLOCK_PASSED,	/* whole, of a kind that we may pass over */
	SMAP_BLOCK_REFUSED,	/* whole, but of no use to us */
	SMAP_BLOCK_BROKEN,	/* nothing in it is to be believed, its size neither */
};

/*
 * Is the header of a block at @offset? Fills in all of @block but its sections. Returns 0,
 * -EBADMSG with words, or the errno of a failed read. @store_id 0: of any store.
 */
int smap_block_read_header(const struct smap_reader *reader, uint64_t offset, uint64_t store_id,
			   struct smap_block *block, struct smap_error *reason);

/* What a block says, whichever of them it is. */
struct smap_content {
	struct stackmap_save	save;
	struct smap_tie		tie;
};

void smap_content_release(struct smap_content *content);

/*
 * Read the block at @offset, where @content was never filled in before. Returns enum
 * smap_block_result, with words in @reason for the last two, or -ENOMEM or the errno of a failed
 * read. @content is to be released where the result is none of the first three, which are for the
 * caller to keep.
 */
int smap_block_read(struct smap_store *store, uint64_t offset, struct smap_block *block,
		    struct smap_content *content, struct smap_error *reason);

/* Room for an export that does not shrink, its stat and its symbols. */
#define SMAP_BLOCK_MAX	(2 * SMAP_READ_MAX)

/*
 * All sections of a block, checked; *ret_room is to be freed. Returns 0, -EBADMSG (changed, or
 * longer than SMAP_BLOCK_MAX), -ENOMEM, or errno of read.
 */
int smap_block_load(const struct smap_reader *reader, const struct smap_block *block,
		    char **ret_room, struct smap_error *err);

/* read.c: a section that is there, decoded; to be freed, NUL behind it. As above. */
int smap_block_bytes(const struct smap_store *store, const struct smap_block *block,
		     enum smap_section_kind kind, char **ret_data, size_t *ret_len,
		     struct smap_error *err);

/* Past SMAP_DAMAGES_MAX of them the last one stands for all that follow. Returns 0 or -ENOMEM. */
#define SMAP_DAMAGES_MAX	1024
int smap_store_add_damage(struct smap_store *store, uint64_t offset, uint64_t len,
			  const char *text);

/* What is wrong with an export that stands at @offset of the store, @len bytes there. */
int smap_store_add_findings(struct smap_store *store, uint64_t offset, uint64_t len,
			    const struct smap_findings *findings);

/* Could these be the first bytes of a store, also of one that is damaged there? @len is not 0. */
bool smap_store_looks_like(const uint8_t *data, size_t len);

/*
 * The file header: fills in the store's store_id, and @ret_offset with where the first block
 * begins. Where the header is damaged but a block stands behind it, that is a damage of the
 * store, else -EBADMSG.
 */
int smap_store_read_header(struct smap_store *store, uint64_t *ret_offset, struct smap_error *err);

/* Look for blocks from the header of the file on. Returns 0 or negative errno with words. */
int smap_store_scan(struct smap_store *store, struct smap_error *err);

/*
 * As smap_store_scan(), but from some block on, so that no more than SMAP_STORE_END bytes are read,
 * or a few times the length of the last save where that is longer.
 */
#define SMAP_STORE_END	(8ULL << 20)
int smap_store_scan_end(struct smap_store *store, struct smap_error *err);

/* The whole of an export that stands alone: one save. Returns 0 or negative errno with words. */
int smap_store_take_raw(struct smap_store *store, struct smap_error *err);

/* Free what was found, but not the reader; it can be looked for again. */
void smap_store_forget(struct smap_store *store);

/* names.c */
const struct smap_kept_names *smap_store_find_names(const struct smap_store *store,
						    const uint8_t boot_id[16],
						    const struct smap_modules *modules);

/* tie.c: does any tie in @store name the save with this checksum? */
bool smap_store_is_in_tie(const struct smap_store *store, uint64_t data_checksum);

#endif /* SMAP_STORE_BLOCK_H */

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Saved maps: reading, appending, checking. The layout stands in layout.h.
 *
 * Whatever the source is (a store file, a store behind another file's contents, a
 * raw export, a pipe with either), a reader sees the same: a list of saves.
 */
#ifndef SMAP_STORE_STORE_H
#define SMAP_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buf.h"
#include "core/error.h"
#include "core/fingerprint.h"
#include "core/map.h"
#include "parse/parse.h"

struct smap_origin {
	uint8_t			boot_id[16];
	bool			has_boot_id;
	char			*release;	/* NULL: unknown, as for the others */
	char			*version;
	char			*machine;
	unsigned int		word_size;	/* 0: unknown */
	enum smap_byte_order	byte_order;
	bool			random_generation; /* each boot begins with a random one */
};

/*
 * Just before the export began to be read, by three clocks. Known only where the map was not reset
 * from then on until it was read completely: all that was recorded before is then in the export.
 */
struct smap_read_times {
	bool			is_known;
	uint64_t		boot_ns;
	uint64_t		mono_ns;
	uint64_t		mono_raw_ns;
};

/*
 * The modules that there were as the symbols were read: a number that is only compared, with that
 * of another moment of the same boot. Names hold until it differs.
 */
struct smap_modules {
	bool			is_known;
	uint64_t		sum;
};

/* Of now, known. */
void smap_read_times_take(struct smap_read_times *times);

void smap_origin_release(struct smap_origin *origin);	/* frees what it points to */

/* "8-4-4-4-12" hex digits with or without dashes. Returns 0 or -EINVAL. */
int smap_boot_id_parse(const char *text, uint8_t boot_id[16]);

struct smap_generation_summary {
	uint32_t	generation;
	uint64_t	nr_stacks;
};

/*
 * One block. Known without decoding the export; the rest through the functions below.
 * It is the public struct stackmap_save itself.
 */
struct stackmap_save {
	struct smap_store	*store;		/* that it is of */
	size_t			nr;		/* in it */
	struct smap_origin	origin;
	uint64_t		saved_wall_ns;	/* SMAP_TIME_UNKNOWN in layout.h */
	uint64_t		saved_boot_ns;
	struct smap_read_times	read_times;
	struct smap_modules	modules;
	bool			is_tied;	/* smap_store_mark_tied() */
	bool			has_generation;
	struct smap_generation_summary *generations;
	size_t			nr_generations;
	uint64_t		nr_records;
	uint64_t		offset;		/* of the block in the store; 0 for a raw export */
	uint64_t		stored_size;	/* bytes that it takes there */
	uint64_t		export_size;	/* bytes of the kernel's export */
	bool			is_raw;		/* the file is the export itself */
	bool			has_stat;
	bool			has_symbols;
	bool			is_superseded;	/* a later save holds all of it */
	uint64_t		*superseded;	/* data checksums of those that this supersedes */
	size_t			nr_superseded;
	char			boot_id_text[37];	/* with dashes, where the origin has one */
};

/* Something that is wrong in a store, and where. */
struct smap_damage {
	uint64_t	offset;		/* in the store */
	uint64_t	len;		/* bytes that are lost by it */
	char		*text;		/* "block: checksum of the data differs", ... */
};

struct smap_store;

/* True for the first bytes of a store file. */
bool smap_store_probe(const void *data, size_t len);

/*
 * Open for reading. _open takes a file (a pipe, tracefs or "-", standard input, is read whole:
 * what is no regular file or says it is empty is read until its end); its words begin with the
 * path. _open_at looks at a store that begins at @offset of the file behind @fd, which is
 * duplicated, and reaches to its end. _open_memory borrows the bytes. Every checksum is looked
 * at, no export is decoded. A raw export is accepted by all. Returns 0 or negative errno with
 * words: -EINVAL (neither store nor export), -EBADMSG (a store whose header is damaged; an empty
 * or all-zero file), -EOPNOTSUPP (written by something newer), -EFBIG (an export longer than
 * SMAP_READ_MAX), errno of open and read. Damaged
 * blocks do not fail it: the saves that are whole are there, see smap_store_damage().
 */
int smap_store_open(const char *path, struct smap_store **ret_store, struct smap_error *err);
int smap_store_open_at(int fd, uint64_t offset, struct smap_store **ret_store,
		       struct smap_error *err);
/*
 * Only what stands at the end of a store that begins at byte 0, for who appends to it: at least the
 * last save that is whole. It costs the same, however long the file is.
 */
int smap_store_open_end(int fd, struct smap_store **ret_store, struct smap_error *err);
int smap_store_open_memory(const void *data, size_t len, struct smap_store **ret_store,
			   struct smap_error *err);
/* The same for memory that the store frees; on failure, too. */
int smap_store_open_owned(char *data, size_t len, struct smap_store **ret_store,
			  struct smap_error *err);
void smap_store_close(struct smap_store *store);

size_t smap_store_nr_saves(const struct smap_store *store);
const struct stackmap_save *smap_store_save(const struct smap_store *store, size_t nr);
size_t smap_store_nr_damages(const struct smap_store *store);
const struct smap_damage *smap_store_damage(const struct smap_store *store, size_t nr);
uint64_t smap_store_size(const struct smap_store *store);

/*
 * Decode the parts of a save. Each is checked against its checksum before use, and bounded
 * by what the stored bytes can really hold. _export: the parsed export (caller frees with
 * smap_export_free()); _bytes: memory to free(), NUL behind it, *ret_len 0 where absent.
 */
int smap_store_export(struct smap_store *store, size_t nr, struct smap_export **ret_export,
		      struct smap_findings *findings, struct smap_error *err);
int smap_store_export_bytes(struct smap_store *store, size_t nr, char **ret_data, size_t *ret_len,
			    struct smap_error *err);
/* Its first bytes only, into @head of *@ret_len bytes; *@ret_len becomes how many there are. */
int smap_store_export_head(struct smap_store *store, size_t nr, void *head, size_t *ret_len,
			   struct smap_error *err);

/*
 * The same a part at a time: the store has to stay open. _read: up to *@len bytes into @room, and
 * *@len becomes how many; 0: the end.
 */
struct smap_export_stream {
	const struct smap_store	*store;
	char			*block;		/* as it is stored */
	struct smap_decoder	*decoder;	/* NULL: a raw export */
	uint64_t		pos;		/* in that */
};
int smap_store_export_begin(struct smap_store *store, size_t nr,
			    struct smap_export_stream *ret_stream, struct smap_error *err);
int smap_store_export_read(struct smap_export_stream *stream, void *room, size_t *len,
			   struct smap_error *err);
void smap_store_export_end(struct smap_export_stream *stream);

int smap_store_stat_bytes(struct smap_store *store, size_t nr, char **ret_data, size_t *ret_len,
			  struct smap_error *err);
int smap_store_symbol_bytes(struct smap_store *store, size_t nr, char **ret_data, size_t *ret_len,
			    struct smap_error *err);

/* The format of an export, told from its first bytes without decoding the rest. */
int smap_store_export_format(struct smap_store *store, size_t nr,
			     const struct smap_parse_ops **ret_format, struct smap_error *err);

/*
 * Check every byte: all checksums, paddings, decoding of each section, and the summary against the
 * export. Slow and suspicious on purpose. Each fault is told to @fn (damages found at opening
 * included). Returns the number of faults, or negative errno.
 */
int smap_store_verify(struct smap_store *store,
		      void (*fn)(const struct smap_damage *damage, void *data), void *data,
		      struct smap_error *err);

/*
 * Saves and the trace that they were recorded with, told by who recorded both. A trace that was
 * only found with saved maps, or is said to belong to them, is no reason for one.
 */
struct smap_tie {
	struct smap_fingerprint	trace;
	uint64_t		*saves;		/* checksum of the data of each block */
	size_t			nr_saves;
};

void smap_tie_release(struct smap_tie *tie);

size_t smap_store_nr_ties(const struct smap_store *store);
/*
 * Set is_tied of each save that was recorded with @trace, or that superseded one which was, and of
 * no other. 0 or -ENOMEM.
 */
int smap_store_mark_tied(struct smap_store *store, const struct smap_fingerprint *trace);
/*
 * Append to the store file @path that all saves which are in it now were recorded with @trace.
 * -EINVAL: a raw export; -ENODATA: no saves; or as smap_store_open() and smap_store_append().
 */
int smap_store_tie(const char *path, const struct smap_fingerprint *trace, struct smap_error *err);

/*
 * All functions that the kernel had as the modules were these, as smap_symbols_write_all() gives
 * them, kept for later saves of the same boot. _has_names: are there any? _kept_names: freed by the
 * caller, NUL behind them. -ENODATA, without words: none are kept; or as above.
 */
bool smap_store_has_names(const struct smap_store *store, const uint8_t boot_id[16],
			  const struct smap_modules *modules);
int smap_store_kept_names(struct smap_store *store, const uint8_t boot_id[16],
			  const struct smap_modules *modules, char **ret_data, size_t *ret_len,
			  struct smap_error *err);

/* What goes into a new block. Pointers are borrowed; lengths 0: absent. */
struct smap_save_input {
	const struct smap_tie	*tie;		/* the block is this, and nothing else counts */
	bool			is_names;	/* it is the symbols, to be kept, and the origin */
	struct smap_origin	origin;
	uint64_t		saved_wall_ns;
	uint64_t		saved_boot_ns;
	struct smap_read_times	read_times;
	struct smap_modules	modules;
	const void		*export;
	size_t			export_len;
	const void		*stat;
	size_t			stat_len;
	const void		*symbols;	/* as smap_symbols_write() makes them */
	size_t			symbols_len;
	const uint64_t		*superseded;	/* data checksums: see supersede.h */
	size_t			nr_superseded;
	/* The export parsed, for who has it already; NULL: it is parsed where that is needed. */
	const struct smap_export *parsed;
	const struct smap_findings *findings;	/* of that */
	enum smap_byte_order	order;
};

/* A random number, never 0, which stands for none. */
uint64_t smap_store_new_id(void);
int smap_store_encode_header(struct smap_buf *buf, uint64_t store_id);

/*
 * The bytes of one block, for a caller that has its own place for them, at a multiple of 8 from the
 * file header. Byte order and word size, where a binary export shows them, overrule those of the
 * input. -EINVAL: not an export, or more than the format can hold; -EBADMSG: an export that cannot
 * be parsed. On failure @buf has what it had.
 */
int smap_store_encode_block(struct smap_buf *buf, uint64_t store_id,
			    const struct smap_save_input *input, struct smap_error *err);

/*
 * Append blocks to the store file at @path, made where it is not there yet (first beside its
 * place under a temporary name, so that no half-made store is ever seen). The file is locked
 * (flock) against another writer, a torn tail is left as it is and passed over, and everything
 * is on disk (fsync of file and folder) before 0 is returned. On failure the file is as it was
 * or has a torn tail that costs nothing. Words begin with the path. -EEXIST: @path is something
 * else than a store; -EBADMSG: it is one with a damaged header, is empty or all zero, and is not
 * touched; -EOPNOTSUPP: it was written by something newer; -EINVAL: @nr_inputs is 0, or as
 * smap_store_encode_block(); -ETIMEDOUT: another process keeps it locked; else errno of opening,
 * locking, writing.
 */
int smap_store_append(const char *path, const struct smap_save_input *inputs, size_t nr_inputs,
		      struct smap_error *err);

/* One save of an open store. */
struct smap_save_ref {
	struct smap_store	*store;
	size_t			nr;
};

/*
 * Append the saves of @from to the store file at @path that are not there yet; as
 * smap_store_append(). Where there is no file it becomes a copy of @from, byte for byte, but
 * without kept names.
 */
int smap_store_append_saves(const char *path, struct smap_store *from, struct smap_error *err);

/*
 * The store that is attached to a trace which ends at @end of the file behind @fd: as
 * smap_store_open_at(), and -ENODATA, without words, where none is: one pread() then.
 */
int smap_store_open_attached(int fd, uint64_t end, struct smap_store **ret_store,
			     struct smap_error *err);

/* What is to be put behind a trace. */
struct smap_attach_input {
	const struct smap_save_ref *saves;
	size_t		nr_saves;
	/* NULL, or a last look right before the first byte is written: 0, or what is returned. */
	int		(*check)(void *data, struct smap_error *err);
	void		*data;			/* for it */
};

/*
 * Put the saves that are not there yet behind the trace that ends at @end of the file behind @fd,
 * which the caller has open for reading and writing, and locked. On failure the file is as it was,
 * or has a tail that nobody looks at. -EEXIST: something else stands there; -EBADMSG: what
 * is attached is damaged where it says how long it is; -EOPNOTSUPP: it is of a newer version; or as
 * smap_store_append().
 */
int smap_attach(int fd, uint64_t end, const struct smap_attach_input *input, size_t *ret_nr_added,
		struct smap_error *err);
/* Cut the file to its trace. */
int smap_detach(int fd, uint64_t end, struct smap_error *err);

/*
 * Write the store file at @path anew without the saves for which @fn gives true: see
 * stackmap_store_drop(). 0 and *ret_nr, or negative errno; words begin with the path.
 */
typedef bool (*smap_drop_fn)(const struct stackmap_save *save, void *data);
int smap_store_drop(const char *path, smap_drop_fn fn, void *data, size_t *ret_nr,
		    struct smap_error *err);

#endif /* SMAP_STORE_STORE_H */

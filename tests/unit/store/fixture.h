/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores in memory and on disk, made from readable exports, and the means to damage them: bytes are
 * changed in place and, where the fault must not be an accident, sealed again with right checksums.
 */
#ifndef SMAP_TESTS_STORE_FIXTURE_H
#define SMAP_TESTS_STORE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/buf.h"
#include "store/block.h"
#include "store/layout.h"
#include "store/store.h"

#define STORE_ID	0x1122334455667788ULL
#define BOOT_ID		"6a9f0f63-1d0b-4c0f-8a5e-0123456789ab"

/* Two exports of series 8, and one of series 4 to 7. */
extern const char fixture_gen1[], fixture_gen2[], fixture_text4[];
extern const char fixture_stat[], fixture_symbols[];

/* A save of @export with a full origin; the strings are constants. */
struct smap_save_input fixture_input(const char *export);

/* @len bytes that do not shrink, other ones for each @seed. */
void fixture_noise(uint8_t *room, size_t len, uint64_t seed);

/* Add the header, or a block with @export, to a store in memory. Returns where it begins. */
size_t fixture_add_header(struct smap_buf *buf);
size_t fixture_add_block(struct smap_buf *buf, const char *export);
size_t fixture_add_input(struct smap_buf *buf, const struct smap_save_input *input);
/* A block of any kind with these sections (their headers included). */
size_t fixture_add_kind(struct smap_buf *buf, unsigned int kind, unsigned int flags,
			unsigned int nr_sections, const void *sections, size_t len);
/* A section, to be put into the above. */
void fixture_add_section(struct smap_buf *buf, unsigned int kind, unsigned int flags,
			 unsigned int codec, uint64_t size, const void *data, size_t len);

/* Compute the checksums of the block, or of the file header, anew. */
void fixture_seal_block(struct smap_buf *buf, size_t block);
void fixture_seal_header(struct smap_buf *buf);
/* Where the data of a section of this kind begin in the block. */
size_t fixture_find_section(const struct smap_buf *buf, size_t block, unsigned int kind);
/* Length of a block. */
size_t fixture_block_len(const struct smap_buf *buf, size_t block);

/* Open what is in memory; fails the test where that fails. The bytes are borrowed. */
struct smap_store *fixture_open(const struct smap_buf *buf);
/* The same, and it has to fail with this. */
void fixture_refused(const struct smap_buf *buf, int code, const char *words);

/* The export of save @nr is this text. */
void fixture_holds(struct smap_store *store, size_t nr, const char *text);
/* Damage @nr begins there, is as long, and has these words in its text. */
void fixture_damaged(struct smap_store *store, size_t nr, uint64_t offset, uint64_t len,
		     const char *words);
/* Number of faults that a check finds; @words are in the text of one of them (NULL: any). */
int fixture_verify(struct smap_store *store, const char *words);

/* A folder of its own, removed with all that is in it. */
int fixture_folder_setup(void **state);
int fixture_folder_teardown(void **state);
#define FOLDER_TEST(fn)									\
	cmocka_unit_test_setup_teardown(fn, fixture_folder_setup, fixture_folder_teardown)

/* A path in the folder; valid until the eighth next call. */
const char *fixture_path(const char *name);
void fixture_write(const char *path, const void *data, size_t len);
/* The whole file. */
void fixture_read(const char *path, struct smap_buf *buf);
/* Files in the folder, hidden ones too. */
size_t fixture_nr_files(void);

/* "good/v8/sched.stack_map" -> its path; valid until the next call. */
const char *fixture_data(const char *name);

#endif /* SMAP_TESTS_STORE_FIXTURE_H */

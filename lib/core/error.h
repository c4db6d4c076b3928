/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Errors: a code and a chain of words.
 *
 * A function that can fail returns 0 or a negative errno and sets errno to the
 * same value. What went wrong in words goes to the struct smap_error of the
 * handle: the place that meets the error says what, each layer above puts where
 * in front of it, so that a person reads "FILE: record 3: bad size".
 *
 * The text has a fixed size: words must not be lost because memory ran out.
 * Bytes that could steer a terminal are escaped on the way in.
 */
#ifndef SMAP_CORE_ERROR_H
#define SMAP_CORE_ERROR_H

#define SMAP_ERROR_SIZE	512

struct smap_error {
	char	text[SMAP_ERROR_SIZE];
};

/* Start the chain. Returns @code (negative errno); @err may be NULL. */
int smap_error_set(struct smap_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "WORDS: " in front of what is there. Returns @code; @err may be NULL. */
int smap_error_prefix(struct smap_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* For out of memory, which needs no words of the caller. Returns -ENOMEM. */
int smap_error_nomem(struct smap_error *err);

/* Sets errno and returns @code: the end of every function that has no words. */
int smap_errno(int code);

#endif /* SMAP_CORE_ERROR_H */

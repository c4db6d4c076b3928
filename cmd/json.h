/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing JSON to stdout: values in order, each with its key inside an object and without one
 * (NULL) inside an array.
 *
 * Strings from outside are bytes. A byte that is no part of UTF-8 is written as the lone surrogate
 * U+DC80 to U+DCFF (the byte + 0xdc00), as Python's "surrogateescape" reads and writes it: the JSON
 * stays valid, and the bytes can be had back. Control characters, DEL and C1 are always written
 * \u00XX.
 */
#ifndef CMD_JSON_H
#define CMD_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	bool	more;		/* a value stands before the next one */
};

#define JSON_INIT { false }

void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);

/* NULL is written as null. */
void json_text(struct json *json, const char *key, const char *text);
void json_number(struct json *json, const char *key, uint64_t number);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* A string alone, to any file, with its quotes; and what stands between them. */
void json_write_string(FILE *file, const char *text, size_t len);
void json_write_bytes(FILE *file, const char *text, size_t len);

#endif /* CMD_JSON_H */

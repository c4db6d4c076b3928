// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The table takes a tenth of a second to read and its names change only as modules come and go,
 * which /proc/modules and /sys/module tell. The kernel hands it out a page at a time, so that one
 * that came or went meanwhile can leave a hole: then it is read again. So it is where an address is
 * of code that the kernel made at run time (BPF), of which these do not tell: copy.c asks for that.
 *
 * Each save has the names that its map needs: for the next one, which another process makes, they
 * will do unless one is missing. Then those that are kept in the file will, where there are any.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/layout.h"
#include "store/reader.h"
#include "store/stream.h"
#include "room.h"

#define MAX_TRIES	4

/* ---- modules ---- */

/*
 * A module that was built anew can have the name, the size and even the address of the one before
 * it. Its folder in sysfs is another one. False: there is none, and nothing tells the two apart.
 */
static bool add_folder(struct smap_buf *list, const char *name, size_t len)
{
	char path[128];
	struct stat st;
	int needs;

	needs = snprintf(path, sizeof(path), "/sys/module/%.*s", (int)len, name);
	if (needs < 0 || (size_t)needs >= sizeof(path) || stat(path, &st))
		return false;
	smap_buf_add_hex(list, st.st_ino);
	return true;
}

/*
 * Name, size, state (a module has other symbols while it is loading) and address of a line: the
 * rest of it changes with every use of the module. False: as add_folder().
 */
static bool add_module(struct smap_buf *list, const char *pos, const char *newline)
{
	bool is_known = true;
	const char *word;
	unsigned int nr;
	size_t len;

	for (nr = 0, word = pos; word < newline; nr++, word += len + 1) {
		for (len = 0; word + len < newline && word[len] != ' '; len++)
			;
		if (nr == 0)
			is_known = add_folder(list, word, len);
		if (nr == 0 || nr == 1 || nr == 4 || nr == 5)
			smap_buf_add(list, word, len);
		smap_buf_add_char(list, ' ');
	}
	smap_buf_add_char(list, '\n');
	return is_known;
}

static int sum_up(const struct smap_buf *text, struct smap_modules *ret_modules)
{
	const char *pos = text->data, *end = pos + text->len, *newline;
	struct smap_buf list = SMAP_BUF_INIT;
	int ret;

	ret_modules->is_known = true;
	for (; pos < end; pos = newline + 1) {
		newline = memchr(pos, '\n', (size_t)(end - pos));
		if (!newline)
			newline = end;
		ret_modules->is_known &= add_module(&list, pos, newline);
	}
	ret = smap_buf_failed(&list) ? -ENOMEM : 0;
	ret_modules->sum = smap_checksum(list.data, list.len);
	smap_buf_free(&list);
	return ret;
}

/* A kernel without modules has no such file. A container may hide it: then nothing is known. */
static int read_modules(struct smap_modules *ret_modules)
{
	struct smap_buf text = SMAP_BUF_INIT;
	int ret;

	*ret_modules = (struct smap_modules){ .is_known = false };
	ret = smap_read_file("/proc/modules", NULL, &text, NULL);
	if (!ret || ret == -ENOENT)
		ret = sum_up(&text, ret_modules);
	smap_buf_free(&text);
	return ret == -ENOMEM ? ret : 0;
}

static bool is_same(const struct smap_modules *a, const struct smap_modules *b)
{
	return a->is_known == b->is_known && a->sum == b->sum;
}

/* ---- the table ---- */

static int keep_words(struct smap_names *names, const struct smap_error *why)
{
	free(names->hidden);
	names->hidden = strdup(why->text);
	return names->hidden ? 0 : -ENOMEM;
}

/* 0, also where there is nothing to be read: names->hidden says why. */
static int read_symbols(struct smap_names *names)
{
	struct smap_buf text = SMAP_BUF_INIT;
	struct smap_error why = { "" };
	int ret;

	smap_symbols_free(names->symbols);
	names->symbols = NULL;
	free(names->hidden);
	names->hidden = NULL;
	ret = smap_read_file("/proc/kallsyms", NULL, &text, &why);
	if (!ret) {
		ret = smap_symbols_from_kallsyms(text.data, text.len, &names->symbols, &why);
		if (ret)
			smap_error_prefix(&why, ret, "/proc/kallsyms");
	}
	smap_buf_free(&text);
	if (ret && ret != -ENOMEM)
		ret = keep_words(names, &why);
	return ret;
}

static int read_names(struct smap_names *names)
{
	unsigned int tries = MAX_TRIES;
	struct smap_modules before;
	int ret;

	names->is_part = false;
	names->kept_in = NULL;
	do {
		before = names->modules;
		ret = read_symbols(names);
		if (!ret)
			ret = read_modules(&names->modules);
		if (ret)
			return ret;
	} while (!is_same(&before, &names->modules) && --tries);
	/* They may have a hole: the next one reads them again. */
	if (!tries)
		names->modules.is_known = false;
	names->is_read = true;
	return 0;
}

int smap_names_update(struct smap_names *names, bool again, struct smap_error *err)
{
	struct smap_modules modules;

	if (read_modules(&modules))
		return smap_error_nomem(err);
	if (names->is_read && !again && modules.is_known && is_same(&modules, &names->modules))
		return SMAP_NAMES_KEPT;
	names->modules = modules;
	names->is_read = false;
	return read_names(names) ? smap_error_nomem(err) : SMAP_NAMES_READ;
}

/* ---- those of a save ---- */

static bool is_of_boot(const struct stackmap_save *save, const uint8_t boot_id[16])
{
	return save->origin.has_boot_id &&
	       !memcmp(save->origin.boot_id, boot_id, sizeof(save->origin.boot_id));
}

/* The last save of this boot that has names. */
static const struct stackmap_save *last_named(struct smap_store *store, const uint8_t boot_id[16])
{
	size_t nr = smap_store_nr_saves(store);
	const struct stackmap_save *save;

	while (nr-- > 0) {
		save = smap_store_save(store, nr);
		if (is_of_boot(save, boot_id) && save->has_symbols && save->modules.is_known)
			return save;
	}
	return NULL;
}

static struct smap_symbols *parse(const char *text, size_t len)
{
	struct smap_symbols *symbols;

	return smap_symbols_from_stored(text, len, &symbols, NULL) ? NULL : symbols;
}

/* Of @save; a table of none where that is NULL. */
static struct smap_symbols *symbols_of(struct smap_store *store, const struct stackmap_save *save)
{
	struct smap_symbols *symbols;
	char *text;
	size_t len;

	if (!save)
		return parse("", 0);
	if (smap_store_symbol_bytes(store, save->nr, &text, &len, NULL))
		return NULL;
	symbols = parse(text, len);
	free(text);
	return symbols;
}

void smap_names_take(struct smap_names *names, struct smap_store *store, const uint8_t boot_id[16])
{
	const struct stackmap_save *save = last_named(store, boot_id);
	struct smap_symbols *symbols;
	struct smap_modules modules;
	bool has_kept;

	if (read_modules(&modules))
		return;
	has_kept = smap_store_has_names(store, boot_id, &modules);
	if (save && !is_same(&modules, &save->modules))
		save = NULL;
	if (!save && !has_kept)
		return;
	symbols = symbols_of(store, save);
	if (!symbols)
		return;
	smap_symbols_free(names->symbols);
	names->symbols = symbols;
	names->modules = modules;
	names->is_read = names->is_part = true;
	names->kept_in = has_kept ? store : NULL;
	memcpy(names->boot_id, boot_id, sizeof(names->boot_id));
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Of all that are kept, those for @addresses; NULL: none are to be had. */
static struct smap_symbols *pick(const struct smap_names *names, const uint64_t *addresses,
				 size_t nr)
{
	struct smap_buf picked = SMAP_BUF_INIT;
	struct smap_symbols *symbols = NULL;
	char *text;
	size_t len;

	if (smap_store_kept_names(names->kept_in, names->boot_id, &names->modules, &text, &len,
				  NULL))
		return NULL;
	smap_symbols_pick(text, len, addresses, nr, &picked);
	free(text);
	if (!smap_buf_failed(&picked))
		symbols = parse(picked.data, picked.len);
	smap_buf_free(&picked);
	return symbols;
}

bool smap_names_take_kept(struct smap_names *names, uint64_t *addresses, size_t nr)
{
	struct smap_symbols *symbols;

	if (!names->kept_in)
		return false;
	qsort(addresses, nr, sizeof(*addresses), by_value);
	symbols = pick(names, addresses, nr);
	names->kept_in = NULL;
	if (!symbols)
		return false;
	smap_symbols_free(names->symbols);
	names->symbols = symbols;
	return true;
}

/* ---- those for others ---- */

/* Bytes that a function takes in a file, about: its address and its name, compressed. */
#define FUNCTION_LEN	10

void smap_names_keep(const struct smap_names *names, struct smap_writer *writer)
{
	struct smap_save_input input = {
		.is_names	= true,
		.origin		= { .has_boot_id = true },
		.saved_wall_ns	= SMAP_TIME_UNKNOWN,
		.saved_boot_ns	= SMAP_TIME_UNKNOWN,
		.modules	= names->modules,
	};
	struct smap_buf text = SMAP_BUF_INIT;
	uint64_t len;

	if (!names->symbols || names->is_part || !names->modules.is_known ||
	    smap_read_boot_id(input.origin.boot_id, NULL))
		return;
	len = smap_symbols_nr(names->symbols) * FUNCTION_LEN;
	if (!smap_writer_wants_names(writer, input.origin.boot_id, &names->modules, len))
		return;
	smap_symbols_write_all(names->symbols, &text);
	input.symbols = text.data;
	input.symbols_len = text.len;
	if (!smap_buf_failed(&text))
		smap_writer_append(writer, &input, &len, NULL);
	smap_buf_free(&text);
}

/* ---- where the kernel is ---- */

/* Behind the symbols of the CPUs' own data, a few hundred lines. */
#define STEXT_WITHIN	(1U << 18)

static uint64_t address_in(const char *text)
{
	const char *found = strstr(text, " _stext\n"), *line = found;

	while (line && line > text && line[-1] != '\n')
		line--;
	return line ? strtoull(line, NULL, 16) : 0;
}

/* Where it stands in the first part of the table; 0: not there, or all zero. */
static uint64_t find_stext(char *room)
{
	size_t len = 0;
	ssize_t got;
	int fd;

	fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	room[0] = '\0';
	while (len < STEXT_WITHIN - 1 && !strstr(room, " _stext\n")) {
		got = read(fd, room + len, STEXT_WITHIN - 1 - len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		len += (size_t)got;
		room[len] = '\0';
	}
	close(fd);
	return address_in(room);
}

static int know_stext(struct smap_names *names)
{
	char *room;

	if (names->stext_known)
		return 0;
	if (names->symbols && !names->is_part) {
		names->stext = smap_symbols_address(names->symbols, "_stext");
	} else {
		room = malloc(STEXT_WITHIN);
		if (!room)
			return -ENOMEM;
		names->stext = find_stext(room);
		free(room);
	}
	names->stext_known = true;
	return 0;
}

int smap_names_add_stext(struct smap_names *names, struct smap_buf *buf)
{
	if (know_stext(names))
		return -ENOMEM;
	if (names->stext)
		smap_buf_addf(buf, "%" PRIx64 " 1? _stext\n", names->stext);
	return smap_buf_failed(buf) ? -ENOMEM : 0;
}

void smap_names_release(struct smap_names *names)
{
	smap_symbols_free(names->symbols);
	free(names->hidden);
	*names = (struct smap_names){ 0 };
}

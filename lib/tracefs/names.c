// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The table takes a tenth of a second to read and its names change only as modules come and go,
 * which /proc/modules tells. The kernel hands it out a page at a time, so that one that came or
 * went meanwhile can leave a hole: then it is read again. So it is where an address is of code that
 * the kernel made at run time (BPF), of which /proc/modules does not tell: copy.c asks for that.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/reader.h"
#include "room.h"

#define MAX_TRIES	4

/* Name, size and address of each module: the rest of a line changes with every use of it. */
static int write_modules(const struct smap_buf *text, struct smap_buf *modules)
{
	const char *pos = text->data, *end = pos + text->len, *newline, *word;
	unsigned int nr;
	size_t len;

	for (; pos < end; pos = newline + 1) {
		newline = memchr(pos, '\n', (size_t)(end - pos));
		if (!newline)
			newline = end;
		for (nr = 0, word = pos; word < newline; nr++, word += len + 1) {
			for (len = 0; word + len < newline && word[len] != ' '; len++)
				;
			if (nr == 0 || nr == 1 || nr == 5)
				smap_buf_add(modules, word, len);
			smap_buf_add_char(modules, ' ');
		}
		smap_buf_add_char(modules, '\n');
	}
	return smap_buf_failed(modules) ? -ENOMEM : 0;
}

/* A kernel without modules has no such file, and a container may hide it: "" then. */
static int read_modules(char **ret_modules)
{
	struct smap_buf text = SMAP_BUF_INIT, modules = SMAP_BUF_INIT;
	int ret;

	ret = smap_read_file("/proc/modules", NULL, &text, NULL);
	if (ret != -ENOMEM)
		ret = ret || !text.len ? 0 : write_modules(&text, &modules);
	smap_buf_free(&text);
	if (!ret) {
		*ret_modules = smap_buf_detach(&modules, NULL);
		if (!*ret_modules)
			ret = -ENOMEM;
	}
	smap_buf_free(&modules);
	return ret;
}

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
	char *after;
	int ret;

	do {
		ret = read_symbols(names);
		if (!ret)
			ret = read_modules(&after);
		if (ret)
			return ret;
		ret = strcmp(after, names->modules);
		free(names->modules);
		names->modules = after;
	} while (ret && --tries);
	names->is_read = true;
	return 0;
}

int smap_names_update(struct smap_names *names, bool again, struct smap_error *err)
{
	char *modules;

	if (read_modules(&modules))
		return smap_error_nomem(err);
	if (names->is_read && !again && !strcmp(modules, names->modules)) {
		free(modules);
		return SMAP_NAMES_KEPT;
	}
	free(names->modules);
	names->modules = modules;
	names->is_read = false;
	return read_names(names) ? smap_error_nomem(err) : SMAP_NAMES_READ;
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
	if (names->symbols) {
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
	free(names->modules);
	free(names->hidden);
	*names = (struct smap_names){ 0 };
}

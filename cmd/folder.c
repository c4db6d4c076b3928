// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "age.h"
#include "cmd.h"
#include "folder.h"

#define SUFFIX		".stackmap"
#define SUFFIX_LEN	(sizeof(SUFFIX) - 1)
/* "20261128T073012Z-" */
#define TIME_LEN	17
#define NAME_LEN	(TIME_LEN + FOLDER_BOOT_ID_LEN + SUFFIX_LEN)

#define NS_PER_S	1000000000ULL

int folder_make(const char *folder)
{
	struct stat st;

	/* It tells addresses of the kernel. */
	if (!mkdir(folder, 0700))
		return CMD_OK;
	if (errno != EEXIST)
		return cmd_error("%s: cannot be made: %s", folder, strerror(errno));
	if (stat(folder, &st))
		return cmd_error("%s: %s", folder, strerror(errno));
	return S_ISDIR(st.st_mode) ? CMD_OK : cmd_error("%s: is no folder", folder);
}

/* One of the names that folder_find() gives. */
static bool is_ours(const char *name)
{
	const char *id = name + TIME_LEN;

	return strlen(name) == NAME_LEN && strspn(name, "0123456789") == 8 && name[8] == 'T' &&
	       strspn(name + 9, "0123456789") == 6 && !strncmp(name + 15, "Z-", 2) &&
	       strspn(id, "0123456789abcdef-") == FOLDER_BOOT_ID_LEN &&
	       !strcmp(id + FOLDER_BOOT_ID_LEN, SUFFIX);
}

static int is_ours_entry(const struct dirent *entry)
{
	return is_ours(entry->d_name);
}

/* The names, oldest boot first. */
struct names {
	struct dirent	**entries;
	int		nr;
};

static void names_release(struct names *names)
{
	int i;

	for (i = 0; i < names->nr; i++)
		free(names->entries[i]);
	free(names->entries);
}

static int names_read(struct names *names, const char *folder)
{
	names->entries = NULL;
	names->nr = scandir(folder, &names->entries, is_ours_entry, alphasort);
	if (names->nr >= 0)
		return CMD_OK;
	names->nr = 0;
	return cmd_error("%s: %s", folder, strerror(errno));
}

static char *path_of(const char *folder, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) >= 0)
		return path;
	cmd_nomem();
	return NULL;
}

static char *new_path(const char *folder, const char *boot_id, uint64_t boot_wall_ns)
{
	char name[NAME_LEN + 1], start[TIME_LEN + 1];
	time_t seconds = (time_t)(boot_wall_ns / NS_PER_S);
	struct tm tm;

	/* A year of more or fewer digits: the clock is not to be believed. */
	if (!gmtime_r(&seconds, &tm) || tm.tm_year < 70 || tm.tm_year > 9999 - 1900 ||
	    strftime(start, sizeof(start), "%Y%m%dT%H%M%SZ-", &tm) != TIME_LEN)
		strcpy(start, "19700101T000000Z-");
	snprintf(name, sizeof(name), "%s%s" SUFFIX, start, boot_id);
	return path_of(folder, name);
}

char *folder_find(const char *folder, const char boot_id[FOLDER_BOOT_ID_LEN + 1],
		  uint64_t boot_wall_ns)
{
	struct names names;
	char *path = NULL;
	int i;

	if (names_read(&names, folder) != CMD_OK)
		return NULL;
	for (i = 0; i < names.nr && !path; i++) {
		if (!strncmp(names.entries[i]->d_name + TIME_LEN, boot_id, FOLDER_BOOT_ID_LEN))
			path = path_of(folder, names.entries[i]->d_name);
	}
	names_release(&names);
	return path ? path : new_path(folder, boot_id, boot_wall_ns);
}

static uint64_t len_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}

static int sum_up(const char *folder, const struct names *names, uint64_t *ret_len)
{
	char *path;
	int i;

	*ret_len = 0;
	for (i = 0; i < names->nr; i++) {
		path = path_of(folder, names->entries[i]->d_name);
		if (!path)
			return CMD_FAILED;
		*ret_len += len_of(path);
		free(path);
	}
	return CMD_OK;
}

int folder_len(const char *folder, uint64_t *ret_len)
{
	struct names names;
	int status;

	if (names_read(&names, folder) != CMD_OK)
		return CMD_FAILED;
	status = sum_up(folder, &names, ret_len);
	names_release(&names);
	return status;
}

/* ---- keeping within the bounds ---- */

struct file {
	char		*path;
	uint64_t	len;		/* as it was found */
	bool		is_current;
	bool		is_stuck;
};

struct trim {
	struct file			*files;	/* oldest boot first */
	size_t				nr_files;
	const struct folder_bounds	*bounds;
	const struct folder_now		*now;
	uint64_t			need;	/* bytes that are to go for the size */
	struct folder_trimmed		*trimmed;
};

static void need_less(struct trim *trim, uint64_t len)
{
	trim->need -= len < trim->need ? len : trim->need;
}

static void note_dropped(struct trim *trim, size_t nr_saves, uint64_t len)
{
	trim->trimmed->nr_saves += nr_saves;
	trim->trimmed->len += len;
	need_less(trim, len);
}

/* Nothing of it can go. @words are the library's. */
static void note_stuck(struct trim *trim, struct file *file, const char *words)
{
	struct folder_trimmed *trimmed = trim->trimmed;

	file->is_stuck = true;
	if (!trimmed->nr_stuck++)
		snprintf(trimmed->stuck, sizeof(trimmed->stuck), "%s", words);
}

static void note_stuck_file(struct trim *trim, struct file *file, const char *why)
{
	char words[1024], line[1024];
	int len = snprintf(words, sizeof(words), "%s: %s", file->path, why);

	if (len >= (int)sizeof(words))
		len = sizeof(words) - 1;
	stackmap_escape(line, sizeof(line), words, len < 0 ? 0 : (size_t)len);
	note_stuck(trim, file, line);
}

/*
 * Not while somebody writes to it, nor where somebody has: only what was looked at is old enough.
 */
static void remove_file(struct trim *trim, struct file *file, size_t nr_saves)
{
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0) {
		if (errno != ENOENT)
			note_stuck_file(trim, file, strerror(errno));
		return;
	}
	if (flock(fd, LOCK_EX | LOCK_NB))
		note_stuck_file(trim, file, "somebody writes to it");
	else if (len_of(file->path) != file->len)
		note_stuck_file(trim, file, "somebody has written to it");
	else if (unlink(file->path))
		note_stuck_file(trim, file, strerror(errno));
	else
		note_dropped(trim, nr_saves, file->len);
	close(fd);
}

static bool is_chosen(const struct stackmap_save *save, void *data)
{
	const struct age_choice *choice = data;

	return age_is_chosen(choice, save);
}

static int drop_saves(struct trim *trim, struct file *file, struct age_choice *choice)
{
	struct stackmap_store *store = stackmap_store_new();
	uint64_t after;
	int nr;

	if (!store)
		return cmd_nomem();
	nr = stackmap_store_drop(store, file->path, is_chosen, choice);
	if (nr < 0)
		note_stuck(trim, file, stackmap_store_get_error(store));
	stackmap_store_free(store);
	if (nr > 0) {
		after = len_of(file->path);
		note_dropped(trim, (size_t)nr, file->len > after ? file->len - after : 0);
	}
	return CMD_OK;
}

/* All of its saves may go, or some; @store is @file, opened. */
static int trim_store(struct trim *trim, struct file *file, const struct stackmap_store *store)
{
	struct age_now now = { trim->now->wall_ns, trim->now->boot_ns, trim->now->oldest_ns,
			       file->is_current, trim->bounds->drops_live };
	size_t nr = stackmap_store_nr_saves(store);
	struct age_choice choice = { .keys = NULL };
	int status = CMD_OK;

	if (age_choose(store, &now, trim->need, trim->bounds->max_age_ns, &choice))
		status = cmd_nomem();
	else if (choice.nr == nr && !file->is_current)
		remove_file(trim, file, nr);
	else if (choice.nr)
		status = drop_saves(trim, file, &choice);
	age_choice_release(&choice);
	return status;
}

/* Of another boot, and without a save: there is nothing in it that ages. */
static bool has_saves(const struct file *file, const struct stackmap_store *store)
{
	return file->is_current || stackmap_store_nr_saves(store);
}

typedef int (*store_fn)(struct trim *trim, struct file *file, const struct stackmap_store *store);

/* Call @fn, where there is one, with @file opened. What cannot be opened is stuck. */
static int open_file(struct trim *trim, struct file *file, store_fn fn)
{
	struct stackmap_store *store = stackmap_store_new();
	int status = CMD_OK;

	if (!store)
		return cmd_nomem();
	if (stackmap_store_open(store, file->path))
		note_stuck(trim, file, stackmap_store_get_error(store));
	else if (!has_saves(file, store))
		note_stuck_file(trim, file, "no save in it is whole");
	else if (fn)
		status = fn(trim, file, store);
	stackmap_store_free(store);
	return status;
}

static void release_files(struct trim *trim)
{
	while (trim->nr_files)
		free(trim->files[--trim->nr_files].path);
	free(trim->files);
}

static int list_files(struct trim *trim, const char *folder, const struct names *names,
		      const char *current)
{
	struct file *file;
	int i;

	trim->files = calloc((size_t)names->nr + 1, sizeof(*trim->files));
	if (!trim->files)
		return cmd_nomem();
	for (i = 0; i < names->nr; i++) {
		file = &trim->files[trim->nr_files];
		file->path = path_of(folder, names->entries[i]->d_name);
		if (!file->path)
			return CMD_FAILED;
		file->len = len_of(file->path);
		file->is_current = !strcmp(file->path, current);
		trim->nr_files++;
	}
	return CMD_OK;
}

/* To an eighth below the bound, so that not every save writes a file anew. */
static int find_need(struct trim *trim)
{
	uint64_t max_len = trim->bounds->max_len, len = 0;
	size_t i;

	for (i = 0; i < trim->nr_files; i++) {
		if (open_file(trim, &trim->files[i], NULL) != CMD_OK)
			return CMD_FAILED;
		if (trim->files[i].is_stuck)
			trim->trimmed->unread_len += trim->files[i].len;
		else
			len += trim->files[i].len;
	}
	if (max_len && len > max_len)
		trim->need = len - (max_len - max_len / 8);
	return CMD_OK;
}

static int trim_files(struct trim *trim)
{
	struct file *file = trim->files;
	size_t i;

	for (i = 0; i < trim->nr_files && (trim->need || trim->bounds->max_age_ns); i++, file++) {
		if (file->is_stuck)
			continue;
		if (open_file(trim, file, trim_store) != CMD_OK)
			return CMD_FAILED;
		if (file->is_stuck)
			need_less(trim, file->len);
	}
	return CMD_OK;
}

static uint64_t over_len(const struct trim *trim)
{
	uint64_t len = 0;
	size_t i;

	for (i = 0; i < trim->nr_files; i++)
		if (!trim->files[i].is_stuck)
			len += len_of(trim->files[i].path);
	return trim->bounds->max_len && len > trim->bounds->max_len ?
		len - trim->bounds->max_len : 0;
}

int folder_trim(const char *folder, const char *current, const struct folder_bounds *bounds,
		const struct folder_now *now, struct folder_trimmed *ret_trimmed)
{
	struct trim trim = { .bounds = bounds, .now = now, .trimmed = ret_trimmed };
	struct names names;
	int status;

	*ret_trimmed = (struct folder_trimmed){ 0 };
	if (names_read(&names, folder) != CMD_OK)
		return CMD_FAILED;
	status = list_files(&trim, folder, &names, current);
	names_release(&names);
	if (status == CMD_OK)
		status = find_need(&trim);
	if (status == CMD_OK)
		status = trim_files(&trim);
	ret_trimmed->over_len = over_len(&trim);
	release_files(&trim);
	return status;
}

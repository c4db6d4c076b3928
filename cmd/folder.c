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

struct trim {
	const char			*current;
	const struct folder_bounds	*bounds;
	const struct folder_now		*now;
	uint64_t			need;	/* bytes that are to go for the size */
	struct folder_trimmed		*trimmed;
};

static void note_dropped(struct trim *trim, size_t nr_saves, uint64_t len)
{
	trim->trimmed->nr_saves += nr_saves;
	trim->trimmed->len += len;
	trim->need -= len < trim->need ? len : trim->need;
}

/* Not while somebody writes to it. */
static int remove_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int status = CMD_OK;

	if (fd < 0)
		return errno == ENOENT ? CMD_OK :
			cmd_error("%s: cannot be removed: %s", path, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB))
		status = cmd_error("%s: not removed: somebody writes to it", path);
	else if (unlink(path))
		status = cmd_error("%s: cannot be removed: %s", path, strerror(errno));
	close(fd);
	return status;
}

static bool is_chosen(const struct stackmap_save *save, void *data)
{
	const struct age_choice *choice = data;

	return age_is_chosen(choice, stackmap_save_get_offset(save));
}

static int drop_saves(struct trim *trim, const char *path, struct age_choice *choice)
{
	struct stackmap_store *store = stackmap_store_new();
	uint64_t before = len_of(path), after;
	int nr;

	if (!store)
		return cmd_nomem();
	nr = stackmap_store_drop(store, path, is_chosen, choice);
	if (nr < 0)
		cmd_library_error(stackmap_store_get_error(store));
	stackmap_store_free(store);
	if (nr < 0)
		return CMD_FAILED;
	after = len_of(path);
	note_dropped(trim, (size_t)nr, before > after ? before - after : 0);
	return CMD_OK;
}

/* The boot's file as a whole, or some of its saves. */
static int trim_file(struct trim *trim, const char *path, bool is_current)
{
	struct age_now now = { trim->now->wall_ns, trim->now->boot_ns, trim->now->oldest_ns,
			       is_current, trim->bounds->drops_live };
	struct stackmap_store *store = stackmap_store_new();
	struct age_choice choice = { .offsets = NULL };
	int status = CMD_OK;
	uint64_t len;
	size_t nr;

	if (!store)
		return cmd_nomem();
	if (stackmap_store_open(store, path)) {
		status = cmd_library_error(stackmap_store_get_error(store));
		goto out;
	}
	nr = stackmap_store_nr_saves(store);
	len = stackmap_store_get_len(store);
	if (age_choose(store, &now, trim->need, trim->bounds->max_age_ns, &choice)) {
		status = cmd_nomem();
	} else if (nr && choice.nr == nr && !is_current) {
		status = remove_file(path);
		if (status == CMD_OK)
			note_dropped(trim, nr, len);
	} else if (choice.nr) {
		status = drop_saves(trim, path, &choice);
	}
out:
	age_choice_release(&choice);
	stackmap_store_free(store);
	return status;
}

static int trim_all(struct trim *trim, const char *folder, const struct names *names)
{
	int status = CMD_OK, i;
	char *path;

	for (i = 0; i < names->nr && (trim->need || trim->bounds->max_age_ns); i++) {
		path = path_of(folder, names->entries[i]->d_name);
		if (!path)
			return CMD_FAILED;
		if (trim_file(trim, path, !strcmp(path, trim->current)) != CMD_OK)
			status = CMD_FAILED;
		free(path);
	}
	return status;
}

int folder_trim(const char *folder, const char *current, const struct folder_bounds *bounds,
		const struct folder_now *now, struct folder_trimmed *ret_trimmed)
{
	struct trim trim = { current, bounds, now, 0, ret_trimmed };
	struct names names;
	uint64_t len;
	int status;

	*ret_trimmed = (struct folder_trimmed){ 0 };
	if (names_read(&names, folder) != CMD_OK)
		return CMD_FAILED;
	status = sum_up(folder, &names, &len);
	/* To an eighth below it, so that not every save writes a file anew. */
	if (status == CMD_OK && bounds->max_len && len > bounds->max_len)
		trim.need = len - (bounds->max_len - bounds->max_len / 8);
	if (status == CMD_OK)
		status = trim_all(&trim, folder, &names);
	names_release(&names);
	if (bounds->max_len && !folder_len(folder, &len) && len > bounds->max_len)
		ret_trimmed->over_len = len - bounds->max_len;
	return status;
}

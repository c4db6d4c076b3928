// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a user calls files of saved maps: see stackmap_each_file() in stackmap.h.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export.h"
#include "stackmap.h"

#define SUFFIX		".stackmap"
#define SUFFIX_LEN	(sizeof(SUFFIX) - 1)

typedef int (*file_fn)(const char *path, void *data);

/* Hidden ones are of a writer at work. */
static int is_saved_map(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > SUFFIX_LEN &&
	       !strcmp(entry->d_name + len - SUFFIX_LEN, SUFFIX);
}

static int call_in(const char *folder, const char *name, file_fn fn, void *data)
{
	char *path;
	int ret;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return -ENOMEM;
	ret = fn(path, data);
	free(path);
	return ret;
}

static int each_in_folder(const char *folder, file_fn fn, void *data)
{
	struct dirent **entries;
	int nr, i, ret = 0;

	nr = scandir(folder, &entries, is_saved_map, alphasort);
	/* Who opens it says what is wrong with it. */
	if (nr < 0)
		return errno == ENOMEM ? -ENOMEM : fn(folder, data);
	if (!nr)
		ret = fn(folder, data);
	for (i = 0; i < nr; i++) {
		if (!ret)
			ret = call_in(folder, entries[i]->d_name, fn, data);
		free(entries[i]);
	}
	free(entries);
	return ret;
}

static int each_of_one(const char *path, file_fn fn, void *data)
{
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return each_in_folder(path, fn, data);
	return fn(path, data);
}

SMAP_PUBLIC int stackmap_each_file(const char *paths, int (*fn)(const char *path, void *data),
				   void *data)
{
	char *list, *rest, *path;
	int ret = 0;

	if (!strchr(paths, ':') || !access(paths, F_OK))
		return each_of_one(paths, fn, data);
	list = strdup(paths);
	if (!list)
		return -ENOMEM;
	for (rest = list; !ret && (path = strsep(&rest, ":")); )
		if (*path)
			ret = each_of_one(path, fn, data);
	free(list);
	return ret;
}

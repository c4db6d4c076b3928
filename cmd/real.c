// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * As in cmd/trace-cmd, a copy of the front is known by its mark, whatever its name and links. What
 * stands in PATH before the front is likely to be a wrapper that calls it: it comes last.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "real.h"

#define FRONT_MARK	"# Front of trace-cmd, part of trace-stackmap."
#define MARK_LINES	3	/* the first is "#!" */

static bool is_front(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[256];
	bool found = false;
	int i;

	if (!file)
		return false;
	for (i = 0; i < MARK_LINES && !found && fgets(line, sizeof(line), file); i++) {
		if (!i && strncmp(line, "#!", 2))
			break;
		line[strcspn(line, "\n")] = '\0';
		found = !strcmp(line, FRONT_MARK);
	}
	fclose(file);
	return found;
}

static bool can_run(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* The trace-cmd of the @len bytes of @dir that may be run; NULL: none, or no memory. */
static char *in_dir(const char *dir, size_t len)
{
	char *path;

	if (asprintf(&path, "%.*s/trace-cmd", len ? (int)len : 1, len ? dir : ".") < 0)
		return NULL;
	if (can_run(path))
		return path;
	free(path);
	return NULL;
}

/* NULL: there is none. */
static char *search(const char *dirs)
{
	char *before = NULL, *behind = NULL, *path;
	bool seen_front = false;
	size_t len;

	for (; dirs && !behind; dirs = dirs[len] ? dirs + len + 1 : NULL) {
		len = strcspn(dirs, ":");
		path = in_dir(dirs, len);
		if (path && !is_front(path)) {
			if (seen_front)
				behind = path;
			else if (!before)
				before = path;
			else
				free(path);
		} else if (path) {
			seen_front = true;
			free(path);
		}
	}
	if (!behind)
		return before;
	free(before);
	return behind;
}

char *real_find(void)
{
	const char *told = getenv(REAL_VARIABLE);
	char *path;

	if (told && *told && !is_front(told)) {
		path = strdup(told);
		unsetenv(REAL_VARIABLE);
		if (!path)
			cmd_nomem();
		return path;
	}
	path = search(getenv("PATH"));
	if (!path)
		cmd_error("trace-cmd is not in PATH; install it, or name it in " REAL_VARIABLE);
	return path;
}

int real_become(const char *path, char **argv)
{
	execv(path, argv);
	return cmd_error("%s cannot be run: %s", path, strerror(errno));
}

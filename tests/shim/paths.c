// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paths are made absolute and plain by their text, and looked at in this order: in root/ of the
 * world; below the mount point of tracefs; below a place where tracefs of the system could be,
 * which is empty then; in over/. All else is left alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "paths.h"

const char *shim_world_dir(void)
{
	const char *dir = getenv(SHIM_ENV);

	return dir && dir[0] == '/' ? dir : NULL;
}

void shim_fd_path(char *path, int fd)
{
	char link[64];
	long len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
	path[len > 0 && path[0] == '/' ? len : 0] = '\0';
}

/* Without ".", ".." and double slashes. */
static void make_plain(char *path)
{
	char *out = path, *in = path;
	size_t len;

	while (*in) {
		in += strspn(in, "/");
		len = strcspn(in, "/");
		if (len == 2 && !strncmp(in, "..", 2)) {
			while (out > path && *--out != '/')
				;
		} else if (len && !(len == 1 && *in == '.')) {
			*out++ = '/';
			memmove(out, in, len);
			out += len;
		}
		in += len;
	}
	if (out == path)
		*out++ = '/';
	*out = '\0';
}

static bool make_absolute(char *path, int dirfd, const char *given)
{
	char base[PATH_MAX] = "";
	int len;

	if (given[0] != '/' && dirfd == AT_FDCWD) {
		if (syscall(SYS_getcwd, base, sizeof(base)) < 0)
			return false;
	} else if (given[0] != '/') {
		shim_fd_path(base, dirfd);
		if (!*base)
			return false;
	}
	len = snprintf(path, PATH_MAX, "%s/%s", base, given);
	if (len >= PATH_MAX)
		return false;
	make_plain(path);
	return true;
}

/* The part of @path below @dir; NULL where it is not there. */
static const char *below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	if (!len || strncmp(path, dir, len) || (path[len] && path[len] != '/'))
		return NULL;
	return path[len] ? path + len + 1 : path + len;
}

static bool is_there(const char *path)
{
	struct stat st;

	return !syscall(SYS_newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW);
}

static bool is_file(const char *path)
{
	struct stat st;

	return !syscall(SYS_newfstatat, AT_FDCWD, path, &st, 0) && S_ISREG(st.st_mode);
}

static const struct {
	const char *name;
	enum shim_kind kind;
} kinds[] = {
	{ "stack_map", SHIM_STACK_MAP },
	{ "stack_map_bin", SHIM_STACK_MAP_BIN },
	{ "stack_map_stat", SHIM_STACK_MAP_STAT },
	{ "options/stackmap", SHIM_OPTION },
	{ "tracing_on", SHIM_TRACING_ON },
	{ "trace_options", SHIM_TRACE_OPTIONS },
};

static enum shim_kind kind_of(const char *name)
{
	const char *last = strrchr(name, '/');
	size_t i;

	/* It has none of the others. */
	if (!strncmp(name, "instances/", 10) && last && !strcmp(last, "/trace_options"))
		return SHIM_TRACE_OPTIONS;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(kinds[i].name, name))
			return kinds[i].kind;
	}
	return SHIM_NO_KIND;
}

static void lead_into_tracefs(struct shim_path *path, const char *name)
{
	path->is_mapped = true;
	path->is_tracefs = true;
	memmove(path->name, name, strlen(name) + 1);
	snprintf(path->real, sizeof(path->real), "%s/root%s%s", path->world, *name ? "/" : "",
		 name);
	if (is_there(path->real))
		path->kind = kind_of(name);
}

static void lead_to(struct shim_path *path, const char *folder, const char *rest)
{
	snprintf(path->real, sizeof(path->real), "%s/%s/%s", path->world, folder, rest);
}

static bool find_mounted(struct shim_path *path)
{
	char file[PATH_MAX], *mount;
	const char *name;

	snprintf(file, sizeof(file), "%s/mount", path->world);
	mount = shim_sys_load(file, NULL);
	if (!mount)
		return false;
	mount[strcspn(mount, "\n")] = '\0';
	name = below(path->absolute, mount);
	if (name)
		lead_into_tracefs(path, name);
	free(mount);
	return name;
}

/* Never the tracefs of the machine on which the tests run. */
static bool find_system(struct shim_path *path)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug" };
	const char *rest;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		rest = below(path->absolute, places[i]);
		if (!rest)
			continue;
		path->is_mapped = true;
		lead_to(path, "empty", rest);
		return true;
	}
	return false;
}

static bool is_proc_hidden(const struct shim_path *path)
{
	char file[PATH_MAX];

	snprintf(file, sizeof(file), "%s/no-proc", path->world);
	return below(path->absolute, "/proc") && is_there(file);
}

static void find_over(struct shim_path *path)
{
	if (is_proc_hidden(path)) {
		path->is_mapped = true;
		lead_to(path, "empty", below(path->absolute, "/proc"));
		return;
	}
	lead_to(path, "over", path->absolute + 1);
	path->is_mapped = is_file(path->real);
}

void shim_path_find(struct shim_path *path, int dirfd, const char *given)
{
	const char *dir = shim_world_dir(), *inside;
	int saved = errno;

	path->is_mapped = false;
	path->is_tracefs = false;
	path->kind = SHIM_NO_KIND;
	path->world[0] = '\0';
	path->absolute[0] = '\0';
	if (!dir || !given || !*given || !make_absolute(path->absolute, dirfd, given))
		goto out;
	snprintf(path->world, sizeof(path->world), "%s", dir);
	inside = below(path->absolute, dir);
	if (inside) {
		inside = below(inside, "root");
		if (inside)
			lead_into_tracefs(path, inside);
		goto out;
	}
	if (!find_mounted(path) && !find_system(path))
		find_over(path);
out:
	errno = saved;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is to happen at which moment: the file rules, a line each,
 *
 *	ID TIMES MOMENT FILE ARG ACTION [TEXT]
 *
 * TIMES is -1 for always. FILE is a name below root/, or a pattern of a path outside of tracefs,
 * which begins with a slash; "*" is every file of tracefs. The first line that fits is taken, then
 * the next behind it: a command that runs can be followed by a failure.
 */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "world.h"

struct line {
	uint32_t	id;
	long		times;
	char		moment[32], file[512], arg[64], action[16];
	int		text;		/* offset of what follows */
};

static bool parse_line(const char *text, struct line *line)
{
	line->text = 0;
	return sscanf(text, "%" SCNu32 " %ld %31s %511s %63s %15s %n", &line->id, &line->times,
		      line->moment, line->file, line->arg, line->action, &line->text) >= 6;
}

static bool is_file(const struct line *line, const char *file)
{
	if (!strcmp(line->file, "*"))
		return file[0] != '/';
	if (line->file[0] == '/')
		return !fnmatch(line->file, file, 0);
	return !strcmp(line->file, file);
}

static bool fits(const struct line *line, const char *moment, const char *file, const char *arg)
{
	if (!line->times || strcmp(line->moment, moment) || !is_file(line, file))
		return false;
	return !strcmp(line->arg, "-") || !strcmp(line->arg, arg);
}

static const struct {
	const char *name;
	int number;
} errnos[] = {
	{ "EPERM", EPERM }, { "ENOENT", ENOENT }, { "EINTR", EINTR }, { "EIO", EIO },
	{ "ENXIO", ENXIO }, { "EAGAIN", EAGAIN }, { "ENOMEM", ENOMEM }, { "EACCES", EACCES },
	{ "EBUSY", EBUSY }, { "ENODEV", ENODEV }, { "EINVAL", EINVAL }, { "ENOSPC", ENOSPC },
	{ "EROFS", EROFS }, { "ESTALE", ESTALE }, { "EDQUOT", EDQUOT }, { "EFBIG", EFBIG },
	{ "EXDEV", EXDEV },
};

static uint64_t errno_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++) {
		if (!strncmp(errnos[i].name, name, strlen(errnos[i].name)))
			return (uint64_t)errnos[i].number;
	}
	return EIO;
}

static void fill_rule(const struct line *line, const char *text, struct shim_rule *rule)
{
	const char *rest = line->text ? text + line->text : "";

	rule->id = line->id;
	snprintf(rule->text, sizeof(rule->text), "%.*s", (int)strcspn(rest, "\n"), rest);
	if (!strcmp(line->action, "run")) {
		rule->action = SHIM_RUN;
	} else if (!strcmp(line->action, "fail")) {
		rule->action = SHIM_FAIL;
		rule->number = errno_of(rest);
	} else {
		rule->action = SHIM_LIMIT;
		rule->number = strtoull(rest, NULL, 0);
	}
}

/* The rules without the one that is used up, or with one time less of it. */
static void use_up(const char *path, const char *text, const char *at, const struct line *line)
{
	const char *rest = at + strcspn(at, "\n");
	char *more = NULL;
	size_t len = 0;
	FILE *file;

	if (line->times < 0)
		return;
	file = open_memstream(&more, &len);
	if (!file)
		return;
	fwrite(text, 1, (size_t)(at - text), file);
	if (line->times > 1)
		fprintf(file, "%" PRIu32 " %ld %s %s %s %s %.*s\n", line->id, line->times - 1,
			line->moment, line->file, line->arg, line->action,
			(int)(rest - (at + line->text)), at + line->text);
	fputs(*rest ? rest + 1 : rest, file);
	fclose(file);
	shim_sys_store(path, more, len, false);
	free(more);
}

static const char *next_line(const char *text)
{
	text += strcspn(text, "\n");
	return *text ? text + 1 : text;
}

static bool take(const char *path, const char *text, uint32_t after, const char *moment,
		 const char *file, const char *arg, struct shim_rule *ret_rule)
{
	struct line line;
	const char *at;

	for (at = text; *at; at = next_line(at)) {
		if (!parse_line(at, &line) || line.id <= after || !fits(&line, moment, file, arg))
			continue;
		fill_rule(&line, at, ret_rule);
		use_up(path, text, at, &line);
		return true;
	}
	return false;
}

/* Most worlds have none: then there is nothing to lock for. */
static char *load_rules(const char *dir, char *path)
{
	size_t len = 0;
	char *text;

	snprintf(path, PATH_MAX, "%s/rules", dir);
	text = shim_sys_load(path, &len);
	if (text && len)
		return text;
	free(text);
	return NULL;
}

bool shim_has_rules(const char *dir)
{
	char path[PATH_MAX], *text = load_rules(dir, path);

	free(text);
	return text;
}

bool shim_rule_take(const char *dir, uint32_t after, const char *moment, const char *file,
		    const char *arg, struct shim_rule *ret_rule)
{
	char path[PATH_MAX], *text = load_rules(dir, path);
	struct shim_world world;
	bool is_taken;

	free(text);
	if (!text || shim_world_lock(&world, dir))
		return false;
	text = load_rules(dir, path);
	is_taken = text && take(path, text, after, moment, file, arg, ret_rule);
	free(text);
	shim_world_unlock(&world);
	return is_taken;
}

uint64_t shim_rule_next_byte(const char *dir, const char *moment, const char *file, uint64_t from)
{
	char path[PATH_MAX], *text = load_rules(dir, path);
	uint64_t next = UINT64_MAX, byte;
	struct line line;
	const char *at;
	char *end;

	for (at = text; at && *at; at = next_line(at)) {
		if (!parse_line(at, &line) || !line.times || strcmp(line.moment, moment) ||
		    !is_file(&line, file))
			continue;
		byte = strtoull(line.arg, &end, 0);
		if (end != line.arg && byte > from && byte < next)
			next = byte;
	}
	free(text);
	return next;
}

int shim_rule_add(struct shim_world *world, long times, const char *moment, const char *file,
		  const char *arg, const char *action)
{
	char path[PATH_MAX], line[8192];
	int len;

	len = snprintf(line, sizeof(line), "%" PRIu32 " %ld %s %s %s %s\n",
		       ++world->state->next_rule, times, moment, file, arg, action);
	if (len < 0 || (size_t)len >= sizeof(line))
		return -EINVAL;
	snprintf(path, sizeof(path), "%s/rules", world->dir);
	return shim_sys_store(path, line, (size_t)len, true);
}

static char **shell_environment(char *pid)
{
	size_t nr = 0, i;
	char **env;

	while (environ[nr])
		nr++;
	env = calloc(nr + 2, sizeof(*env));
	if (!env)
		return NULL;
	for (nr = 0, i = 0; environ[i]; i++) {
		if (strncmp(environ[i], "LD_PRELOAD=", 11) && strncmp(environ[i], "SHIM_PID=", 9))
			env[nr++] = environ[i];
	}
	env[nr] = pid;
	return env;
}

/* What the command prints goes where the process in the moment prints. */
static void share_output(posix_spawn_file_actions_t *actions, int fds[2])
{
	int i;

	for (i = 0; i < 2; i++) {
		fds[i] = shim_caller_fd(i + 1);
		if (fds[i] >= 0)
			posix_spawn_file_actions_adddup2(actions, fds[i], i + 1);
	}
}

static void spawn_and_wait(const char *command, char **env, posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attributes)
{
	const char *argv[] = { "sh", "-c", command, NULL };
	pid_t child;

	if (posix_spawn(&child, "/bin/sh", actions, attributes, (char *const *)argv, env))
		return;
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

/*
 * By a shell without this library. SHIM_PID is the process that the moment is of; signals that it
 * blocks or catches are as usual in the shell.
 */
static void run(const char *command)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	char pid[32], **env;
	sigset_t none;
	int fds[2], i;

	snprintf(pid, sizeof(pid), "SHIM_PID=%d", (int)shim_caller_pid());
	env = shell_environment(pid);
	if (!env)
		return;
	posix_spawnattr_init(&attributes);
	sigemptyset(&none);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&actions);
	share_output(&actions, fds);
	spawn_and_wait(command, env, &actions, &attributes);
	for (i = 0; i < 2; i++) {
		if (fds[i] >= 0)
			syscall(SYS_close, fds[i]);
	}
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	free(env);
}

int shim_moment(const char *dir, const char *moment, const char *file, const char *arg,
		uint64_t *limit)
{
	struct shim_rule rule;
	uint32_t after = 0;

	while (shim_rule_take(dir, after, moment, file, arg ? arg : "-", &rule)) {
		after = rule.id;
		if (rule.action == SHIM_FAIL)
			return -(int)rule.number;
		if (rule.action == SHIM_RUN)
			run(rule.text);
		else if (limit && rule.number < *limit)
			*limit = rule.number;
		/* Who is killed in a moment does not come to what is behind it. */
		if (shim_caller_is_killed())
			return -EINTR;
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stackmap-shim COMMAND...: what a test does to a played kernel; see README.md. All but setup act
 * on the world that STACKMAP_SHIM names.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "setup.h"

#define LIBRARY	"libstackmap-shim.so"
#define SERVER	"stackmap-shim-fuse"

static const char *dir;

static int fail(const char *what, int err)
{
	fprintf(stderr, "stackmap-shim: %s: %s\n", what, strerror(-err));
	return 2;
}

/* ---- setup, set ---- */

static int set_all(char **settings)
{
	int ret;

	for (; *settings; settings++) {
		ret = shim_set(dir, *settings);
		if (ret)
			return fail(*settings, ret);
	}
	return 0;
}

static int setup(int argc, char **argv)
{
	uint32_t series;
	int ret;

	if (argc < 2)
		return fail("setup DIR SERIES", -EINVAL);
	series = !strcmp(argv[1], "ours") ? SHIM_SERIES_OURS : (uint32_t)strtoul(argv[1], NULL, 10);
	dir = argv[0];
	ret = shim_setup(dir, series);
	return ret ? fail(dir, ret) : set_all(argv + 2);
}

static int set(int argc, char **argv)
{
	return set_all(argv);
}

/* ---- record ---- */

struct stack {
	uint64_t	frames[SHIM_MAX_DEPTH + 1];
	uint32_t	depth;
	uint32_t	times;
	uint32_t	slot;
};

static void note_recorded(const char *cookie, const struct stack *stack)
{
	char path[PATH_MAX], frame[512], *line = NULL;
	size_t len = 0;
	uint32_t i;
	FILE *file = open_memstream(&line, &len);

	if (!file)
		return;
	fprintf(file, "%s\t", cookie);
	for (i = 0; i < stack->depth; i++) {
		if (stack->frames[i] == SHIM_TRAMPOLINE)
			snprintf(frame, sizeof(frame), "[FTRACE TRAMPOLINE]");
		else
			shim_symbol_print(dir, stack->frames[i], frame, sizeof(frame));
		fprintf(file, "%s%s", i ? ";" : "", frame);
	}
	fputc('\n', file);
	fclose(file);
	snprintf(path, sizeof(path), "%s/recorded", dir);
	shim_sys_store(path, line, len, true);
	free(line);
}

/* What the event is printed as. */
static int record(struct shim_world *world, const struct stack *stack, char *cookie, size_t size)
{
	uint32_t slot, generation;
	int ret = shim_record_stack(world, stack->frames, stack->depth, stack->times, stack->slot,
				    &slot, &generation);

	if (ret)
		snprintf(cookie, size, "%s", ret == 1 ? "<stack trace>" : "nothing");
	else if (world->state->series < 8)
		snprintf(cookie, size, "<stack_id %" PRIu32 ">", slot);
	else
		snprintf(cookie, size, "<stack_id %" PRIu32 " gen %" PRIu32 ">", slot, generation);
	if (!ret)
		note_recorded(cookie, stack);
	return ret;
}

static int record_one(const struct stack *stack)
{
	struct shim_world world;
	char cookie[64];
	int ret = shim_world_lock(&world, dir);

	if (ret)
		return fail(dir, ret);
	record(&world, stack, cookie, sizeof(cookie));
	shim_world_unlock(&world);
	puts(cookie);
	return 0;
}

static int add_frame(struct stack *stack, const char *text)
{
	uint64_t address;
	int ret = shim_symbol_parse(dir, text, &address);

	if (ret || stack->depth > SHIM_MAX_DEPTH)
		return fail(text, ret ? ret : -E2BIG);
	stack->frames[stack->depth++] = address;
	return 0;
}

/* record [-n TIMES] [-s SLOT] FRAME... */
static int record_command(int argc, char **argv)
{
	struct stack stack = { .times = 1, .slot = UINT32_MAX };
	int opt;

	optind = 0;
	while ((opt = getopt(argc + 1, argv - 1, "+n:s:")) != -1) {
		if (opt == 'n')
			stack.times = (uint32_t)strtoul(optarg, NULL, 0);
		else if (opt == 's')
			stack.slot = (uint32_t)strtoul(optarg, NULL, 0);
		else
			return 2;
	}
	for (argv += optind - 1; *argv; argv++) {
		if (add_frame(&stack, *argv))
			return 2;
	}
	shim_symbols_write(dir, false);
	return record_one(&stack);
}

/* Distinct by @nr; four frames tell it, the rest is the same. */
static int make_stack(struct stack *stack, uint32_t nr, uint32_t depth, const uint64_t *functions)
{
	uint32_t i;

	stack->depth = depth < 4 ? 4 : depth;
	for (i = 0; i < stack->depth; i++)
		stack->frames[i] = functions[i < 4 ? (nr >> (6 * i)) % 64 : i % 64] + 0x10 + i;
	return 0;
}

/* What distinct stacks are made of. */
static int make_functions(uint64_t functions[64])
{
	char text[64];
	uint32_t i;
	int ret;

	for (i = 0; i < 64; i++) {
		snprintf(text, sizeof(text), "function_%" PRIu32 "+0x0/0x1000", i);
		ret = shim_symbol_parse(dir, text, &functions[i]);
		if (ret)
			return fail(text, ret);
	}
	shim_symbols_write(dir, false);
	return 0;
}

/* record-on [FIRST [MS]]: a stack that was not there before every so often, until stdin ends */
static int record_on(int argc, char **argv)
{
	uint32_t nr = argc > 0 ? (uint32_t)strtoul(argv[0], NULL, 0) : 0;
	int ms = argc > 1 ? (int)strtol(argv[1], NULL, 0) : 1;
	struct stack stack = { .times = 1, .slot = UINT32_MAX };
	struct pollfd input = { .fd = 0, .events = POLLIN };
	struct shim_world world;
	uint64_t functions[64];
	char text[64];
	int ret = make_functions(functions);

	while (!ret && !poll(&input, 1, ms)) {
		ret = shim_world_lock(&world, dir);
		if (ret)
			return fail(dir, ret);
		make_stack(&stack, nr++, 8, functions);
		record(&world, &stack, text, sizeof(text));
		shim_world_unlock(&world);
	}
	return ret;
}

/* record-many NR [FIRST [DEPTH]] */
static int record_many(int argc, char **argv)
{
	uint32_t nr = argc > 0 ? (uint32_t)strtoul(argv[0], NULL, 0) : 1;
	uint32_t first = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 0;
	uint32_t depth = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 8;
	struct stack stack = { .times = 1, .slot = UINT32_MAX };
	uint32_t i, counts[3] = { 0 };
	struct shim_world world;
	uint64_t functions[64];
	char text[64];
	int ret;

	ret = make_functions(functions);
	if (ret)
		return ret;
	ret = shim_world_lock(&world, dir);
	if (ret)
		return fail(dir, ret);
	for (i = first; i < first + nr; i++) {
		make_stack(&stack, i, depth, functions);
		counts[record(&world, &stack, text, sizeof(text))]++;
	}
	shim_world_unlock(&world);
	printf("%" PRIu32 " cookies, %" PRIu32 " in full, %" PRIu32 " not recorded\n", counts[0],
	       counts[1], counts[2]);
	return 0;
}

/* A line of a copy of stack_map: a new record, or a frame of the one before. */
static int load_line(const char *line, struct stack *stack)
{
	uint32_t slot, ref;

	if (sscanf(line, "stack_id %" SCNu32 " gen %*u ref %" SCNu32, &slot, &ref) == 2 ||
	    sscanf(line, "stack_id %" SCNu32 " [ref %" SCNu32, &slot, &ref) == 2) {
		*stack = (struct stack){ .slot = slot, .times = ref };
		return 0;
	}
	if (!strncmp(line, " => ", 4))
		return add_frame(stack, line + 4);
	line = !strncmp(line, "  [", 3) ? strchr(line, ']') : NULL;
	return line ? add_frame(stack, line + 2) : 0;
}

static int load_lines(struct shim_world *world, FILE *file)
{
	struct stack stack = { .depth = 0 };
	char line[1024], cookie[64];
	bool more = true;

	while (more) {
		more = fgets(line, sizeof(line), file);
		line[strcspn(line, "\n")] = '\0';
		if ((!more || !strncmp(line, "stack_id", 8)) && stack.depth &&
		    record(world, &stack, cookie, sizeof(cookie)))
			fprintf(stderr, "stackmap-shim: slot %" PRIu32 " is not free\n",
				stack.slot);
		if (more && load_line(line, &stack))
			return 2;
	}
	return 0;
}

/* load FILE */
static int load(int argc, char **argv)
{
	struct shim_world world;
	FILE *file = argc ? fopen(argv[0], "r") : NULL;
	int ret;

	if (!file)
		return fail("load FILE", -errno);
	ret = shim_world_lock(&world, dir);
	if (ret)
		return fail(dir, ret);
	ret = load_lines(&world, file);
	shim_world_unlock(&world);
	fclose(file);
	shim_symbols_write(dir, false);
	return ret;
}

/* ---- rules ---- */

/* at [-n TIMES | -a] MOMENT FILE ARG ACTION... */
static int at(int argc, char **argv)
{
	struct shim_world world;
	char action[4096] = "";
	long times = 1;
	size_t len = 0;
	int opt, ret;

	optind = 0;
	while ((opt = getopt(argc + 1, argv - 1, "+an:")) != -1)
		times = opt == 'a' ? -1 : strtol(optarg ? optarg : "1", NULL, 10);
	argv += optind - 1;
	argc -= optind - 1;
	if (argc < 4)
		return fail("at MOMENT FILE ARG ACTION", -EINVAL);
	for (argc = 3; argv[argc] && len < sizeof(action); argc++)
		len += (size_t)snprintf(action + len, sizeof(action) - len, "%s%s",
					len ? " " : "", argv[argc]);
	ret = shim_world_lock(&world, dir);
	if (ret)
		return fail(dir, ret);
	ret = shim_rule_add(&world, times, argv[0], argv[1], argv[2], action);
	shim_world_unlock(&world);
	return ret ? fail(action, ret) : 0;
}

static int print_file(const char *name)
{
	char path[PATH_MAX], *text;
	size_t len = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	text = shim_sys_load(path, &len);
	if (text)
		fwrite(text, 1, len, stdout);
	free(text);
	return 0;
}

/* rules [clear]: those that wait */
static int rules(int argc, char **argv)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/rules", dir);
	return argc ? shim_sys_store(path, "", 0, false) : print_file("rules");
}

static int recorded(int argc, char **argv)
{
	return print_file("recorded");
}

/* ---- state ---- */

static void print_open(const struct shim_file *file, void *data)
{
	printf("open: %s map %" PRIu64 " read %" PRIu64 "%s\n", file->name, file->map,
	       file->nr_read, file->is_freeing ? " freeing" : "");
}

static int state(int argc, char **argv)
{
	struct shim_world world;
	struct shim_map *map;
	int ret = shim_world_lock(&world, dir);

	if (ret)
		return fail(dir, ret);
	printf("option: %" PRIu32 "\ntracing_on: %" PRIu32 "\n", world.state->option,
	       world.state->tracing_on);
	map = shim_map_get(&world, world.state->live);
	if (map)
		printf("map: %" PRIu64 " generation %" PRIu32 " entries %" PRIu32 "\n",
		       map->sequence, map->generation, map->entries);
	else
		printf("map: none\n");
	shim_map_put(map);
	printf("swapped out: %" PRIu32 "\n", shim_nr_swapped_out(&world));
	shim_each_file(&world, print_open, NULL);
	shim_world_unlock(&world);
	return 0;
}

/* hold NR: so many open files of the map in use, until standard input ends */
static int hold(int argc, char **argv)
{
	struct shim_file file = {
		.magic = SHIM_FILE_MAGIC,
		.kind = SHIM_STACK_MAP,
		.name = "stack_map",
	};
	long nr = argc ? strtol(argv[0], NULL, 10) : 1;
	struct shim_world world;
	int ret = shim_world_lock(&world, dir);
	char c;

	if (ret)
		return fail(dir, ret);
	shim_file_hold(&world, &file);
	while (nr-- > 0 && ret >= 0)
		ret = shim_file_new(&world, &file, 0);
	shim_world_unlock(&world);
	puts("held");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}

static void look_for_free(const struct shim_file *file, void *data)
{
	*(bool *)data |= file->is_freeing;
}

/* wait-free: until a write of "free" waits for readers; 1 if none did within ten seconds */
static int wait_free(int argc, char **argv)
{
	static const struct timespec pause = { .tv_nsec = 2000000 };
	struct shim_world world;
	bool is_freeing = false;
	int i;

	for (i = 0; i < 5000 && !is_freeing; i++) {
		if (shim_world_lock(&world, dir))
			return fail(dir, -ENOENT);
		shim_each_file(&world, look_for_free, &is_freeing);
		shim_world_unlock(&world);
		if (!is_freeing)
			nanosleep(&pause, NULL);
	}
	return !is_freeing;
}

static bool is_env(const char *name, const char *value)
{
	const char *is = getenv(name);

	return is && !strcmp(is, value);
}

/* In the folder of this program. */
static bool find_beside(char *path, size_t size, const char *name)
{
	ssize_t len = readlink("/proc/self/exe", path, size - 32);

	if (len < 0)
		return false;
	path[len] = '\0';
	strcpy(strrchr(path, '/') + 1, name);
	return true;
}

/* run COMMAND...: in the world, by the library, or as a file system where there is one already */
static int run(int argc, char **argv)
{
	bool by_fuse = is_env(SHIM_ENV_RUN, "fuse");
	char path[PATH_MAX];

	if (!argc || !find_beside(path, sizeof(path), by_fuse ? SERVER : LIBRARY))
		return fail("run COMMAND", -EINVAL);
	if (by_fuse && access(path, X_OK)) {
		fputs("stackmap-shim: this build had no libfuse3\n", stderr);
		return 77;
	}
	if (!by_fuse)
		setenv("LD_PRELOAD", path, true);
	else if (!is_env(SHIM_ENV_MOUNTED, dir))
		*--argv = path;
	execvp(argv[0], argv);
	return fail(argv[0], -errno);
}

/*
 * An open file of a server is closed when the server has heard of it. It hears in order, so who
 * asks it for something has the answer after that.
 */
static void settle(void)
{
	char path[PATH_MAX];
	struct dirent *entry;
	struct stat st;
	DIR *servers;

	snprintf(path, sizeof(path), "%s/servers", dir);
	servers = opendir(path);
	while (servers && (entry = readdir(servers))) {
		snprintf(path, sizeof(path), "%s/servers/%s/.", dir, entry->d_name);
		if (*entry->d_name != '.')
			stat(path, &st);
	}
	if (servers)
		closedir(servers);
}

static const struct {
	const char	*name;
	int		(*run)(int argc, char **argv);
} commands[] = {
	{ "setup", setup },
	{ "set", set },
	{ "record", record_command },
	{ "record-many", record_many },
	{ "record-on", record_on },
	{ "load", load },
	{ "at", at },
	{ "rules", rules },
	{ "recorded", recorded },
	{ "state", state },
	{ "hold", hold },
	{ "wait-free", wait_free },
	{ "run", run },
};

int main(int argc, char **argv)
{
	size_t i;

	dir = getenv(SHIM_ENV);
	for (i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		if (!dir && commands[i].run != setup)
			return fail(SHIM_ENV, -ENOENT);
		if (dir)
			settle();
		return commands[i].run(argc - 2, argv + 2);
	}
	fprintf(stderr, "stackmap-shim: what is to be done? See tests/shim/README.md\n");
	return 2;
}

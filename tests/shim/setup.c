// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a new world holds: the files of tracefs that our tools look at, and of the system around it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "setup.h"

#define STATE_MAGIC	0x53484d53

#define COMMON_FIELDS								\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"	\
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"	\
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define FORMAT_OLD								\
	"name: stack_id\nID: 21\nformat:\n" COMMON_FIELDS			\
	"\tfield:int stack_id;\toffset:8;\tsize:4;\tsigned:1;\n\n"		\
	"print fmt: \"<stack_id %d>\", REC->stack_id\n"

#define FORMAT_NEW								\
	"name: stack_id\nID: 21\nformat:\n" COMMON_FIELDS			\
	"\tfield:u64 stack_cookie;\toffset:8;\tsize:8;\tsigned:0;\n\n"		\
	"print fmt: \"<stack_id %u gen %u>\", ((u32)((REC)->stack_cookie)), "	\
	"((u32)((REC)->stack_cookie >> 32))\n"

#define OPTIONS									\
	"print-parent\nnosym-offset\nnosym-addr\nnoverbose\nnostacktrace\noverwrite\n" \
	"nodisable_on_free\nirq-info\nmarkers\nnoevent-fork\nnopause-on-trace\n" \
	"record-cmd\nnorecord-tgid\n"

#define README									\
	"tracing mini-HOWTO:\n\n# echo 0 > tracing_on : quick way to disable tracing\n"

/* The words of our series; they are the first sign of it where no map is allocated. */
#define README_OURS								\
	README									\
	"  stack_map\t\t- Shows each stack that was recorded as a cookie once\n"	\
	"\t\t\t  (see the option stackmap). Write into this file:\n"		\
	"\t\t\t  0 to go on with an empty map of the next generation,\n"		\
	"\t\t\t  free to give its memory back\n"				\
	"  stack_map_stat\t- Shows the use of the map, and by cause the stacks\n"	\
	"\t\t\t  that were recorded in full\n"					\
	"  stack_map_bin\t\t- Shows the same stacks in binary form\n"

#define BOOT_ID	"3f2504e0-4f89-41d3-9a0c-0305e82c3301\n"

enum needs {
	ALWAYS,
	ANY_MAP,	/* series 4 to 8 and ours */
	BIN,		/* which of them have it */
	OLD,
	NEW,
	OURS,
};

static const struct {
	const char	*path, *text;
	unsigned int	mode;
	enum needs	needs;
} files[] = {
	{ "root/README", README, 0440, ALWAYS },
	{ "root/README", README_OURS, 0440, OURS },
	{ "root/trace", "# tracer: nop\n", 0640, ALWAYS },
	{ "root/trace_pipe", "", 0440, ALWAYS },
	{ "root/trace_marker", "", 0220, ALWAYS },
	{ "root/current_tracer", "nop\n", 0640, ALWAYS },
	{ "root/available_tracers", "function nop\n", 0440, ALWAYS },
	{ "root/trace_clock", "[local] global counter uptime mono\n", 0640, ALWAYS },
	{ "root/buffer_size_kb", "1408\n", 0640, ALWAYS },
	{ "root/saved_cmdlines", "", 0440, ALWAYS },
	{ "root/set_event", "", 0640, ALWAYS },
	{ "root/tracing_on", "", 0640, ALWAYS },
	{ "root/trace_options", OPTIONS, 0640, ALWAYS },
	{ "root/options/stacktrace", "0\n", 0640, ALWAYS },
	{ "root/options/stackmap", "", 0640, ANY_MAP },
	{ "root/stack_map", "", 0640, ANY_MAP },
	{ "root/stack_map_stat", "", 0440, ANY_MAP },
	{ "root/stack_map_bin", "", 0440, BIN },
	{ "root/events/ftrace/stack_id/format", FORMAT_OLD, 0440, OLD },
	{ "root/events/ftrace/stack_id/format", FORMAT_NEW, 0440, NEW },
	{ "over/proc/modules", "", 0444, ALWAYS },
	{ "over/proc/sys/kernel/random/boot_id", BOOT_ID, 0444, ALWAYS },
	{ "over/proc/sys/kernel/kptr_restrict", "0\n", 0644, ALWAYS },
	{ "over/sys/kernel/security/lockdown", "[none] integrity confidentiality\n", 0444, ALWAYS },
	{ "uname", "6.12.0-played\n#1 SMP played\nx86_64\n", 0444, ALWAYS },
	{ "symbols", "", 0644, ALWAYS },
	{ "rules", "", 0644, ALWAYS },
	{ "recorded", "", 0644, ALWAYS },
};

static const char *const folders[] = {
	"", "maps", "files", "servers", "empty", "root", "root/options", "root/instances", "root/events",
	"root/events/ftrace", "root/events/ftrace/stack_id", "root/per_cpu", "over", "over/proc",
	"over/proc/self", "over/proc/sys", "over/proc/sys/kernel", "over/proc/sys/kernel/random",
	"over/sys", "over/sys/kernel", "over/sys/kernel/security", "over/etc",
};

static bool is_needed(enum needs needs, uint32_t series)
{
	switch (needs) {
	case ANY_MAP:
		return series;
	case BIN:
		return series && series != 8;
	case OLD:
		return series && series < 8;
	case NEW:
		return series >= 8;
	case OURS:
		return series == SHIM_SERIES_OURS;
	default:
		return true;
	}
}

static int store(const char *dir, const char *name, const char *text, unsigned int mode)
{
	char path[PATH_MAX];
	int ret;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ret = shim_sys_store(path, text, strlen(text), false);
	if (!ret && mode)
		chmod(path, mode);
	return ret;
}

static int make_folders(const char *dir)
{
	char path[PATH_MAX];
	size_t i;

	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, folders[i]);
		if (mkdir(path, 0755))
			return -errno;
	}
	return 0;
}

static int make_files(const char *dir, uint32_t series)
{
	size_t i;
	int ret;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (!is_needed(files[i].needs, series))
			continue;
		ret = store(dir, files[i].path, files[i].text, files[i].mode);
		if (ret)
			return ret;
	}
	return 0;
}

/* As the kernel writes a name where blanks divide. */
static void escape_blanks(char *to, size_t size, const char *name)
{
	size_t len = 0;

	for (; *name && len + sizeof("\\040") < size; name++)
		len += (size_t)snprintf(to + len, size - len, *name == ' ' ? "\\%03o" : "%c",
					*name);
	to[len] = '\0';
}

/* @where: "": nowhere; the file /proc/mounts says the same. */
static int set_mount(const char *dir, const char *where)
{
	static const char *const tables[] = {
		"over/proc/mounts", "over/proc/self/mounts", "over/etc/mtab"
	};
	const char *debug = strstr(where, "/debug/tracing");
	char text[2 * PATH_MAX], name[PATH_MAX];
	size_t i;
	char line[PATH_MAX + 64] = "";
	int ret;

	escape_blanks(name, sizeof(name), where);
	if (debug)
		snprintf(line, sizeof(line), "debugfs %.*s/debug debugfs rw 0 0\n",
			 (int)(debug - where), where);
	else if (*where)
		snprintf(line, sizeof(line), "nodev %s tracefs rw 0 0\n", name);
	snprintf(text, sizeof(text), "proc /proc proc rw 0 0\nsysfs /sys sysfs rw 0 0\n%s", line);
	ret = store(dir, "mount", where, 0);
	for (i = 0; !ret && i < sizeof(tables) / sizeof(tables[0]); i++)
		ret = store(dir, tables[i], text, 0);
	return ret;
}

int shim_setup(const char *dir, uint32_t series)
{
	struct shim_state state = {
		.magic = STATE_MAGIC,
		.series = series,
		.bits = 14,
		.page = 4096,
		.tracing_on = 1,
		.generation = series == SHIM_SERIES_OURS ? 24301 : 1,
		.next_file = 1,
		.uid = UINT32_MAX,
	};
	char path[PATH_MAX];
	int ret = make_folders(dir);

	if (!ret)
		ret = make_files(dir, series);
	if (!ret)
		ret = set_mount(dir, "/sys/kernel/tracing");
	if (!ret)
		ret = shim_symbols_write(dir, false);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "%s/state", dir);
	return shim_sys_store(path, (const char *)&state, sizeof(state), false);
}

/* ---- settings ---- */

static int set_boot_id(const char *dir, const char *value)
{
	char text[64];

	snprintf(text, sizeof(text), "%s\n", value);
	return store(dir, "over/proc/sys/kernel/random/boot_id", text, 0);
}

static int set_kallsyms(const char *dir, const char *value)
{
	return shim_symbols_write(dir, !strcmp(value, "hidden"));
}

/* "no": a container without it */
static int set_proc(const char *dir, const char *value)
{
	char path[PATH_MAX];

	if (!strcmp(value, "no"))
		return store(dir, "no-proc", "", 0);
	snprintf(path, sizeof(path), "%s/no-proc", dir);
	unlink(path);
	return 0;
}

static int remove_file(const char *dir, const char *value)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/root/%s", dir, value);
	return unlink(path) ? -errno : 0;
}

static const struct {
	const char	*name;
	int		(*set)(const char *dir, const char *value);
} texts[] = {
	{ "mount", set_mount },
	{ "boot_id", set_boot_id },
	{ "kallsyms", set_kallsyms },
	{ "proc", set_proc },
	{ "remove", remove_file },
};

static int set_number(const char *dir, const char *name, uint32_t value)
{
	struct shim_world world;
	int ret = shim_world_lock(&world, dir);
	size_t i;

	if (ret)
		return ret;
	const struct {
		const char *name;
		uint32_t *number;
	} numbers[] = {
		{ "bits", &world.state->bits },
		{ "page", &world.state->page },
		{ "tracing_on", &world.state->tracing_on },
		{ "generation", &world.state->generation },
		{ "uid", &world.state->uid },
		{ "can_mount", &world.state->can_mount },
	};

	ret = -EINVAL;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strcmp(numbers[i].name, name))
			continue;
		*numbers[i].number = value;
		ret = 0;
	}
	if (!strcmp(name, "option"))
		ret = shim_set_option(&world, value);
	shim_world_unlock(&world);
	return ret;
}

int shim_set(const char *dir, const char *setting)
{
	const char *value = strchr(setting, '=');
	char name[32];
	size_t i;

	if (!value)
		return -EINVAL;
	snprintf(name, sizeof(name), "%.*s", (int)(value - setting), setting);
	value++;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!strcmp(texts[i].name, name))
			return texts[i].set(dir, value);
	}
	return set_number(dir, name, (uint32_t)strtoul(value, NULL, 0));
}

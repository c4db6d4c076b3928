/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A played kernel with a stack map, in a directory, its "world":
 *
 *	state			struct shim_state: what the kernel knows
 *	lock			taken with flock() around all that touches the state
 *	maps/SEQUENCE		struct shim_map: one map, its slots and records
 *	files/NUMBER		struct shim_file: one open file of tracefs
 *	servers/PID		leads to where that process has it mounted, see fuse-run.c
 *	rules			what is to happen at which moment, see rules.c
 *	symbols			the functions that there are, with address and size
 *	recorded		a line for each stack that was recorded, for tests to compare with
 *	mount			where tracefs is mounted; empty: nowhere
 *	root/			what stands below that
 *	over/			files that stand in for those of the system: over/proc/kallsyms
 *
 * The descriptor that a program gets for a file of tracefs is one of files/NUMBER, locked with
 * flock(). That lock lives as long as the open file does, through dup(), fork(), exec() and
 * kill -9: whoever wants to know whether a file is still open tries to take it.
 *
 * The library that is preloaded, the server of the file system, and the program that sets a world
 * up are made of the same parts.
 * Everything in here makes system calls of its own: those of libc are taken over by the library.
 */
#ifndef SHIM_WORLD_H
#define SHIM_WORLD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/utsname.h>

#define SHIM_ENV		"STACKMAP_SHIM"
#define SHIM_ENV_RUN		"STACKMAP_SHIM_RUN"	/* "fuse": the command run mounts it */
#define SHIM_ENV_MOUNTED	"STACKMAP_SHIM_MOUNTED"	/* for whom it is: which world */

#define SHIM_SERIES_OURS	9	/* 4 to 8 are those of abi.md */
#define SHIM_MAX_DEPTH		1024
#define SHIM_MAX_SWAPPED_OUT	8
#define SHIM_TRAMPOLINE		UINT64_C(0x7fffffff)
#define SHIM_STEXT		UINT64_C(0xffffffff81000000)

struct shim_state {
	uint32_t	magic;
	uint32_t	series;
	uint32_t	bits;
	uint32_t	page;		/* bytes that a read of a seq_file makes at most */
	uint32_t	option;
	uint32_t	tracing_on;
	uint32_t	generation;	/* ours: of the next map; series 8: of this one */
	uint32_t	is_resetting;
	uint64_t	sequence;	/* of the newest map */
	uint64_t	live;		/* sequence of the map in use; 0: none */
	uint32_t	next_file;
	uint32_t	next_rule;
	uint64_t	no_map;
	uint32_t	uid;		/* what geteuid() says; UINT32_MAX: the truth */
	uint32_t	can_mount;
};

/* In this order in stack_map_stat of ours. */
enum shim_cause {
	SHIM_NO_CAPACITY,
	SHIM_NO_SPACE,
	SHIM_NO_SLOT,
	SHIM_BAD_DEPTH,
	SHIM_NO_EVENT,
	SHIM_NR_CAUSES,
};

struct shim_map {
	uint64_t	sequence;
	uint32_t	generation;
	uint32_t	capacity;
	uint32_t	nr_slots;
	uint32_t	entries;
	uint32_t	is_closed;
	uint32_t	nr_resets;	/* series 4 to 8: it is cleared in place */
	uint64_t	successes;
	uint64_t	causes[SHIM_NR_CAUSES];
	uint64_t	arena_used;	/* bytes, as our kernel counts */
	uint64_t	arena_size;
	uint64_t	end;		/* of the records in this file */
	uint64_t	slots[];	/* offset of the record; 0: empty */
};

struct shim_record {
	uint32_t	ref;
	uint32_t	depth;
	uint64_t	frames[];
};

enum shim_kind {
	SHIM_NO_KIND,		/* a plain file in root/ */
	SHIM_STACK_MAP,
	SHIM_STACK_MAP_BIN,
	SHIM_STACK_MAP_STAT,
	SHIM_OPTION,		/* options/stackmap */
	SHIM_TRACING_ON,
	SHIM_TRACE_OPTIONS,
};

/* One open file; what was made and not read yet stands behind it. */
struct shim_file {
	uint32_t	magic;
	uint32_t	kind;
	uint32_t	flags;		/* of open(2) */
	uint32_t	is_started;
	uint32_t	is_freeing;
	uint32_t	is_instance;
	uint64_t	map;		/* sequence of the one that it holds; 0: none */
	uint32_t	slot;		/* of the next stack */
	uint32_t	part;		/* stack_map_bin: header, stacks, trailer, end */
	uint32_t	nr_stacks;
	uint32_t	nr_resets;	/* as it found the map */
	uint64_t	nr_made;	/* bytes */
	uint64_t	nr_read;	/* bytes */
	uint32_t	buf_len;
	uint32_t	buf_from;
	char		name[64];
};

#define SHIM_FILE_MAGIC	0x53484946
#define SHIM_FILE_MODE	0641	/* told by it at once from what is none */

/* ---- a world, locked ---- */

struct shim_world {
	char			dir[4096];
	int			lock;
	struct shim_state	*state;
	/* of the process that is in it, as they were: */
	struct rlimit		limit;		/* on the size of files: not meant for ours */
	sigset_t		signals;
};

/* Negative errno: there is none in @dir. */
int shim_world_lock(struct shim_world *world, const char *dir);
void shim_world_unlock(struct shim_world *world);

/* The map with @sequence in memory, shared; NULL where it is gone or 0. */
struct shim_map *shim_map_get(struct shim_world *world, uint64_t sequence);
void shim_map_put(struct shim_map *map);
/* Put a new one into use; the one before is kept as long as a file holds it. */
int shim_map_new(struct shim_world *world, uint32_t generation);
/* Those that are not in use and held by a file. */
uint32_t shim_nr_swapped_out(struct shim_world *world);

/* What uname(2) says there, where the world says it. */
void shim_play_uname(const char *dir, struct utsname *name);

/* ---- open files ---- */

/* A new open file: its descriptor, or negative errno. */
int shim_file_new(struct shim_world *world, const struct shim_file *file, int flags);
int shim_file_read_state(int fd, struct shim_file *ret_file);
void shim_file_write_state(int fd, const struct shim_file *file);
/*
 * Calls @fn with each file that is open and removes what was left by those that are not, then maps
 * that nobody needs.
 */
void shim_each_file(struct shim_world *world,
		    void (*fn)(const struct shim_file *file, void *data), void *data);
void shim_drop_maps(struct shim_world *world);

/* ---- what the kernel does: kernel.c; the world is locked ---- */

int shim_set_option(struct shim_world *world, bool enabled);
/* @fd: of the file that it was written to; -1: none. Unlocks and locks for rules. */
int shim_reset(struct shim_world *world, int fd);
/* Takes the map out of use; ret_sequence: the newest that is to be waited for. */
int shim_free_begin(struct shim_world *world, int fd, uint64_t *ret_sequence);
bool shim_free_is_done(struct shim_world *world, uint64_t sequence);
void shim_free_end(struct shim_world *world, int fd);
/*
 * One stack, @times times. @slot: UINT32_MAX, the kernel's choice. Returns 0 and the slot and
 * generation, 1 where it is recorded in full, 2 where it is not recorded at all.
 */
int shim_record_stack(struct shim_world *world, const uint64_t *frames, uint32_t depth,
		      uint32_t times, uint32_t slot, uint32_t *ret_slot, uint32_t *ret_generation);

/* Reading. @count bytes at most; the number of bytes or negative errno. */
long shim_file_fill(struct shim_world *world, int fd, struct shim_file *file, char *data,
		    size_t count);
void shim_file_hold(struct shim_world *world, struct shim_file *file);

/* ---- symbols ---- */

/* "name+0x1/0x20 [mod]", "0x...", "[FTRACE TRAMPOLINE]". A name that is new is added. */
int shim_symbol_parse(const char *dir, const char *text, uint64_t *ret_address);
/* As %pS has it; the length. */
int shim_symbol_print(const char *dir, uint64_t address, char *out, size_t size);
/* over/proc/kallsyms anew; hidden: all addresses 0. */
int shim_symbols_write(const char *dir, bool hidden);

/* ---- rules ---- */

enum shim_action {
	SHIM_NOTHING,
	SHIM_RUN,	/* text: a command for sh */
	SHIM_FAIL,	/* number: errno */
	SHIM_LIMIT,	/* number: bytes of a read or write at most */
};

struct shim_rule {
	uint32_t		id;
	enum shim_action	action;
	uint64_t		number;
	char			text[4096];
};

bool shim_has_rules(const char *dir);
/*
 * The first rule behind @after for this moment; used up by one. @arg: "-" where there is none.
 * False where there is none.
 */
bool shim_rule_take(const char *dir, uint32_t after, const char *moment, const char *file,
		    const char *arg, struct shim_rule *ret_rule);
/* The first byte behind @from that a rule for reading or writing this file waits for. */
uint64_t shim_rule_next_byte(const char *dir, const char *moment, const char *file, uint64_t from);
int shim_rule_add(struct shim_world *world, long times, const char *moment, const char *file,
		  const char *arg, const char *action);
/* Runs what is to be run; 0 or the errno that the call has to fail with, negative. */
int shim_moment(const char *dir, const char *moment, const char *file, const char *arg,
		uint64_t *limit);

/* ---- who makes the call that is played: caller.c ---- */

/* Of this thread; 0: this process. */
extern _Thread_local pid_t shim_caller;

pid_t shim_caller_pid(void);
/* Then whoever waits for it, waits no longer: of another process only. */
bool shim_caller_is_killed(void);
/* Its descriptor @nr as one of this process, to be closed; negative errno. */
int shim_caller_fd(int nr);

/* ---- system calls ---- */

int shim_sys_open(const char *path, int flags, int mode);
char *shim_sys_load(const char *path, size_t *ret_len);
int shim_sys_store(const char *path, const char *data, size_t len, bool append);

#endif /* SHIM_WORLD_H */

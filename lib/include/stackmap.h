/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libstackmap - saved ftrace stack maps, and the stacks that their cookies stand for
 *
 * Every object is opaque, made by its _new() and released by its _free(), which takes NULL.
 *
 * Errors: a function that returns int gives 0 or a negative errno and sets errno to the same value;
 * one that returns a pointer gives NULL and sets errno. What happened in words is kept by the
 * object: its _get_error() gives one line, without newline, valid until the next call on the object
 * ("" before the first failure). Bytes that come from outside stand in it escaped.
 *
 * _get_ gives a borrowed pointer, valid while the object lives that it was taken from. nr_ is a
 * count; numbers count from 0. _len is bytes, _ns nanoseconds. Strings from outside are as they
 * were found: escape them before a terminal sees them (stackmap_escape()).
 *
 * Threads: no global state; one object is for one thread at a time. Nothing here prints or exits.
 */
#ifndef STACKMAP_H
#define STACKMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- cookies ---- */

/*
 * The value that the kernel records in place of a stack:
 * u64 stack_cookie = generation << 32 | slot. Series 4 to 7 of its stack map record a bare slot.
 */
uint64_t stackmap_cookie_make(uint32_t generation, uint32_t slot);
uint32_t stackmap_cookie_get_generation(uint64_t cookie);
uint32_t stackmap_cookie_get_slot(uint64_t cookie);
/* Of one boot. Numbers go round: half of all of them are later than each. */
bool stackmap_generation_is_later(uint32_t generation, uint32_t than);

/* ---- verdicts ---- */

/*
 * Why a cookie did or did not resolve: symbol, name for programs, text for people. Values never
 * change their meaning; new ones are added at the end.
 */
#define STACKMAP_VERDICTS(X)									\
	X(RESOLVED,		"resolved",		"resolved")				\
	X(NO_MAP,		"no-map",		"no saved map")				\
	X(GENERATION_NOT_SAVED,	"generation-not-saved",	"generation not saved")			\
	X(SLOT_NOT_SAVED,	"slot-not-saved",	"not in the saved map")			\
	X(CONTRADICTED,		"contradicted",		"the saved map contradicts the trace")	\
	X(CONFLICT,		"conflict",		"conflicting records")			\
	X(AMBIGUOUS,		"ambiguous",		"more than one saved map could be meant") \
	X(DAMAGED,		"damaged",		"the saved record is damaged")		\
	X(BAD_EVENT,		"bad-event",		"the event is damaged")		\
	X(NOT_PROVEN,		"not-proven",						\
	  "nothing proves that the saved map is of this trace")

enum stackmap_verdict {
#define STACKMAP_VERDICT_ENUM(symbol, name, text)	STACKMAP_VERDICT_##symbol,
	STACKMAP_VERDICTS(STACKMAP_VERDICT_ENUM)
#undef STACKMAP_VERDICT_ENUM
	STACKMAP_NR_VERDICTS
};

/* "generation-not-saved", never NULL; "unknown" for a value that is none. For JSON and scripts. */
const char *stackmap_verdict_get_name(enum stackmap_verdict verdict);
/* "generation not saved", never NULL. */
const char *stackmap_verdict_get_text(enum stackmap_verdict verdict);

/* ---- text ---- */

/*
 * Escape what a terminal could obey: control characters, DEL, C1, and bytes that are not UTF-8
 * become \xNN. Writes at most @size bytes to @out, NUL included, cut at a whole character. Returns
 * the length that the whole needs without the NUL; @out may be NULL where @size is 0.
 */
size_t stackmap_escape(char *out, size_t size, const char *data, size_t len);

/*
 * Messages that are no failures (a damaged block passed over, hidden symbols): one line without
 * newline.
 */
typedef void (*stackmap_log_fn)(const char *line, void *data);

/* ---- stack_map_stat ---- */

struct stackmap_stat;

enum stackmap_stat_field {
	STACKMAP_STAT_GENERATION,
	STACKMAP_STAT_ENTRIES,
	STACKMAP_STAT_CAPACITY,
	STACKMAP_STAT_SUCCESSES,
	STACKMAP_STAT_FALLBACKS,	/* "drops" in series 4 to 7 */
	STACKMAP_STAT_TABLE_SIZE,	/* series 4 to 7 only */
};

/*
 * Parse the text of stack_map_stat, in the form of any series. Empty text is valid: no map was
 * allocated, no field is there. NULL with errno EBADMSG (not a stack_map_stat), EINVAL (@text NULL
 * with a length) or ENOMEM.
 */
struct stackmap_stat *stackmap_stat_new(const char *text, size_t len);
void stackmap_stat_free(struct stackmap_stat *stat);
/* 0, or -ENOENT where the text does not have the field; *ret_value is then untouched. */
int stackmap_stat_get(const struct stackmap_stat *stat, enum stackmap_stat_field field,
		      uint64_t *ret_value);
/*
 * Any line "NAME: number" by its name, also one that this library does not know ("arena_used").
 * 0, or -ENOENT, or -EINVAL where its value is no number; *ret_value is then untouched.
 */
int stackmap_stat_find(const struct stackmap_stat *stat, const char *name, uint64_t *ret_value);
/* Lines of a later series that this library does not know, kept as they are. */
size_t stackmap_stat_nr_unknown(const struct stackmap_stat *stat);
/* The line without its newline; NULL with errno ERANGE past the end. */
const char *stackmap_stat_get_unknown(const struct stackmap_stat *stat, size_t nr);

/* ---- saved maps: reading ---- */

struct stackmap_store;
struct stackmap_save;

#define STACKMAP_TIME_UNKNOWN	UINT64_MAX

enum stackmap_byte_order {
	STACKMAP_ORDER_UNKNOWN,
	STACKMAP_ORDER_LITTLE,
	STACKMAP_ORDER_BIG,
};

struct stackmap_store *stackmap_store_new(void);
void stackmap_store_free(struct stackmap_store *store);
const char *stackmap_store_get_error(const struct stackmap_store *store);

/*
 * Read a saved-map file. A raw export (stack_map, stack_map_bin, a copy of either) is accepted too
 * and shows as a store with one save; a trace.dat stands for the saved maps that are attached to
 * it; "-" is standard input. A store is opened once. Returns 0; -EINVAL: neither of these;
 * -ENODATA: a trace.dat, and nothing is attached to it; -EBADMSG: damaged from its first byte;
 * -EOPNOTSUPP: written by a newer version; -EBUSY: opened before; -EFBIG: longer than any export;
 * -ENOMEM; or the errno of open(2) or read(2). Damaged parts do not fail it: what is whole is
 * served, the rest is listed as damage.
 */
int stackmap_store_open(struct stackmap_store *store, const char *path);

/* Bytes of the file. */
uint64_t stackmap_store_get_len(const struct stackmap_store *store);
size_t stackmap_store_nr_saves(const struct stackmap_store *store);
/* NULL with errno ERANGE past the end. */
const struct stackmap_save *stackmap_store_get_save(const struct stackmap_store *store, size_t nr);

size_t stackmap_store_nr_damages(const struct stackmap_store *store);
/*
 * What is damaged, in words, escaped; NULL with errno ERANGE. @ret_offset, @ret_len: where, in
 * bytes; may be NULL.
 */
const char *stackmap_store_get_damage(const struct stackmap_store *store, size_t nr,
				      uint64_t *ret_offset, uint64_t *ret_len);

/*
 * Check every byte. Afterwards stackmap_store_get_damage() lists all that was found. Returns the
 * number of damages, or negative errno where the check could not be made.
 */
int stackmap_store_verify(struct stackmap_store *store);

/*
 * Append to the saved-map file of @store, in which all saves are that it shows, that these were
 * recorded with the trace file @trace: only for who recorded both, since it is believed (see enum
 * stackmap_tie). Any number of them may follow one another; saves that are appended later are not
 * meant. Nothing behind the end of what trace-cmd reads counts as part of @trace. -EINVAL: not
 * opened, standard input, a raw export, or @trace is no trace.dat; -ENODATA: there is no save; or
 * as stackmap_import_write() and stackmap_resolver_set_trace().
 */
int stackmap_store_tie(struct stackmap_store *store, const char *trace);

/*
 * Append the saves of @store that are not there yet to the saved-map file @path, which is made
 * where it is not there, locked while it is written, and on disk when 0 is returned. What is
 * damaged in @store is left out. On failure @path has what it had. -EINVAL: @store is not opened;
 * or as stackmap_import_write().
 */
int stackmap_store_append(struct stackmap_store *store, const char *path);

/*
 * Write the saved-map file @path anew without the saves for which @fn gives true: it is called once
 * for each, in their order in the file, with the file locked against writers, and may not use
 * @store. What is damaged behind a save (before the first: with that) goes with it. The new file
 * takes the place of the old one at once and durably, with its owner and mode; whoever has the old
 * one open reads on in that. @store, not opened, keeps the words of an error. Returns the number of
 * saves dropped, or -EBUSY (@store is opened), -ENOENT, or as stackmap_import_write(): the file is
 * then as it was.
 */
typedef bool (*stackmap_drop_fn)(const struct stackmap_save *save, void *data);
int stackmap_store_drop(struct stackmap_store *store, const char *path, stackmap_drop_fn fn,
			void *data);

/*
 * Where and when a save was made. Strings are NULL and numbers 0 (times STACKMAP_TIME_UNKNOWN)
 * where it is unknown; that sets no errno.
 */
const char *stackmap_save_get_boot_id(const struct stackmap_save *save);	/* with dashes */
const char *stackmap_save_get_release(const struct stackmap_save *save);	/* uname -r */
const char *stackmap_save_get_version(const struct stackmap_save *save);	/* uname -v */
const char *stackmap_save_get_machine(const struct stackmap_save *save);	/* uname -m */
unsigned int stackmap_save_get_word_size(const struct stackmap_save *save);	/* bytes */
enum stackmap_byte_order stackmap_save_get_byte_order(const struct stackmap_save *save);
uint64_t stackmap_save_get_wall_ns(const struct stackmap_save *save);	/* since 1970 */
uint64_t stackmap_save_get_boot_ns(const struct stackmap_save *save);	/* CLOCK_BOOTTIME */

/*
 * What it holds. The format is "text8", "text4", "bin1" or "bin2"; NULL with errno where the export
 * cannot be decoded.
 */
const char *stackmap_save_get_format(const struct stackmap_save *save);
bool stackmap_save_has_generation(const struct stackmap_save *save);
bool stackmap_save_has_symbols(const struct stackmap_save *save);
/* A later save of the same file holds all of it: a resolver does not look at it. */
bool stackmap_save_is_superseded(const struct stackmap_save *save);
/* The file is the export itself. */
bool stackmap_save_is_raw(const struct stackmap_save *save);
/*
 * Its map was out of use when it was read, so that nothing can have been added later. False also
 * where the export does not tell (all but "bin2") or cannot be decoded.
 */
bool stackmap_save_is_closed(const struct stackmap_save *save);
size_t stackmap_save_nr_generations(const struct stackmap_save *save);
/* 0 past the end and where has_generation is false. */
uint32_t stackmap_save_get_generation(const struct stackmap_save *save, size_t nr);
/* Of that generation. */
uint64_t stackmap_save_nr_stacks(const struct stackmap_save *save, size_t nr);
uint64_t stackmap_save_get_offset(const struct stackmap_save *save);	/* in the file */
/* Bytes in the file. */
uint64_t stackmap_save_get_len(const struct stackmap_save *save);
/* Bytes of the export. */
uint64_t stackmap_save_get_export_len(const struct stackmap_save *save);

/*
 * The kernel's export, verbatim, in memory to be freed with free(). NULL with errno EBADMSG,
 * ENOMEM.
 */
char *stackmap_save_read_export(const struct stackmap_save *save, size_t *ret_len);
/*
 * The stack_map_stat that was saved with it, or else the same numbers from the export where that
 * has them ("bin2"); NULL with errno ENOENT where there is none.
 */
struct stackmap_stat *stackmap_save_read_stat(const struct stackmap_save *save);

/* ---- saved maps: importing copies made by hand ---- */

struct stackmap_import;

enum stackmap_file_kind {
	STACKMAP_FILE_EXPORT,		/* stack_map, stack_map_bin */
	STACKMAP_FILE_STAT,
	STACKMAP_FILE_KALLSYMS,
	STACKMAP_FILE_EMPTY,		/* no map was allocated: nothing to store */
};

struct stackmap_import *stackmap_import_new(void);
void stackmap_import_free(struct stackmap_import *import);
const char *stackmap_import_get_error(const struct stackmap_import *import);
void stackmap_import_set_log(struct stackmap_import *import, stackmap_log_fn fn, void *data);

/*
 * The origin of all files of the import; what is not set is stored as unknown. Return 0, -EINVAL,
 * -ENOMEM.
 */
int stackmap_import_set_boot_id(struct stackmap_import *import, const char *boot_id);
int stackmap_import_set_release(struct stackmap_import *import, const char *release);
int stackmap_import_set_version(struct stackmap_import *import, const char *version);
int stackmap_import_set_machine(struct stackmap_import *import, const char *machine);

/*
 * Take a copy of stack_map, stack_map_bin, stack_map_stat or /proc/kallsyms; which one is told from
 * its contents. "-" is standard input. What is noteworthy (a cut last record, merged records,
 * generations found) is logged. Returns the kind, or negative errno with words: -EINVAL (none of
 * these), -EBADMSG (damaged, with the place). Hidden kallsyms are logged and not used.
 */
int stackmap_import_add_file(struct stackmap_import *import, const char *path);
/* Exports taken so far. */
size_t stackmap_import_nr_exports(const struct stackmap_import *import);

/*
 * Append what was taken to the saved-map file @path, one save an export, made where it is not there
 * yet. A stat file goes with the export that it was copied with: of the same name up to the ending,
 * else of the same generation, else the only one. Everything is on disk when 0 is returned.
 * -ENODATA: no export was taken; -EEXIST: @path exists and is no saved-map file; -EINVAL: a stat
 * file fits no export; -ETIMEDOUT: another process has had it locked for 30 seconds; or errno of
 * writing: the file then holds what it held before.
 */
int stackmap_import_write(struct stackmap_import *import, const char *path);

/* ---- saved maps inside a trace.dat ---- */

/*
 * Behind the last section of a trace.dat (version 6 or 7) there is room that no reader of traces
 * looks at. Saved maps that are put there go wherever the trace goes; resolver, plugin and commands
 * find them. An attachment collects saves, and puts them there.
 */
struct stackmap_attachment;

struct stackmap_attachment *stackmap_attachment_new(void);
void stackmap_attachment_free(struct stackmap_attachment *attachment);
const char *stackmap_attachment_get_error(const struct stackmap_attachment *attachment);
/* What is passed over (damage, what is attached already) is logged. */
void stackmap_attachment_set_log(struct stackmap_attachment *attachment, stackmap_log_fn fn,
				 void *data);

/*
 * Take the saves of a saved-map file, of a raw export, or those that are attached to another
 * trace.dat; "-" is standard input. The file stays open, and is not changed. Returns 0, or as
 * stackmap_store_open(); -ENODATA: it holds no whole save.
 */
int stackmap_attachment_add_file(struct stackmap_attachment *attachment, const char *path);
/* Saves taken so far. */
size_t stackmap_attachment_nr_saves(const struct stackmap_attachment *attachment);

/*
 * Put the saves that were taken into the trace.dat @trace, behind those that are attached already;
 * one that is there is not put there again. Owner, mode and every byte of the trace stay, and it
 * can be read all the time. All is on disk when 0 is returned. Where the machine stops in the
 * middle, the maps are there that were before, and what was begun is overwritten by the next one.
 * Waits for another attachment to the same file, 30 seconds at most: -ETIMEDOUT. What ties saves to
 * a trace (stackmap_store_tie()) goes with them, and saves that a later one supersedes are left
 * out. Returns the number of saves that were added, which can be 0; -EINVAL (no regular file, no
 * trace.dat, a latency trace); -ENODATA: none was taken; -EBUSY: somebody is writing the trace,
 * or has changed it meanwhile; -EBADMSG: it is cut, damaged, or not finished yet, or a file has
 * changed whose saves were taken; -EOPNOTSUPP: it, or what is attached, is of a newer version;
 * -EEXIST: other bytes stand behind its last section; or the errno of open(2) or of writing: the
 * file then is as it was before.
 */
int stackmap_attachment_write(struct stackmap_attachment *attachment, const char *trace);

/*
 * Take what is attached out of the trace.dat @trace, which then has the bytes again that it had
 * before the first of them was attached. The saves go to the saved-map file @path first, made where
 * it is not there yet, else those that it lacks are appended; NULL: they are thrown away. Where the
 * machine stops in the middle they are in one of the two, or in both. Needs no saves taken before.
 * Returns the number of saves that were attached; -ENODATA: nothing is; -EEXIST: @path is no
 * saved-map file; -EBADMSG: of what is attached something is damaged, and @path given: nothing was
 * changed; or as above.
 */
int stackmap_attachment_detach(struct stackmap_attachment *attachment, const char *trace,
			       const char *path);

/* ---- resolving ---- */

struct stackmap_resolver;
struct stackmap_map;
struct stackmap_stack;

struct stackmap_resolver *stackmap_resolver_new(void);
void stackmap_resolver_free(struct stackmap_resolver *resolver);
const char *stackmap_resolver_get_error(const struct stackmap_resolver *resolver);
void stackmap_resolver_set_log(struct stackmap_resolver *resolver, stackmap_log_fn fn, void *data);

/* How stackmap_stack_get_text() spells a stack. Set before the first stack is asked for. */
struct stackmap_style {
	size_t		size;		/* sizeof(struct stackmap_style), so that it can grow */
	unsigned int	flags;		/* STACKMAP_STYLE_ */
	unsigned int	max_frames;	/* then one line says how many are left out; 0: all */
};

/*
 * ONE_LINE: frames joined by " <= ", innermost first. NAMES_ONLY: without offset, size and module.
 * STRIP_SUFFIX: names without .llvm.NUMBER, .cold, .isra.N, .part.N, .constprop.N. DEMANGLE: Rust
 * names; what cannot be demangled stays.
 */
#define STACKMAP_STYLE_ONE_LINE		(1U << 0)
#define STACKMAP_STYLE_NAMES_ONLY	(1U << 1)
#define STACKMAP_STYLE_STRIP_SUFFIX	(1U << 2)
#define STACKMAP_STYLE_DEMANGLE		(1U << 3)

/*
 * Returns 0, or -EINVAL (size or flag of a newer library) or -EBUSY (a stack was asked for before).
 */
int stackmap_resolver_set_style(struct stackmap_resolver *resolver,
				const struct stackmap_style *style);

/*
 * Call @fn, with @data, for each file that @paths stands for: a file; a folder, for its files
 * *.stackmap in the order of their names; or "A:B", several of both, where nothing has the whole
 * name. A folder without any is handed to @fn, which cannot open it. Ends where @fn returns another
 * value than 0, and returns that; or 0, or -ENOMEM. No file is opened.
 */
int stackmap_each_file(const char *paths, int (*fn)(const char *path, void *data), void *data);

/*
 * Use the saved maps of each file of @path, see stackmap_each_file(): a saved-map file, a raw
 * export, or a trace.dat that has some attached. Returns 0 or negative errno, as
 * stackmap_store_open() does.
 */
int stackmap_resolver_add_file(struct stackmap_resolver *resolver, const char *path);

/*
 * The trace whose cookies are resolved. Its release, machine, byte order and symbols are what a map
 * must not contradict; its symbols name the addresses of a binary export that has none of its own.
 * _fd duplicates @fd and leaves its position alone; it is for who has the trace open, and read its
 * formats, already. The other one looks into all sections, and refuses what libtracecmd and
 * libtraceevent do not survive. Returns 0, -EINVAL (no trace.dat), -EBADMSG (cut or damaged, with
 * the place), -EOPNOTSUPP (unknown version or compression), -EBUSY (set before) or the errno of
 * open(2) or read(2).
 */
int stackmap_resolver_set_trace(struct stackmap_resolver *resolver, const char *path);
int stackmap_resolver_set_trace_fd(struct stackmap_resolver *resolver, int fd);

/*
 * The clock of that trace ("local", "mono", ...); NULL where none was set or it does not say. Sets
 * no errno.
 */
const char *stackmap_resolver_get_trace_clock(const struct stackmap_resolver *resolver);

/*
 * The name of task @pid in that trace: all of it, blanks at its beginning and end, too. The trace's
 * names are read at the first call. NULL with errno ENOENT (none was set or it does not say; the
 * kernel saves no name for PID 0), EBADMSG (damaged), ENOMEM or that of read(2).
 */
const char *stackmap_resolver_get_trace_comm(struct stackmap_resolver *resolver, int pid);

/*
 * Use the maps that belong to the trace file @path by their place: those that are attached to it,
 * and those in @path with ".stackmap" appended, else, where @path is a link, beside what it points
 * to. Of the latter none counts for a generation that an attached one can be meant for, unless both
 * are of the same boot, or only the other has something that speaks for it. NULL: only those that
 * are attached to the trace that was set. Returns the number of places used (0: there is none,
 * which is not an error), or negative errno of one that is there.
 */
int stackmap_resolver_add_maps_of(struct stackmap_resolver *resolver, const char *path);

/*
 * Names for addresses, from a copy of the /proc/kallsyms of the origin. -ENODATA: the addresses are
 * hidden. What they cannot be known to be of (maps of two boots, without a trace) stays hex, which
 * is logged.
 */
int stackmap_resolver_add_kallsyms(struct stackmap_resolver *resolver, const char *path);

/*
 * For cookies without generation (series 4 to 7): resolve them from this map. Where the maps carry
 * no generation either, @generation counts the saved maps in the order in which they were added,
 * from 1.
 */
int stackmap_resolver_set_generation(struct stackmap_resolver *resolver, uint32_t generation);

/*
 * For cookies without generation whose trace is not a trace.dat: all slots that will be asked for.
 * A single map is believed only if it holds every one of them. Returns 0 or -ENOMEM.
 */
int stackmap_resolver_expect_slot(struct stackmap_resolver *resolver, uint32_t slot);

/* As _find_slot() is given where no time is known; a time of day tells nothing either. */
#define STACKMAP_TS_UNKNOWN	UINT64_MAX

/*
 * The stack of a cookie, or why it has none: look at stackmap_stack_get_verdict(). The answer lives
 * as long as the resolver and is the same object for the same cookie: looked up and spelled once,
 * constant time after that. @ts_ns: time stamp of the event in the clock of the trace; where the
 * cookie has a generation it tells nothing more and is not used. NULL with errno ENOMEM only.
 */
struct stackmap_stack *stackmap_resolver_find(struct stackmap_resolver *resolver, uint64_t cookie,
					      uint64_t ts_ns);
/* The same for a cookie without generation. */
struct stackmap_stack *stackmap_resolver_find_slot(struct stackmap_resolver *resolver,
						   uint32_t slot, uint64_t ts_ns);

/*
 * A stack that was recorded in full, as ftrace:kernel_stack events hold it: return addresses,
 * innermost first, named by the symbols given and those of the trace. Resolved always; slot,
 * generation and ref are 0. The same object for the same addresses, as above. NULL with errno
 * ENOMEM only.
 */
struct stackmap_stack *stackmap_resolver_find_addresses(struct stackmap_resolver *resolver,
							const uint64_t *addresses, uint32_t nr);

enum stackmap_verdict stackmap_stack_get_verdict(const struct stackmap_stack *stack);
/*
 * Why it is not resolved, with its particulars ("generation 3 not saved"), in one line, escaped; ""
 * if it is.
 */
const char *stackmap_stack_get_reason(const struct stackmap_stack *stack);
uint32_t stackmap_stack_get_slot(const struct stackmap_stack *stack);
bool stackmap_stack_has_generation(const struct stackmap_stack *stack);
uint32_t stackmap_stack_get_generation(const struct stackmap_stack *stack);
/* Times it was recorded, as the map says: saturates at INT_MAX. */
uint32_t stackmap_stack_get_ref(const struct stackmap_stack *stack);
/* Frames; 0 where the stack is not resolved (but see stackmap_map_get_stack()). */
uint32_t stackmap_stack_get_depth(const struct stackmap_stack *stack);
/*
 * Frame @nr, innermost 0, as the kernel's %pS spells it, whatever the style; NULL with errno
 * ERANGE, ENOMEM.
 */
const char *stackmap_stack_get_frame(struct stackmap_stack *stack, uint32_t nr);
/* Only its name, as the flags of the style say. */
const char *stackmap_stack_get_frame_name(struct stackmap_stack *stack, uint32_t nr);
/*
 * The whole stack in the resolver's style, control characters escaped: lines " => FRAME" joined by
 * newlines, none at the end; "" where it is not resolved. @ret_len may be NULL. NULL with errno
 * ENOMEM.
 */
const char *stackmap_stack_get_text(struct stackmap_stack *stack, size_t *ret_len);
/*
 * A pointer of the caller's, NULL at first: for what is to be made once per stack. The library
 * never follows it.
 */
void stackmap_stack_set_private(struct stackmap_stack *stack, void *data);
void *stackmap_stack_get_private(const struct stackmap_stack *stack);

/* ---- the maps of a resolver ---- */

/* One generation of one save, in the order in which they were added. */
size_t stackmap_resolver_nr_maps(const struct stackmap_resolver *resolver);
/* NULL with errno ERANGE past the end. */
struct stackmap_map *stackmap_resolver_get_map(struct stackmap_resolver *resolver, size_t nr);
/* The file that it came from. */
const char *stackmap_map_get_path(const struct stackmap_map *map);
/* The save that it is of. */
const struct stackmap_save *stackmap_map_get_save(const struct stackmap_map *map);
bool stackmap_map_has_generation(const struct stackmap_map *map);
uint32_t stackmap_map_get_generation(const struct stackmap_map *map);
/*
 * NULL, or why the map cannot be of the resolver's trace, escaped. To ask is to use the resolver:
 * nothing can be added any more (-EBUSY), as once a stack was asked for.
 */
const char *stackmap_map_get_contradiction(struct stackmap_map *map);

/*
 * What ties a map to the trace. UNKNOWN: something could not be compared that two boots differ in.
 * CONSISTENT: release, symbols and times agree, as they can in two boots of one kernel. PROVEN: who
 * recorded both says so (stackmap_store_tie()), or the generation was drawn at random at boot, so
 * that no other boot has it.
 */
enum stackmap_tie {
	STACKMAP_TIE_UNKNOWN,
	STACKMAP_TIE_CONSISTENT,
	STACKMAP_TIE_PROVEN,
};

/* "unknown", "consistent", "proven". */
const char *stackmap_tie_get_name(enum stackmap_tie tie);
/* To ask is to use the resolver, as above. UNKNOWN with errno ENOMEM too. */
enum stackmap_tie stackmap_map_get_tie(struct stackmap_map *map);
/* Why it is so, or what is missing, in one line; NULL with errno ENOMEM. */
const char *stackmap_map_get_tie_reason(struct stackmap_map *map);

/*
 * Resolve from maps whose tie is PROVEN and from no others: a cookie that has another is
 * STACKMAP_VERDICT_NOT_PROVEN. Without it they resolve too, and one line is logged with the first
 * stack that is not proven, unless stackmap_map_get_tie() was asked before. Returns 0 or -EBUSY (a
 * stack was asked for before).
 */
int stackmap_resolver_require_proof(struct stackmap_resolver *resolver);

/*
 * Distinct stacks, conflicting ones each; (size_t)-1 with errno EBADMSG, ENOMEM where the save
 * cannot be decoded.
 */
size_t stackmap_map_nr_stacks(struct stackmap_map *map);
/*
 * Stack @nr, slots rising, as the map has it: what is damaged or in conflict has its verdict and
 * its frames. NULL with errno ERANGE, EBADMSG, ENOMEM.
 */
struct stackmap_stack *stackmap_map_get_stack(struct stackmap_map *map, size_t nr);

/* ---- the map of the running kernel ---- */

struct tracefs_instance;	/* of libtracefs */
struct stackmap_live;

/*
 * The stack map of the running kernel. Files are looked for anew by each function, so that tracefs
 * may be mounted elsewhere meanwhile; none stays open between two calls. @instance: NULL for the
 * top level, the only one that has a map; one of tracefs_instance_alloc(DIR, NULL) stands for any
 * folder with these files; it must live as long. Touches nothing yet. NULL with errno ENOMEM.
 */
struct stackmap_live *stackmap_live_new(struct tracefs_instance *instance);
void stackmap_live_free(struct stackmap_live *live);
const char *stackmap_live_get_error(const struct stackmap_live *live);
void stackmap_live_set_log(struct stackmap_live *live, stackmap_log_fn fn, void *data);

/*
 * Find the files and see what the kernel can. Each function below finds them first, too, sees what
 * the kernel can where that is not known yet, and can fail as this one does. Returns 0, or with one
 * line of what to do: -ENOENT (tracefs is not mounted); -EOPNOTSUPP (this kernel has no stack map;
 * or @instance is not the top level); -EACCES, -EPERM (not allowed to, or the kernel is locked
 * down); -ENODEV (tracing is disabled); -ENOMEM; or another errno of open(2) or read(2).
 */
int stackmap_live_open(struct stackmap_live *live);

/*
 * What the kernel can, as the call that looked saw it; 0 before. GENERATIONS:
 * cookies and maps say their generation (series 8 on). ROTATE: a reset gives the whole old map to
 * who asked for it, while tracing runs on. BINARY: there is a stack_map_bin. FREE: the memory of
 * the map can be given back. RANDOM_GENERATION: no two boots begin with the same generation.
 */
#define STACKMAP_CAN_GENERATIONS	(1U << 0)
#define STACKMAP_CAN_ROTATE		(1U << 1)
#define STACKMAP_CAN_BINARY		(1U << 2)
#define STACKMAP_CAN_FREE		(1U << 3)
#define STACKMAP_CAN_RANDOM_GENERATION	(1U << 4)
unsigned int stackmap_live_get_abilities(const struct stackmap_live *live);
/* The folder of tracefs that was found last; NULL: none yet. Sets no errno. */
const char *stackmap_live_get_dir(const struct stackmap_live *live);

/* 1: the option is set, 0: it is not; negative errno. */
int stackmap_live_is_enabled(struct stackmap_live *live);
/* Clearing it keeps the map. -ENOMEM also where the kernel has no memory for a map. */
int stackmap_live_set_enabled(struct stackmap_live *live, bool enabled);

/*
 * stack_map_stat of now; without any field where no map is allocated. NULL with errno, -ENOENT
 * among them: this kernel has no such file.
 */
struct stackmap_stat *stackmap_live_read_stat(struct stackmap_live *live);

#define STACKMAP_MISSING_UNKNOWN	UINT64_MAX

/* What a save or a rotation did. */
struct stackmap_saved {
	size_t		size;		/* sizeof(struct stackmap_saved), so that it can grow */
	bool		has_generation;
	uint32_t	generation;	/* of the map that was saved */
	uint64_t	nr_stacks;	/* of it */
	/*
	 * After a reset: so many of its stacks are in no saved map, as the counters said right
	 * before it; STACKMAP_MISSING_UNKNOWN: nothing tells. With STACKMAP_CAN_ROTATE it is 0 and
	 * exact. Else what comes between the look at the counters and the reset is in none of
	 * them, but with STACKMAP_ROTATE_PAUSE nothing does. Without a reset 0: what comes later
	 * can still be saved.
	 */
	uint64_t	nr_missing;
	uint64_t	len;		/* bytes that were written, but for kept names */
	bool		is_complete;	/* nothing can be added to this generation any more */
	bool		is_reset;	/* the kernel goes on with an empty map */
	bool		is_elsewhere;	/* not in the file asked for: stackmap_live_get_path() */
	/*
	 * What was lost was logged: names that the kernel would not give, or a generation before it
	 * that another tool reset.
	 */
	bool		has_losses;
};

/*
 * Append the map of now to the saved-map file @path, made where it is not there yet, with names for
 * its addresses, its statistics and its origin. All is on disk when 0 is returned; the map stays
 * as it is. A generation that the file has already is superseded where all stacks of the older
 * save are in the new one. The file is locked from before the map is read: two savers neither lose
 * nor double one. Noteworthy things are logged. @ret_saved may be NULL. -ENODATA: no map is
 * allocated, or it holds no stack; -EBADMSG: what the kernel gave cannot be parsed; or as
 * stackmap_import_write() on writing: the file then holds what it held before.
 */
int stackmap_live_save(struct stackmap_live *live, const char *path,
		       struct stackmap_saved *ret_saved);

/*
 * Keep the names of all functions in each file beside its saves (see stackmap-store(5)), where they
 * take no more than these: not at first. Reading them from the kernel takes longer than all else of
 * a save. An object reads them once; this is for those of other processes that come later.
 */
void stackmap_live_set_keep_names(struct stackmap_live *live, bool keep);

/*
 * Wait so many milliseconds for another process that has the file of a save locked, 30000 at first,
 * and then fail with -ETIMEDOUT: it may be stopped. Nothing has changed then, neither in the file
 * nor in the kernel.
 */
void stackmap_live_set_lock_wait(struct stackmap_live *live, unsigned int ms);

/* Stop recording (tracing_on) during the rotation where it would lose stacks otherwise. */
#define STACKMAP_ROTATE_PAUSE		(1U << 0)

/*
 * Save, then reset. The map is not reset before its stacks are safe: in @path, or, where the kernel
 * gives the old map to who resets it (STACKMAP_CAN_ROTATE), held. Where it is held and cannot be
 * written to @path, it is written to a new file in $TMPDIR, /var/tmp or the current folder (see
 * is_elsewhere); failing that it stays in memory, or held where it could not even be read, the
 * error says so, and the next save or rotation with this object writes it first. Without
 * STACKMAP_CAN_ROTATE, stacks can come between the copy and the reset: nr_missing. As
 * stackmap_live_save(), and -EOPNOTSUPP: without generations (series 4 to 7) nothing would tell the
 * cookies before the reset from those behind it; -EBUSY, -ENOMEM: the kernel did not reset, nothing
 * has changed (with STACKMAP_CAN_ROTATE), or the map is saved but not reset (without); -EAGAIN:
 * others reset the map all the time; all that was read is saved.
 */
int stackmap_live_rotate(struct stackmap_live *live, const char *path, unsigned int flags,
			 struct stackmap_saved *ret_saved);

/*
 * Save what a rotation took out of the kernel and could not write, to @path or elsewhere, as it
 * tells. Only this object has it: whoever ends calls this before. Returns 0 (ret_saved->is_reset is
 * true), -ENODATA: there is none; or negative errno: it is still kept.
 */
int stackmap_live_save_pending(struct stackmap_live *live, const char *path,
			       struct stackmap_saved *ret_saved);

/*
 * Where the last save or rotation was written to; NULL: nowhere. Valid until the next one. Sets no
 * errno.
 */
const char *stackmap_live_get_path(const struct stackmap_live *live);

/* Reset without saving: the cookies that the ring buffer has can never be resolved. */
int stackmap_live_reset(struct stackmap_live *live);

/*
 * How far back the ring buffer reaches: no event in it was recorded before *ret_ns (CLOCK_BOOTTIME;
 * 0: that may be any time of this boot). A cautious answer, for whoever wants to drop the saves of
 * generations that were over by then. -ENODATA: it has no event; -EOPNOTSUPP: its clock does not
 * count seconds or can be set back ("tai"), or a snapshot of it has events; or as
 * stackmap_live_open().
 */
int stackmap_live_get_oldest_ns(struct stackmap_live *live, uint64_t *ret_ns);

/* Return as soon as the map is out of use, and do not wait until nobody reads it any more. */
#define STACKMAP_FREE_NOWAIT		(1U << 0)

/*
 * Give the memory of the map back. -EBUSY: the option is set; -EOPNOTSUPP: this kernel cannot
 * (series 4 to 7); -EINTR: killed while it waited.
 */
int stackmap_live_free_map(struct stackmap_live *live, unsigned int flags);

/*
 * Resolve from the map of the running kernel too; @live must live as long as the resolver. It is
 * read now, and again when a cookie is not found in it and there is more in it than before. No map,
 * or one without a stack, is no error. A stack whose verdict was "not saved" can then be resolved
 * when it is asked for again; its pointer stays the same. Of several resolvers with one @live only
 * the last one follows it. Returns 0, what stackmap_live_open() returns, or -EBUSY (a stack was
 * asked for before, or there is one already).
 */
int stackmap_resolver_add_live(struct stackmap_resolver *resolver, struct stackmap_live *live);

#ifdef __cplusplus
}
#endif

#endif /* STACKMAP_H */

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Opening a trace.dat: the initial format, then what the version says.
 *
 *	17 08 44 "tracing" VERSION\0 | u8 big endian | u8 size of long | u32 page size
 *	version 7: COMPRESSION\0 VERSION OF IT\0 | u64 offset of the options
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/array.h"
#include "internal.h"
#include "magic.h"

#define NAME_SIZE	64

/* A section or chunk may grow by this factor when it is unpacked, and by this in any case. */
#define UNPACK_FACTOR		4096
#define UNPACK_BASE		65536
/* The same for the event data as a whole: pages can be empty. */
#define UNPACK_ALL_FACTOR	2048
#define UNPACK_ALL_BASE		(1ULL << 30)

bool smap_tracedat_probe(const void *data, size_t len)
{
	return len >= SMAP_TRACEDAT_MAGIC_LEN &&
	       !memcmp(data, SMAP_TRACEDAT_MAGIC, SMAP_TRACEDAT_MAGIC_LEN);
}

/* ---- parts ---- */

void smap_trace_extend(struct smap_trace_opening *opening, uint64_t end)
{
	if (end > opening->tracedat->end)
		opening->tracedat->end = end;
}

int smap_trace_add_section(struct smap_trace_opening *opening, unsigned int id, bool compressed,
			   uint64_t offset, uint64_t len)
{
	struct smap_tracedat *tracedat = opening->tracedat;

	if (tracedat->nr_sections == TRACE_MAX_SECTIONS)
		return smap_error_set(opening->err, -EBADMSG,
				      "offset %" PRIu64 ": too many sections", offset);
	if (SMAP_ARRAY_GROW(tracedat->sections, opening->sections_capacity,
			    tracedat->nr_sections + 1))
		return smap_error_nomem(opening->err);
	tracedat->sections[tracedat->nr_sections++] = (struct smap_tracedat_section){
		.id = id,
		.compressed = compressed,
		.offset = offset,
		.len = len,
	};
	smap_trace_extend(opening, offset + len);
	return 0;
}

const struct smap_tracedat_section *smap_trace_find_section(const struct smap_tracedat *tracedat,
							    unsigned int id)
{
	size_t i;

	for (i = tracedat->nr_sections; i; i--) {
		if (tracedat->sections[i - 1].id == id)
			return &tracedat->sections[i - 1];
	}
	return NULL;
}

/* u32 packed, u32 unpacked, then the packed bytes. */
static int check_chunk(struct smap_trace_opening *opening, uint64_t *pos,
		       const struct smap_tracedat_cpu *cpu)
{
	uint64_t start = *pos;
	uint32_t packed, unpacked;
	int ret;

	ret = smap_trace_read_u32(&opening->input, pos, &packed, "a chunk of event data");
	if (!ret)
		ret = smap_trace_read_u32(&opening->input, pos, &unpacked,
					  "a chunk of event data");
	if (!ret)
		ret = smap_trace_skip(&opening->input, pos, packed, "a chunk of event data");
	if (ret)
		return ret;
	/* libtracecmd cuts a chunk into pages without a look at what is left of it. */
	if (!unpacked || unpacked % cpu->page_size || unpacked > TRACE_MAX_CHUNK ||
	    packed > TRACE_MAX_CHUNK)
		return smap_error_set(opening->err, -EBADMSG, "offset %" PRIu64
				      ": a chunk of %u bytes, %u unpacked, in pages of %u", start,
				      packed, unpacked, cpu->page_size);
	opening->unpacked_bytes += unpacked;
	if (opening->unpacked_bytes > UNPACK_ALL_BASE +
				      UNPACK_ALL_FACTOR * opening->input.size)
		return smap_error_set(opening->err, -EBADMSG, "offset %" PRIu64
				      ": more event data than the file can hold", start);
	return 0;
}

/* Sets the length to what the chunks take: the option leaves out their count. */
static int check_chunks(struct smap_trace_opening *opening, struct smap_tracedat_cpu *cpu)
{
	uint64_t pos = cpu->offset;
	uint32_t count, i;
	int ret;

	if (smap_trace_codec_is_none(smap_trace_find_codec(opening->tracedat->compression)))
		return smap_error_set(opening->err, -EBADMSG, "offset %" PRIu64
				      ": compressed event data in a file without compression",
				      cpu->offset);
	ret = smap_trace_read_u32(&opening->input, &pos, &count, "event data");
	for (i = 0; !ret && i < count; i++)
		ret = check_chunk(opening, &pos, cpu);
	if (!ret)
		cpu->len = pos - cpu->offset;
	return ret;
}

int smap_trace_add_cpu(struct smap_trace_opening *opening, const struct smap_tracedat_cpu *given)
{
	struct smap_tracedat *tracedat = opening->tracedat;
	struct smap_tracedat_cpu cpu = *given;
	int ret;

	if (!cpu.len)
		return 0;
	ret = smap_trace_check_range(opening->input.size, cpu.offset, cpu.len, "event data",
				     opening->err);
	if (!ret && cpu.compressed)
		ret = check_chunks(opening, &cpu);
	if (ret)
		return smap_error_prefix(opening->err, ret, "CPU %u", cpu.cpu);
	if (!cpu.compressed && cpu.offset % cpu.page_size)
		return smap_error_set(opening->err, -EBADMSG, "offset %" PRIu64
				      ": event data of CPU %u does not begin with a page",
				      cpu.offset, cpu.cpu);
	opening->cpu_bytes += cpu.len;
	if (opening->cpu_bytes > opening->input.size)
		return smap_error_set(opening->err, -EBADMSG, "offset %" PRIu64
				      ": event data of CPUs overlaps", cpu.offset);
	if (SMAP_ARRAY_GROW(tracedat->cpus, opening->cpus_capacity, tracedat->nr_cpus + 1))
		return smap_error_nomem(opening->err);
	tracedat->cpus[tracedat->nr_cpus++] = cpu;
	smap_trace_extend(opening, cpu.offset + cpu.len);
	return 0;
}

/* ---- contents of sections ---- */

static int bad_section(const struct smap_tracedat_section *section, struct smap_error *err,
		       const char *why)
{
	return smap_error_set(err, -EBADMSG, "offset %" PRIu64 ": %s: %s", section->offset,
			      smap_trace_section_name(section->id), why);
}

static int load_stored(const struct smap_tracedat *tracedat,
		       const struct smap_tracedat_section *section, char **ret_data,
		       size_t *ret_len, struct smap_error *err)
{
	char *data;
	int ret;

	if (section->len > TRACE_MAX_SECTION)
		return bad_section(section, err, "too large");
	data = malloc((size_t)section->len + 1);
	if (!data)
		return smap_error_nomem(err);
	ret = smap_trace_pread(tracedat->fd, section->offset, data, (size_t)section->len, err);
	if (ret) {
		free(data);
		return ret;
	}
	data[section->len] = '\0';
	*ret_data = data;
	*ret_len = (size_t)section->len;
	return 0;
}

static int unpack_section(const struct smap_tracedat *tracedat,
			  const struct smap_tracedat_section *section, const char *packed,
			  uint32_t packed_len, char *data, uint32_t len, struct smap_error *err)
{
	struct smap_trace_unpacker unpacker;
	int ret;

	ret = smap_trace_unpacker_init(&unpacker, tracedat->compression);
	if (!ret) {
		ret = smap_trace_unpack(&unpacker, packed, packed_len, data, len);
		smap_trace_unpacker_free(&unpacker);
	}
	if (ret == -ENOMEM)
		return smap_error_nomem(err);
	return ret ? bad_section(section, err, "cannot be unpacked") : 0;
}

/* @stored: u32 packed, u32 unpacked, then the packed bytes. */
static int unpack_stored(const struct smap_tracedat *tracedat,
			 const struct smap_tracedat_section *section, const char *stored,
			 char **ret_data, size_t *ret_len, struct smap_error *err)
{
	struct smap_bytes bytes = smap_bytes_init(stored, (size_t)section->len,
						  tracedat->big_endian != SMAP_HOST_IS_BIG_ENDIAN);
	uint32_t packed_len, len;
	const void *packed;
	char *data;
	int ret;

	if (!smap_bytes_get_u32(&bytes, &packed_len) || !smap_bytes_get_u32(&bytes, &len) ||
	    !smap_bytes_get(&bytes, packed_len, &packed))
		return bad_section(section, err, "larger than its section");
	if (len > TRACE_MAX_SECTION || len > UNPACK_BASE + UNPACK_FACTOR * (uint64_t)packed_len)
		return bad_section(section, err, "claims more than it can hold");
	data = malloc((size_t)len + 1);
	if (!data)
		return smap_error_nomem(err);
	ret = unpack_section(tracedat, section, packed, packed_len, data, len, err);
	if (ret) {
		free(data);
		return ret;
	}
	data[len] = '\0';
	*ret_data = data;
	*ret_len = len;
	return 0;
}

int smap_trace_load_section(const struct smap_tracedat *tracedat,
			    const struct smap_tracedat_section *section, char **ret_data,
			    size_t *ret_len, struct smap_error *err)
{
	char *stored = NULL;
	size_t len = 0;
	int ret;

	ret = load_stored(tracedat, section, &stored, &len, err);
	if (ret)
		return ret;
	if (!section->compressed) {
		*ret_data = stored;
		*ret_len = len;
		return 0;
	}
	ret = unpack_stored(tracedat, section, stored, ret_data, ret_len, err);
	free(stored);
	return ret;
}

/* ---- checking what others read ---- */

static int walk_stored(const struct smap_tracedat *tracedat,
		       const struct smap_tracedat_section *section, struct smap_error *err)
{
	struct smap_trace_input input;
	uint64_t pos = section->offset;

	smap_trace_input_file(&input, tracedat->fd, section->offset + section->len,
			      tracedat->big_endian != SMAP_HOST_IS_BIG_ENDIAN, err);
	return smap_trace_walk_section(section->id, &input, &pos);
}

static int walk_unpacked(const struct smap_tracedat *tracedat,
			 const struct smap_tracedat_section *section, struct smap_error *err)
{
	struct smap_trace_input input;
	uint64_t pos = 0;
	size_t len;
	char *data;
	int ret;

	ret = smap_trace_load_section(tracedat, section, &data, &len, err);
	if (ret)
		return ret;
	smap_trace_input_memory(&input, data, len, tracedat->big_endian != SMAP_HOST_IS_BIG_ENDIAN,
				err);
	ret = smap_trace_walk_section(section->id, &input, &pos);
	if (ret)
		smap_error_prefix(err, ret, "%s at offset %" PRIu64 ", unpacked",
				  smap_trace_section_name(section->id), section->offset);
	free(data);
	return ret;
}

int smap_tracedat_check_sections(const struct smap_tracedat *tracedat, struct smap_error *err)
{
	const struct smap_tracedat_section *section;
	struct smap_error ignored;
	size_t i;
	int ret = 0;

	/* In version 6 nothing else tells where they end: they were gone through already. */
	if (tracedat->version == 6)
		return 0;
	if (!err)
		err = &ignored;
	for (i = 0; !ret && i < tracedat->nr_sections; i++) {
		section = &tracedat->sections[i];
		if (section->id < TRACE_HEADER_INFO || section->id > TRACE_CMDLINES)
			continue;
		ret = section->compressed ? walk_unpacked(tracedat, section, err) :
					    walk_stored(tracedat, section, err);
	}
	return ret;
}

/* ---- opening ---- */

static int bad_initial(struct smap_trace_opening *opening, uint64_t offset, const char *what,
		       unsigned int value)
{
	return smap_error_set(opening->err, -EBADMSG, "offset %" PRIu64 ": %s is %u", offset, what,
			      value);
}

/* The first trace-cmds wrote no version, or 0. */
static int read_version(struct smap_trace_opening *opening, uint64_t *pos)
{
	char text[NAME_SIZE], *end;
	unsigned long version;
	int ret;

	ret = smap_trace_read_string(&opening->input, pos, text, sizeof(text), "the version");
	if (ret)
		return ret;
	version = strtoul(text, &end, 10);
	if (*end || text[0] == '-' || text[0] == '+' || version > 7)
		return smap_error_set(opening->err, -EOPNOTSUPP, "trace.dat of version \"%s\"",
				      text);
	opening->tracedat->version = version == 7 ? 7 : 6;
	return 0;
}

/* Byte order, size of long, page size. */
static int read_machine(struct smap_trace_opening *opening, uint64_t *pos)
{
	struct smap_tracedat *tracedat = opening->tracedat;
	uint32_t page_size;
	uint8_t bytes[2];
	int ret;

	ret = smap_trace_read(&opening->input, pos, bytes, sizeof(bytes), "the initial format");
	if (ret)
		return ret;
	if (bytes[0] > 1)
		return bad_initial(opening, *pos - 2, "the byte order", bytes[0]);
	if (bytes[1] != 4 && bytes[1] != 8)
		return bad_initial(opening, *pos - 1, "the size of long", bytes[1]);
	tracedat->big_endian = bytes[0];
	tracedat->long_size = bytes[1];
	opening->input.swap = tracedat->big_endian != SMAP_HOST_IS_BIG_ENDIAN;

	ret = smap_trace_read_u32(&opening->input, pos, &page_size, "the initial format");
	if (ret)
		return ret;
	if (page_size < TRACE_MIN_PAGE || page_size > TRACE_MAX_PAGE ||
	    (page_size & (page_size - 1)))
		return bad_initial(opening, *pos - 4, "the page size", page_size);
	tracedat->page_size = page_size;
	return 0;
}

static int set_compression(struct smap_trace_opening *opening, const char *name)
{
	opening->tracedat->compression = strdup(name);
	return opening->tracedat->compression ? 0 : smap_error_nomem(opening->err);
}

static int read_compression(struct smap_trace_opening *opening, uint64_t *pos)
{
	char name[NAME_SIZE], version[NAME_SIZE];
	int ret;

	ret = smap_trace_read_string(&opening->input, pos, name, sizeof(name), "the compression");
	if (!ret)
		ret = smap_trace_read_string(&opening->input, pos, version, sizeof(version),
					     "the compression");
	if (ret)
		return ret;
	if (!smap_trace_find_codec(name))
		return smap_error_set(opening->err, -EOPNOTSUPP, "unknown compression \"%s\" %s",
				      name, version);
	return set_compression(opening, name);
}

static int read_parts(struct smap_trace_opening *opening)
{
	uint64_t pos = 0;
	char magic[SMAP_TRACEDAT_MAGIC_LEN];
	int ret;

	if (opening->input.size < SMAP_TRACEDAT_MAGIC_LEN)
		return smap_error_set(opening->err, -EINVAL, "not a trace.dat");
	ret = smap_trace_read(&opening->input, &pos, magic, sizeof(magic), "the initial format");
	if (ret)
		return ret;
	if (!smap_tracedat_probe(magic, sizeof(magic)))
		return smap_error_set(opening->err, -EINVAL, "not a trace.dat");
	ret = read_version(opening, &pos);
	if (!ret)
		ret = read_machine(opening, &pos);
	if (ret)
		return ret;
	smap_trace_extend(opening, pos);
	if (opening->tracedat->version == 6) {
		ret = set_compression(opening, "none");
		return ret ? ret : smap_trace_open_v6(opening, pos);
	}
	ret = read_compression(opening, &pos);
	return ret ? ret : smap_trace_open_v7(opening, pos);
}

static int look_at_formats(struct smap_trace_opening *opening)
{
	struct smap_tracedat *tracedat = opening->tracedat;
	const struct smap_tracedat_section *section;
	size_t len;
	char *data;
	int ret;

	section = smap_trace_find_section(tracedat, TRACE_HEADER_INFO);
	if (section) {
		ret = smap_trace_load_section(tracedat, section, &data, &len, opening->err);
		if (ret)
			return ret;
		ret = smap_trace_take_header(tracedat, data, len, opening->err);
		free(data);
		if (ret == -EBADMSG)
			smap_error_prefix(opening->err, ret, "offset %" PRIu64, section->offset);
		if (ret)
			return ret;
	}
	section = smap_trace_find_section(tracedat, TRACE_FTRACE_EVENTS);
	if (!section)
		return 0;
	ret = smap_trace_load_section(tracedat, section, &data, &len, opening->err);
	if (ret)
		return ret;
	smap_trace_take_formats(tracedat, data, len);
	free(data);
	return 0;
}

static int read_all(struct smap_tracedat *tracedat, struct smap_error *err)
{
	struct smap_trace_opening opening = { .tracedat = tracedat, .err = err };
	struct stat st;
	int ret;

	if (fstat(tracedat->fd, &st))
		return smap_error_set(err, -errno, "cannot be read");
	if (S_ISDIR(st.st_mode))
		return smap_error_set(err, -EISDIR, "is a directory");
	if (!S_ISREG(st.st_mode))
		return smap_error_set(err, -EINVAL, "not a regular file");
	tracedat->size = (uint64_t)st.st_size;
	smap_trace_input_file(&opening.input, tracedat->fd, tracedat->size, false, err);
	ret = read_parts(&opening);
	if (!ret)
		ret = look_at_formats(&opening);
	free(opening.instances);
	return ret;
}

/* Takes @fd, whatever it returns. */
static int open_own(int fd, struct smap_tracedat **ret_tracedat, struct smap_error *err)
{
	struct smap_tracedat *tracedat = calloc(1, sizeof(*tracedat));
	int ret;

	if (!tracedat) {
		close(fd);
		return smap_error_nomem(err);
	}
	tracedat->fd = fd;
	ret = read_all(tracedat, err);
	if (ret) {
		smap_tracedat_close(tracedat);
		return smap_errno(ret);
	}
	*ret_tracedat = tracedat;
	return 0;
}

int smap_tracedat_open_fd(int fd, struct smap_tracedat **ret_tracedat, struct smap_error *err)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (own < 0)
		return smap_error_set(err, -errno, "cannot be duplicated");
	return open_own(own, ret_tracedat, err);
}

int smap_tracedat_open(const char *path, struct smap_tracedat **ret_tracedat,
		       struct smap_error *err)
{
	/* A FIFO must not make us wait: it is refused a little later. */
	int code, fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0) {
		code = -errno;
		return smap_error_set(err, code, "%s: %s", path, strerror(-code));
	}
	code = open_own(fd, ret_tracedat, err);
	return code ? smap_error_prefix(err, code, "%s", path) : 0;
}

void smap_tracedat_close(struct smap_tracedat *tracedat)
{
	if (!tracedat)
		return;
	close(tracedat->fd);
	free(tracedat->compression);
	free(tracedat->release);
	free(tracedat->machine);
	free(tracedat->clock);
	free(tracedat->sections);
	free(tracedat->cpus);
	free(tracedat);
}

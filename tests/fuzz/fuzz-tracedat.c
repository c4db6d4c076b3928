// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trace.dat: opened, its symbols read, all of its events gone through.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracedat/tracedat.h"

static int take_cookie(uint64_t cookie, uint64_t ts, void *data)
{
	*(uint64_t *)data += cookie ^ ts;
	return 0;
}

/* Whatever was accepted lies inside the file. */
static void check_parts(const struct smap_tracedat *tracedat)
{
	size_t i;

	if (tracedat->end > tracedat->size)
		abort();
	for (i = 0; i < tracedat->nr_sections; i++) {
		if (tracedat->sections[i].offset + tracedat->sections[i].len > tracedat->end)
			abort();
	}
	for (i = 0; i < tracedat->nr_cpus; i++) {
		if (tracedat->cpus[i].offset + tracedat->cpus[i].len > tracedat->end)
			abort();
	}
}

static void use(const struct smap_tracedat *tracedat)
{
	struct smap_error err;
	struct smap_comms *comms;
	uint64_t sum = 0;
	char *text;
	size_t len;

	check_parts(tracedat);
	if (!smap_tracedat_kallsyms(tracedat, &text, &len, &err)) {
		if (strnlen(text, len + 1) > len)
			abort();
		free(text);
	}
	if (!smap_tracedat_comms(tracedat, &comms, &err)) {
		smap_comms_find(comms, 7);
		smap_comms_free(comms);
	}
	smap_tracedat_scan(tracedat, take_cookie, &sum, &err);
	smap_tracedat_check_sections(tracedat, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct smap_tracedat *tracedat;
	struct smap_error err = { "" };
	int fd = memfd_create("fuzz-tracedat", MFD_CLOEXEC);

	if (fd < 0)
		abort();
	if (size && write(fd, data, size) != (ssize_t)size)
		abort();
	if (!smap_tracedat_open_fd(fd, &tracedat, &err)) {
		use(tracedat);
		smap_tracedat_close(tracedat);
	} else if (!strlen(err.text)) {
		abort();
	}
	close(fd);
	return 0;
}

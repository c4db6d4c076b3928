// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-load FILE [RUNS]: how long it takes to read an export from the disk and to load it into a
 * map, in seconds: the shortest of several runs. Each run is a process of its own, as it is for
 * those who wait for it: memory that an earlier run has touched would be cheaper.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "parse/parse.h"

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void die(const char *what)
{
	perror(what);
	exit(2);
}

/* Returns the seconds that it took. */
static double load(const char *path)
{
	double start = now(), seconds;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct smap_export *export;
	struct smap_error err;
	struct stat st;
	void *data;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		die(path);
	if (smap_parse(data, (size_t)st.st_size, &export, NULL, NULL, &err)) {
		fprintf(stderr, "%s: %s\n", path, err.text);
		exit(2);
	}
	seconds = now() - start;
	smap_export_free(export);
	munmap(data, (size_t)st.st_size);
	close(fd);
	return seconds;
}

/* @seconds is shared with the child. */
static void load_in_child(const char *path, double *seconds)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		die("fork");
	if (!pid) {
		*seconds = load(path);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) < 0 || status)
		exit(2);
}

int main(int argc, char **argv)
{
	int i, runs = argc > 2 ? atoi(argv[2]) : 10;
	double best = 0, *seconds;

	if (argc < 2) {
		fprintf(stderr, "usage: bench-load FILE [RUNS]\n");
		return 2;
	}
	seconds = mmap(NULL, sizeof(*seconds), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (seconds == MAP_FAILED)
		die("mmap");
	for (i = 0; i < runs; i++) {
		load_in_child(argv[1], seconds);
		if (!i || *seconds < best)
			best = *seconds;
	}
	printf("%.6f\n", best);
	return 0;
}

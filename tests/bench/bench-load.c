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

static void load(const char *path)
{
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
	smap_export_free(export);
	munmap(data, (size_t)st.st_size);
	close(fd);
}

/* Returns the seconds of one run. */
static double time_load(const char *path)
{
	double start = now();
	int status;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		load(path);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) < 0 || status)
		exit(2);
	return now() - start;
}

int main(int argc, char **argv)
{
	int i, runs = argc > 2 ? atoi(argv[2]) : 10;
	double best = 0, t;

	if (argc < 2) {
		fprintf(stderr, "usage: bench-load FILE [RUNS]\n");
		return 2;
	}
	for (i = 0; i < runs; i++) {
		t = time_load(argv[1]);
		if (!i || t < best)
			best = t;
	}
	printf("%.6f\n", best);
	return 0;
}

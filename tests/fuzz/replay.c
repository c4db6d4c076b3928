// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A main for fuzzers that are not built as fuzzers: hands each input, a file or all files of a
 * directory, to LLVMFuzzerTestOneInput() once, in memory of exactly its size so that the address
 * sanitizer sees every byte that is read past it. Fails where there is no input at all: a corpus
 * that is not found must not pass.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void die(const char *path)
{
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	exit(2);
}

static void replay_file(const char *path, size_t size)
{
	/* Not NULL for an empty input, as libFuzzer has it. */
	uint8_t *data = malloc(size ? size : 1);
	FILE *file = fopen(path, "rb");

	if (!data || !file || fread(data, 1, size, file) != size)
		die(path);
	fclose(file);
	/* Where an input crashes, its name is the last line. */
	printf("%s\n", path);
	fflush(stdout);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static size_t replay(const char *path)
{
	struct dirent **entries;
	struct stat st;
	size_t nr = 0;
	char *inner;
	int i, n;

	if (stat(path, &st))
		die(path);
	if (!S_ISDIR(st.st_mode)) {
		replay_file(path, (size_t)st.st_size);
		return 1;
	}
	n = scandir(path, &entries, NULL, by_name);
	if (n < 0)
		die(path);
	for (i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.') {
			if (asprintf(&inner, "%s/%s", path, entries[i]->d_name) < 0)
				die(path);
			nr += replay(inner);
			free(inner);
		}
		free(entries[i]);
	}
	free(entries);
	return nr;
}

int main(int argc, char **argv)
{
	size_t nr = 0;
	int i;

	for (i = 1; i < argc; i++)
		nr += replay(argv[i]);
	printf("%zu inputs\n", nr);
	return nr ? 0 : 1;
}

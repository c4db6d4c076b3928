// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the shell cannot do to a file that it has open, which it gives as standard input:
 *
 *	fdop nonblock <&3	set O_NONBLOCK, for all that share the open file
 *	fdop pread OFFSET <&3	read a byte at OFFSET
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int set_nonblock(void)
{
	int flags = fcntl(STDIN_FILENO, F_GETFL);

	return flags < 0 ? -1 : fcntl(STDIN_FILENO, F_SETFL, flags | O_NONBLOCK);
}

static int read_at(off_t offset)
{
	char byte;

	return pread(STDIN_FILENO, &byte, 1, offset) < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	int ret;

	if (argc == 2 && !strcmp(argv[1], "nonblock")) {
		ret = set_nonblock();
	} else if (argc == 3 && !strcmp(argv[1], "pread")) {
		ret = read_at(atoll(argv[2]));
	} else {
		fprintf(stderr, "usage: fdop nonblock|pread OFFSET\n");
		return 2;
	}
	if (ret)
		perror(argv[1]);
	return ret ? 1 : 0;
}

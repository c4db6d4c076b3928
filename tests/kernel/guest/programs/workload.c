// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What tests/kernel/figures measures, run in a guest whose clock counts instructions.
 *
 *	workload getppid N	N calls of getppid(); prints the instructions that they took
 *	workload stat N		/proc/self/stat opened and closed N times; the same
 *	workload read FILE	FILE read to its end; the same, and the bytes
 *	workload cpu COMMAND...	COMMAND run; the instructions of it and its children, what it took,
 *				waiting included, and the most KiB of memory that it had
 *	workload answer PID FILE	SIGUSR1 to it; what passed until FILE grew
 *
 * The clock is read as the processor has it: the kernel's is scaled by what it found the frequency
 * to be. "cpu" has to leave out the time that nobody had work, and so asks the kernel.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __x86_64__
/* A tick of the time stamp counter is a nanosecond of QEMU's clock. */
static unsigned long long clock_ns(void)
{
	unsigned int low, high;

	__asm__ volatile("lfence; rdtsc" : "=a" (low), "=d" (high) : : "memory");
	return (unsigned long long)high << 32 | low;
}
#else
static unsigned long long clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}
#endif

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void run_getppid(long times)
{
	/* Not through the C library, which may know the answer. */
	while (times--)
		syscall(SYS_getppid);
}

static void run_stat(long times)
{
	int fd;

	while (times--) {
		fd = open("/proc/self/stat", O_RDONLY);
		if (fd < 0)
			die("/proc/self/stat");
		close(fd);
	}
}

static int loop(void (*run)(long), long times)
{
	unsigned long long begin;

	/* What is done once, by the kernel and by QEMU, is done before. */
	run(times / 10 + 1);
	begin = clock_ns();
	run(times);
	printf("%llu\n", clock_ns() - begin);
	return 0;
}

static int read_file(const char *name)
{
	static char buf[1 << 16];
	unsigned long long begin = clock_ns(), bytes = 0;
	ssize_t got;
	int fd;

	fd = open(name, O_RDONLY);
	if (fd < 0)
		die(name);
	while ((got = read(fd, buf, sizeof(buf))) > 0)
		bytes += got;
	if (got < 0)
		die(name);
	close(fd);
	printf("%llu %llu\n", clock_ns() - begin, bytes);
	return 0;
}

static unsigned long long timeval_ns(struct timeval time)
{
	return time.tv_sec * 1000000000ULL + time.tv_usec * 1000ULL;
}

static int cpu(char **command)
{
	unsigned long long begin = clock_ns();
	struct rusage usage;
	int status;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		/* What it says is not what we say. */
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execvp(command[0], command);
		perror(command[0]);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &usage) < 0)
		die("wait4");
	if (status)
		return 1;
	printf("%llu %llu %ld\n", timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime),
	       clock_ns() - begin, usage.ru_maxrss);
	return 0;
}

static off_t size_of(const char *name)
{
	struct stat st;

	if (stat(name, &st))
		die(name);
	return st.st_size;
}

/* To look every millisecond costs a thousandth of it. */
static int answer(pid_t pid, const char *name)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	unsigned long long begin;
	off_t before;

	before = size_of(name);
	begin = clock_ns();
	if (kill(pid, SIGUSR1))
		die("kill");
	while (size_of(name) == before)
		nanosleep(&pause, NULL);
	printf("%llu\n", clock_ns() - begin);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "getppid"))
		return loop(run_getppid, atol(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "stat"))
		return loop(run_stat, atol(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "read"))
		return read_file(argv[2]);
	if (argc >= 3 && !strcmp(argv[1], "cpu"))
		return cpu(argv + 2);
	if (argc == 4 && !strcmp(argv[1], "answer"))
		return answer(atoi(argv[2]), argv[3]);
	fprintf(stderr, "usage: workload getppid|stat N | read FILE | cpu COMMAND... | "
		"answer PID FILE\n");
	return 1;
}

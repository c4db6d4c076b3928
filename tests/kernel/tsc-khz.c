// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Print the rate of the clock that QEMU without KVM shows to an x86 guest as its TSC, in kHz.
 *
 * A microvm has nothing that the guest could measure it with: its clock would have steps of 4 ms.
 * QEMU shows the host's TSC where the host is an x86, and nanoseconds elsewhere.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
static uint64_t ticks(void)
{
	return __rdtsc();
}
#else
static uint64_t ticks(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}
#endif

static double nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

int main(void)
{
	struct timespec pause = { .tv_nsec = 50000000 };
	double start = nanoseconds();
	uint64_t from = ticks();

	nanosleep(&pause, NULL);
	printf("%.0f\n", (ticks() - from) / (nanoseconds() - start) * 1e6);
	return 0;
}

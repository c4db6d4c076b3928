// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-iterate TRACE: opens it and goes over all records, CPU after CPU, with libtracecmd alone.
 * What a program that reads events cannot go below. Prints how many there were.
 */
#include <stdio.h>

#include <event-parse.h>
#include <trace-cmd.h>

static unsigned long iterate(struct tracecmd_input *input, int cpu)
{
	struct tep_record *record = tracecmd_read_cpu_first(input, cpu);
	unsigned long nr = 0;

	while (record) {
		nr++;
		tracecmd_free_record(record);
		record = tracecmd_read_data(input, cpu);
	}
	return nr;
}

int main(int argc, char **argv)
{
	struct tracecmd_input *input;
	unsigned long nr = 0;
	int cpu, nr_cpus;

	input = argc == 2 ? tracecmd_open(argv[1], TRACECMD_FL_LOAD_NO_PLUGINS) : NULL;
	if (!input) {
		fprintf(stderr, "bench-iterate TRACE\n");
		return 2;
	}
	nr_cpus = tep_get_cpus(tracecmd_get_tep(input));
	for (cpu = 0; cpu < nr_cpus; cpu++)
		nr += iterate(input, cpu);
	printf("%lu\n", nr);
	tracecmd_close(input);
	return 0;
}

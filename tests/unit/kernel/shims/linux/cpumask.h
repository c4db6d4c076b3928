/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_CPUMASK_H
#define SHIM_LINUX_CPUMASK_H

#include <linux/types.h>

#include "shim.h"

#define num_possible_cpus()		SHIM_NR_CPUS
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < SHIM_NR_CPUS; (cpu)++)

bool cpu_online(int cpu);
int raw_smp_processor_id(void);

#endif

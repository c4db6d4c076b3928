/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What there is once of each CPU */
#ifndef SHIM_LINUX_PERCPU_H
#define SHIM_LINUX_PERCPU_H

#include <linux/cpumask.h>

/* Of one CPU; what is allocated has the parts of all CPUs one behind the other. */
#define SHIM_PERCPU_SIZE	256

void *shim_alloc_percpu(void);
void free_percpu(void *p);
void *shim_percpu(void *p, int cpu);

#define alloc_percpu(type)							\
	({									\
		_Static_assert(sizeof(type) <= SHIM_PERCPU_SIZE, "too large");	\
		(type *)shim_alloc_percpu();					\
	})

#define per_cpu_ptr(p, cpu)	((__typeof__(p))shim_percpu(p, cpu))
#define this_cpu_ptr(p)		per_cpu_ptr(p, raw_smp_processor_id())

/* A static one only says where in the part of a CPU it is: by its place in this section. */
#define DEFINE_PER_CPU(type, name)	\
	__typeof__(type) name __attribute__((section("shim_percpu_area")))
#define DECLARE_PER_CPU(type, name)	extern __typeof__(type) name
#define __this_cpu_write(name, value)	(*this_cpu_ptr(&(name)) = (value))
#define per_cpu(name, cpu)		(*per_cpu_ptr(&(name), cpu))

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types and notes to the compiler of the kernel; see shim.h. */
#ifndef SHIM_LINUX_TYPES_H
#define SHIM_LINUX_TYPES_H

#include_next <linux/types.h>

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define __rcu
#define __percpu
#define __init
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define noinline		__attribute__((__noinline__))
#define __uninitialized		__attribute__((uninitialized))
#define likely(condition)	__builtin_expect(!!(condition), 1)
#define unlikely(condition)	__builtin_expect(!!(condition), 0)
#define fallthrough		__attribute__((fallthrough))

/* Of an option that is given as 0 or 1 */
#define IS_ENABLED(option)	(option)

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_MINMAX_H
#define SHIM_LINUX_MINMAX_H

#define min_t(type, a, b)	((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define clamp(value, low, high)	\
	((value) < (low) ? (low) : (value) > (high) ? (high) : (value))

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files share that take over calls of libc.
 */
#ifndef SHIM_PRELOAD_H
#define SHIM_PRELOAD_H

#define PUBLIC		__attribute__((visibility("default")))
/* The function of that name in the libraries behind this one. */
#define NEXT(name)	((__typeof__(&name))shim_next(#name))

void *shim_next(const char *name);
/* A negative errno as libc gives it: -1 and errno. */
long shim_give(long ret);

#endif /* SHIM_PRELOAD_H */

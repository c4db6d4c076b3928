/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What every trace.dat begins with, followed by "VERSION" and a NUL. For all who must tell one from
 * other files without reading it: the one header of the rooms that commands and the plugin share.
 */
#ifndef SMAP_TRACEDAT_MAGIC_H
#define SMAP_TRACEDAT_MAGIC_H

#define SMAP_TRACEDAT_MAGIC	"\x17\x08\x44tracing"
#define SMAP_TRACEDAT_MAGIC_LEN	(sizeof(SMAP_TRACEDAT_MAGIC) - 1)

#endif /* SMAP_TRACEDAT_MAGIC_H */

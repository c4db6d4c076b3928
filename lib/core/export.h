/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Marks the definition of a function of stackmap.h. All else is hidden; libstackmap.map
 * lists the same names once more, with their version.
 */
#ifndef SMAP_CORE_EXPORT_H
#define SMAP_CORE_EXPORT_H

#define SMAP_PUBLIC	__attribute__((visibility("default")))

#endif /* SMAP_CORE_EXPORT_H */

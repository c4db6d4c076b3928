/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_BITS_H
#define SHIM_LINUX_BITS_H

#define BIT(nr)			(1UL << (nr))
/* From bit @low to bit @high, both of them included */
#define GENMASK(high, low)	((BIT(high) << 1) - BIT(low))

#endif

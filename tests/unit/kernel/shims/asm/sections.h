/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_ASM_SECTIONS_H
#define SHIM_ASM_SECTIONS_H

#include "shim.h"

/* A test moves the kernel by shim_stext; a build that counts instructions has it fixed. */
#ifdef SHIM_STEXT
#define _stext	((char *)SHIM_STEXT)
#else
#define _stext	((char *)shim_stext)
#endif

#endif

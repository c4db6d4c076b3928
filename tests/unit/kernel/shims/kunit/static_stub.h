/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_KUNIT_STATIC_STUB_H
#define SHIM_KUNIT_STATIC_STUB_H

/* Tests here set what the function itself asks for */
#define KUNIT_STATIC_STUB_REDIRECT(...)	do { } while (0)

#endif

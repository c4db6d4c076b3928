// SPDX-License-Identifier: GPL-2.0-or-later
/* The same in C++. */
#include <stackmap.h>
#include <stackmap.h>

int main(void)
{
	return stackmap_cookie_get_slot(stackmap_cookie_make(1, 0));
}

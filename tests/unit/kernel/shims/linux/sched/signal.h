/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_SCHED_SIGNAL_H
#define SHIM_LINUX_SCHED_SIGNAL_H

#include "shim.h"

#define current		shim_current()

bool fatal_signal_pending(struct shim_task *task);

#endif

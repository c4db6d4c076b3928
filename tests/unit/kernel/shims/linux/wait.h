/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wait queues whose waiters remember that they were woken */
#ifndef SHIM_LINUX_WAIT_H
#define SHIM_LINUX_WAIT_H

#include <linux/list.h>
#include <linux/types.h>

typedef struct {
	struct list_head	waiters;	/* guarded by one lock for all queues */
} wait_queue_head_t;

/* Guarded by the same lock */
struct shim_waiter {
	struct list_head	queued;
	bool			woken;	/* since it waited last */
	bool			asleep;
};

#define __WAIT_QUEUE_HEAD_INITIALIZER(name)	{ LIST_HEAD_INIT((name).waiters) }

#define woken_wake_function			NULL
#define DEFINE_WAIT_FUNC(name, function)	\
	struct shim_waiter name = { .woken = (function) }

#define TASK_KILLABLE		1
#define MAX_SCHEDULE_TIMEOUT	0

void add_wait_queue(wait_queue_head_t *head, struct shim_waiter *waiter);
void remove_wait_queue(wait_queue_head_t *head, struct shim_waiter *waiter);
void wake_up_all(wait_queue_head_t *head);
/* Returns once woken, also before this was called, or once killed. */
void wait_woken(struct shim_waiter *waiter, int mode, long timeout);

#endif

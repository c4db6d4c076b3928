/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring of links with a head, as far as it is used */
#ifndef SHIM_LINUX_LIST_H
#define SHIM_LINUX_LIST_H

#include <stddef.h>

struct list_head {
	struct list_head	*prev, *next;
};

#define LIST_HEAD_INIT(head)	{ &(head), &(head) }

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->prev = head->next = head;
}

static inline void list_add_tail(struct list_head *link, struct list_head *head)
{
	link->prev = head->prev;
	link->next = head;
	head->prev->next = link;
	head->prev = link;
}

/* Taken out twice, it crashes. */
static inline void list_del(struct list_head *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
	link->prev = link->next = NULL;
}

static inline int list_empty(const struct list_head *head)
{
	return head->next == head;
}

#define shim_list_entry(link, type, member)	\
	((type *)((char *)(link) - offsetof(type, member)))
#define shim_list_link(entry, member)		\
	((struct list_head *)((char *)(entry) + offsetof(__typeof__(*(entry)), member)))

/* At the end, @entry is none: the head is in no structure of its kind. */
#define list_for_each_entry(entry, head, member)				\
	for (entry = shim_list_entry((head)->next, __typeof__(*entry), member);	\
	     shim_list_link(entry, member) != (head);				\
	     entry = shim_list_entry(entry->member.next, __typeof__(*entry), member))

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes that come one part after the other, seen through a window of fixed size: what they are
 * takes that much memory, however many there are.
 *
 *	(gone)   bytes + pos                      bytes + len
 *	  |---------|--------------------------------|
 *	  taken     still to be taken                ... more to come
 *
 * What was taken stays where it is until the next call. A record or a line that is longer than the
 * window is as one that is not there. What is in memory already is seen whole.
 */
#ifndef SMAP_CORE_WINDOW_H
#define SMAP_CORE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

#define SMAP_WINDOW_SIZE	(64U << 10)

/* Put at most *@len bytes into @room and say how many; 0 of them: the end. 0 or negative errno. */
typedef int (*smap_window_fn)(void *data, void *room, size_t *len);

struct smap_window {
	smap_window_fn	fn;
	void		*data;		/* for it */
	const char	*bytes;		/* what is seen */
	char		*room;		/* for it; NULL: they are borrowed */
	size_t		pos;
	size_t		len;
	bool		is_at_end;	/* nothing more is to come */
	int		ret;		/* of fn, where it failed: that is the end, too */
};

/* 0 or -ENOMEM. */
int smap_window_init(struct smap_window *window, smap_window_fn fn, void *data);
/* Of bytes that are borrowed, and all there is. */
void smap_window_over(struct smap_window *window, const void *data, size_t len);
void smap_window_release(struct smap_window *window);

/* What is seen of it, *@ret_len bytes: 0 only where nothing is left to be taken. */
const void *smap_window_look(struct smap_window *window, size_t *ret_len);
/* Is there nothing left to be taken? */
bool smap_window_is_empty(struct smap_window *window);
/* The next @len bytes, without taking them; NULL: there are fewer. */
const void *smap_window_peek(struct smap_window *window, size_t len);
/* The same, taken. */
const void *smap_window_take(struct smap_window *window, size_t len);
/* The next line, of *@ret_len bytes before its newline; NULL: none is whole. */
const char *smap_window_take_line(struct smap_window *window, size_t *ret_len);

#endif /* SMAP_CORE_WINDOW_H */

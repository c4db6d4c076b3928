/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats of resolve, each behind struct out_ops in a file of its own. They write to stdout with
 * the unlocked functions of stdio; whether it took everything is asked elsewhere.
 */
#ifndef CMD_OUT_H
#define CMD_OUT_H

#include "events.h"

/* In the order of --prefix, for the folded format. */
enum out_prefix {
	OUT_PREFIX_COMM,
	OUT_PREFIX_PID,
	OUT_PREFIX_EVENT,
};

#define OUT_MAX_PREFIX	3

struct out_options {
	unsigned int	style_flags;		/* STACKMAP_STYLE_ */
	bool		offsets;		/* folded: frames as the kernel prints them */
	const char	*weight;		/* folded: a field; NULL: each event counts 1 */
	enum out_prefix	prefix[OUT_MAX_PREFIX];
	unsigned int	nr_prefix;
};

struct out {
	const struct out_ops		*ops;
	const struct out_options	*options;
	struct events			*events;
	void				*state;		/* the format's */
};

#define OUT_WITH_PLUGINS	(1U << 0)	/* prints events as trace-cmd does */
#define OUT_WITH_STACKS		(1U << 1)	/* needs an event's stack together with the event */
/* In any order; of events it wants the weight at most. */
#define OUT_STACKS_ONLY		(1U << 2)

struct out_ops {
	const char	*name;
	unsigned int	flags;
	/* CMD_OK or, after cmd_error(), CMD_FAILED; all of them. */
	int		(*begin)(struct out *out);
	/* For an event that is wanted, or before which events were lost (missed), or both. */
	int		(*event)(struct out *out, struct event *event);
	int		(*end)(struct out *out);
	void		(*release)(struct out *out);
};

extern const struct out_ops out_text;
extern const struct out_ops out_json;
extern const struct out_ops out_folded;

/* Lines of text from a trace: all but newline and tab that a terminal could obey is escaped. */
void out_put_text(const char *data, size_t len);

/*
 * What trace-cmd prints of an event behind its name, in @seq, without newline. False: no memory;
 * @seq can be used again.
 */
bool out_print_info(struct trace_seq *seq, const struct event *event);

#endif /* CMD_OUT_H */

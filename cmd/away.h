/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files with maps that could not be saved where they should be. The library chose them, and each
 * has one save.
 */
#ifndef CMD_AWAY_H
#define CMD_AWAY_H

#include <stddef.h>

struct away {
	char	**paths;
	size_t	nr;
};

/* Without memory @path stays where it is, and is not known here. */
void away_note(struct away *away, const char *path);

/*
 * Put what is in them behind what @path has, in their order, and remove them. Ends at the first
 * that cannot be put there, silently: who tries to save there next is told why.
 */
void away_bring_home(struct away *away, const char *path);

void away_release(struct away *away);

#endif /* CMD_AWAY_H */

// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <stackmap.h>

#include "away.h"
#include "cmd.h"
#include "output.h"

void away_note(struct away *away, const char *path)
{
	char **paths = reallocarray(away->paths, away->nr + 1, sizeof(*paths));
	char *copy = strdup(path);

	if (paths)
		away->paths = paths;
	if (paths && copy)
		paths[away->nr++] = copy;
	else
		free(copy);
}

static bool put(const char *from, const char *path)
{
	struct stackmap_store *store = stackmap_store_new();
	bool is_there;

	is_there = store && !stackmap_store_open(store, from) && stackmap_store_nr_saves(store) &&
		   !stackmap_store_nr_damages(store) && !stackmap_store_append(store, path);
	stackmap_store_free(store);
	return is_there;
}

void away_bring_home(struct away *away, const char *path)
{
	while (away->nr && put(away->paths[0], path)) {
		cmd_warn("what is in %s is in %s now", away->paths[0], path);
		if (output_remove(away->paths[0]))
			cmd_warn("%s cannot be removed", away->paths[0]);
		free(away->paths[0]);
		memmove(away->paths, away->paths + 1, --away->nr * sizeof(*away->paths));
	}
}

void away_release(struct away *away)
{
	while (away->nr)
		free(away->paths[--away->nr]);
	free(away->paths);
	*away = (struct away){ NULL, 0 };
}

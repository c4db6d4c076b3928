// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/layout.h"
#include "store/store.h"

#include "fixture.h"

void fixture_log(const char *line, void *data)
{
	struct fixture *f = data;
	size_t len = strlen(f->log);

	snprintf(f->log + len, sizeof(f->log) - len, "%s\n", line);
}

int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	strcpy(f->folder, "/tmp/smap-resolve-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	f->resolver = stackmap_resolver_new();
	assert_non_null(f->resolver);
	stackmap_resolver_set_log(f->resolver, fixture_log, f);
	*state = f;
	return 0;
}

int fixture_teardown(void **state)
{
	struct fixture *f = *state;
	unsigned int i;

	stackmap_resolver_free(f->resolver);
	for (i = 1; i <= f->nr_files; i++) {
		snprintf(f->path, sizeof(f->path), "%s/%u", f->folder, i);
		unlink(f->path);
	}
	assert_int_equal(rmdir(f->folder), 0);
	free(f);
	return 0;
}

static const char *next_path(struct fixture *f)
{
	snprintf(f->path, sizeof(f->path), "%s/%u", f->folder, ++f->nr_files);
	return f->path;
}

const char *fixture_file(struct fixture *f, const char *text)
{
	FILE *file = fopen(next_path(f), "w");

	assert_non_null(file);
	assert_int_equal(fputs(text, file) < 0, 0);
	assert_int_equal(fclose(file), 0);
	return f->path;
}

void fixture_add_text(struct fixture *f, const char *text)
{
	int ret = stackmap_resolver_add_file(f->resolver, fixture_file(f, text));

	if (ret)
		fail_msg("%s", stackmap_resolver_get_error(f->resolver));
}

static void append(const char *path, const char *boot_id, const char *release, uint64_t boot_ns,
		   const char *text)
{
	struct smap_save_input input = {
		.origin.release = (char *)release,
		.saved_wall_ns = SMAP_TIME_UNKNOWN,
		.saved_boot_ns = boot_ns,
		.export = text,
		.export_len = strlen(text),
	};
	struct smap_error err = { "" };

	if (boot_id) {
		input.origin.has_boot_id = true;
		assert_int_equal(smap_boot_id_parse(boot_id, input.origin.boot_id), 0);
	}
	if (smap_store_append(path, &input, 1, &err))
		fail_msg("%s", err.text);
}

void fixture_append_saved(const char *path, const char *boot_id, const char *text)
{
	append(path, boot_id, NULL, SMAP_TIME_UNKNOWN, text);
}

void fixture_add_saved(struct fixture *f, const char *boot_id, const char *release,
		       uint64_t boot_ns, const char *text)
{
	append(next_path(f), boot_id, release, boot_ns, text);
	if (stackmap_resolver_add_file(f->resolver, f->path))
		fail_msg("%s", stackmap_resolver_get_error(f->resolver));
}

const char *fixture_data(const char *name)
{
	static char path[512];
	const char *data = getenv("SMAP_TEST_DATA");

	assert_non_null(data);
	snprintf(path, sizeof(path), "%s/%s", data, name);
	return path;
}

const char *fixture_text(struct stackmap_stack *stack)
{
	const char *text;

	assert_non_null(stack);
	text = stackmap_stack_get_text(stack, NULL);
	assert_non_null(text);
	return text;
}

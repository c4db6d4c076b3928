// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which saves the symbols that were given may name. They are of one boot, and nothing says of
 * which: with a trace it is the trace's, which its maps are held against. Without one, exports that
 * say where _stext was are known to be of it or not. The others are taken to be of it as long as
 * they are of one boot: where they are of two, one of these would get wrong names. A save that
 * brings symbols, but not for all, must not contradict them, and they are not for it where one of
 * another boot has none.
 */
#include <errno.h>

#include "parse/parse.h"
#include "resolve/group.h"
#include "resolve/resolver.h"

static const char two_boots[] =
	"%s: the symbols given are of one boot and not used: maps of two boots have none of their own";

static const char other_symbols[] =
	"%s: the symbols given are of another boot and not used: those that it has are others";

static const char for_another[] =
	"%s: the symbols given are not used for what it does not name: a map of another boot has none";

static const char other_boot[] =
	"%s: the symbols given are of another boot and not used: _stext stands at another address";

/* Of a boot that is known, with addresses and no names for them? 1, 0 or -ENOMEM. */
static int is_bare(struct smap_store *store, const struct stackmap_save *save)
{
	const struct smap_parse_ops *format;
	int ret;

	if (!save->origin.has_boot_id || save->has_symbols)
		return 0;
	ret = smap_store_export_format(store, save->nr, &format, NULL);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	return format->is_binary;
}

/*
 * Look for a save that is bare: *@first if there is none yet, else one of another boot. 1: there
 * is; 0 or -ENOMEM.
 */
static int find_other_boot(struct smap_store *store, const struct stackmap_save **first)
{
	const struct stackmap_save *save;
	size_t i;
	int ret;

	for (i = 0; i < smap_store_nr_saves(store); i++) {
		save = smap_store_save(store, i);
		if (*first && smap_saves_same_boot(*first, save))
			continue;
		ret = is_bare(store, save);
		if (ret < 0 || (ret && *first))
			return ret;
		if (ret)
			*first = save;
	}
	return 0;
}

/* The same in all files. */
static int find_in_files(const struct stackmap_resolver *resolver,
			 const struct stackmap_save *first)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < resolver->nr_files && !ret; i++)
		ret = find_other_boot(resolver->files[i]->store, &first);
	return ret;
}

/* 0 or -ENOMEM; then resolver->given_boot_state tells. */
static int know_given_boot(struct stackmap_resolver *resolver)
{
	int ret;

	if (resolver->given_boot_state != SMAP_STATE_NEW)
		return 0;
	ret = find_in_files(resolver, NULL);
	if (ret < 0)
		return smap_errno(-ENOMEM);
	resolver->given_boot_state = ret ? SMAP_STATE_BAD : SMAP_STATE_GOOD;
	return 0;
}

/* For a source with symbols of its own. 0, or -ENOMEM; *ret_words: why not, NULL if so. */
static int check_beside_own(const struct smap_source *source, const struct smap_symbols *given,
			    const char **ret_words)
{
	struct smap_buf contradiction = SMAP_BUF_INIT;
	int ret = 0;

	smap_symbols_contradict(source->symbols, given, &contradiction);
	if (smap_buf_failed(&contradiction))
		ret = -ENOMEM;
	else if (contradiction.len)
		*ret_words = other_symbols;
	else if (source->save->origin.has_boot_id)
		ret = find_in_files(source->resolver, source->save);
	if (ret > 0)
		*ret_words = for_another;
	smap_buf_free(&contradiction);
	return ret < 0 ? ret : 0;
}

/* Nothing says where its kernel was. 0, or -ENOMEM; *ret_words: why not, NULL if so. */
static int check_by_boots(const struct smap_source *source, const struct smap_symbols *given,
			  const char **ret_words)
{
	if (source->symbols)
		return check_beside_own(source, given, ret_words);
	if (know_given_boot(source->resolver))
		return -ENOMEM;
	if (source->resolver->given_boot_state == SMAP_STATE_BAD)
		*ret_words = two_boots;
	return 0;
}

int smap_source_load_given(struct smap_source *source)
{
	const struct smap_symbols *given = smap_resolver_given_symbols(source->resolver);
	const char *words = NULL;

	if (!given)
		return errno == ENOMEM ? -ENOMEM : 0;
	if (!source->resolver->trace &&
	    !(source->export->info.stext && smap_symbols_address(given, "_stext")) &&
	    check_by_boots(source, given, &words))
		return -ENOMEM;
	if (!words && !smap_source_is_of(source, given))
		words = other_boot;
	if (words)
		smap_resolver_log(source->resolver, words, source->file->shown_path);
	else
		source->tables[1] = given;
	return 0;
}

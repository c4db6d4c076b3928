// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libtraceevent plugin: prints the stack that a cookie of the ftrace stack map stands for.
 *
 *	load		which trace.dat this handle reads (tracefile.h); register the handler
 *	first event	settings, saved maps, resolver: only who shows a cookie pays for them
 *	each event	field -> cookie -> stack, which the resolver has spelled already
 *	unload		how many were not resolved; all the rest of load, backwards
 *
 * One library serves several handles (trace-cmd report -i A -i B, KernelShark's streams): all state
 * is in the handle's context. The list of contexts is there because the unloader is told the handle
 * only.
 */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>
#include <trace-seq.h>

#include "say.h"
#include "settings.h"
#include "stackmap.h"
#include "tracefile.h"

#define SYSTEM		"ftrace"
#define EVENT		"stack_id"
#define ENVIRONMENT	"TRACE_STACKMAP"
#define PROOF_ENVIRONMENT "TRACE_STACKMAP_PROOF"

#define WAYS_TO_NAME_A_MAP	"-O stackmap:file=FILE or " ENVIRONMENT "=FILE"

enum state {
	STATE_NEW,		/* no event yet */
	STATE_BARE,		/* cookies are to be printed as they are */
	STATE_NO_MAP,		/* there is nothing else to print */
	STATE_RESOLVING,
};

/* The field of the event that holds the cookie. */
struct cookie_field {
	const struct tep_event		*event;		/* whose field it is */
	struct tep_format_field		*field;		/* NULL: an unknown format */
	bool				has_generation;
};

struct context {
	struct context			*next;
	struct tep_handle		*tep;
	unsigned int			nr_loads;	/* of the one handle */
	struct smap_tracefile		file;
	bool				in_kernelshark;
	bool				has_hinted;

	/* KernelShark shows the buffers of one file in streams, and thus threads, of their own. */
	pthread_mutex_t			lock;		/* guards what follows */
	enum state			state;
	bool				is_one_line;
	struct cookie_field		cookie_field;
	struct stackmap_resolver	*resolver;
	uint64_t			nr_cookies;
	uint64_t			nr_verdicts[STACKMAP_NR_VERDICTS];
};

static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;
static struct context *contexts;	/* guarded by contexts_lock */

static const char *context_name(const struct context *context)
{
	return context->file.path ? context->file.path : "this trace";
}

/* ---- the maps ---- */

/* One hint a file, however many handles read it. */
static bool hint_is_due(struct context *context)
{
	struct context *other;
	bool due = true;

	pthread_mutex_lock(&contexts_lock);
	for (other = contexts; other; other = other->next)
		if (other->has_hinted && other->file.claimed_fd >= 0 &&
		    other->file.dev == context->file.dev && other->file.ino == context->file.ino)
			due = false;
	context->has_hinted = true;
	pthread_mutex_unlock(&contexts_lock);
	return due;
}

static void hint(struct context *context)
{
	if (!hint_is_due(context))
		return;
	if (context->file.path && !context->file.is_deleted)
		smap_say(context->file.path,
			 "no saved map: put one, or a copy of stack_map, beside it with .stackmap "
			 "behind its name, or give it with " WAYS_TO_NAME_A_MAP);
	else
		smap_say(context_name(context),
			 "no saved map: its file has no name to find one by, give it with "
			 WAYS_TO_NAME_A_MAP);
}

static int add_maps_of(const char *path, void *data)
{
	return stackmap_resolver_add_maps_of(data, path);
}

/*
 * Those attached to the trace, and beside it. Returns the number of places used, or what
 * stackmap_resolver_add_maps_of() returned.
 */
static int add_maps_of_trace(struct context *context)
{
	int ret;

	/* Without a name only what is attached can be found. */
	ret = stackmap_resolver_add_maps_of(context->resolver, context->file.path);
	if (!ret)
		ret = smap_tracefile_for_each_alias(&context->file, add_maps_of, context->resolver);
	return ret;
}

/*
 * The first place that is named decides: who names a file does not want the stacks of another one
 * where that cannot be read.
 */
static bool add_maps(struct context *context, const struct smap_settings *settings)
{
	const char *path = settings->path;
	int ret;

	if (!path)
		path = secure_getenv(ENVIRONMENT);
	if (path && *path)
		ret = stackmap_resolver_add_file(context->resolver, path);
	else
		ret = add_maps_of_trace(context);
	if (ret < 0) {
		smap_say(context_name(context), "cookies stay as they are: %s",
			 stackmap_resolver_get_error(context->resolver));
		return false;
	}
	if (!stackmap_resolver_nr_maps(context->resolver)) {
		hint(context);
		return false;
	}
	return true;
}

/*
 * What cannot be read as a trace.dat can still be resolved, only unchecked. A file without a name
 * is `trace-cmd stream`'s, which is never finished. Returns why, for when there are maps to be
 * checked; NULL: nothing to say.
 */
static char *set_trace(struct context *context)
{
	if (context->file.fd < 0)
		return NULL;
	if (!stackmap_resolver_set_trace_fd(context->resolver, context->file.fd) ||
	    !context->file.path || context->file.is_deleted)
		return NULL;
	return strdup(stackmap_resolver_get_error(context->resolver));
}

static bool proof_is_required(const struct smap_settings *settings)
{
	const char *wish = secure_getenv(PROOF_ENVIRONMENT);

	return settings->proof || (wish && *wish && strcmp(wish, "0"));
}

static void set_up_resolver(struct context *context, const struct smap_settings *settings)
{
	const struct stackmap_style style = {
		.size = sizeof(style),
		.flags = (settings->one_line ? STACKMAP_STYLE_ONE_LINE : 0) |
			 (settings->names ? STACKMAP_STYLE_NAMES_ONLY : 0),
		.max_frames = settings->max_frames,
	};

	stackmap_resolver_set_log(context->resolver, smap_say_line, NULL);
	stackmap_resolver_set_style(context->resolver, &style);
	if (proof_is_required(settings))
		stackmap_resolver_require_proof(context->resolver);
	if (settings->has_generation)
		stackmap_resolver_set_generation(context->resolver, settings->generation);
}

static void start(struct context *context)
{
	struct smap_settings settings;
	char *unchecked;

	smap_settings_read(&settings);
	context->is_one_line = settings.one_line;
	context->state = settings.raw ? STATE_BARE : STATE_NO_MAP;
	if (settings.raw)
		return;
	context->resolver = stackmap_resolver_new();
	if (!context->resolver) {
		smap_say(context_name(context), "cookies stay as they are: out of memory");
		return;
	}
	set_up_resolver(context, &settings);
	/* First: it says where the maps stand that are attached to it. */
	unchecked = set_trace(context);
	if (add_maps(context, &settings)) {
		if (unchecked)
			smap_say(context->file.path, "maps are not checked against it: %s",
				 unchecked);
		context->state = STATE_RESOLVING;
	}
	free(unchecked);
}

/* ---- events ---- */

static void find_cookie_field(struct context *context, struct tep_event *event)
{
	struct cookie_field *found = &context->cookie_field;

	found->event = event;
	found->field = tep_find_field(event, "stack_cookie");
	found->has_generation = found->field;
	if (!found->field)
		found->field = tep_find_field(event, "stack_id");
}

/* The offset comes from the trace: it can point anywhere. */
static bool read_cookie(const struct cookie_field *from, const struct tep_record *record,
			uint64_t *ret_cookie)
{
	const struct tep_format_field *field = from->field;
	unsigned long long value;

	if (field->size != (from->has_generation ? 8 : 4) || field->offset < 0 ||
	    record->size < field->size || field->offset > record->size - field->size)
		return false;
	if (tep_read_number_field(from->field, record->data, &value))
		return false;
	*ret_cookie = value;
	return true;
}

static struct stackmap_stack *find_stack(struct context *context, uint64_t cookie, uint64_t ts)
{
	if (context->cookie_field.has_generation)
		return stackmap_resolver_find(context->resolver, cookie, STACKMAP_TS_UNKNOWN);
	return stackmap_resolver_find_slot(context->resolver, (uint32_t)cookie, ts);
}

static char *put_text(char *p, const char *text)
{
	size_t len = strlen(text);

	memcpy(p, text, len);
	return p + len;
}

static char *put_number(char *p, uint32_t number)
{
	char digits[10];
	size_t nr = 0;

	do {
		digits[nr++] = '0' + number % 10;
		number /= 10;
	} while (number);
	while (nr)
		*p++ = digits[--nr];
	return p;
}

/* As the kernel prints it. By hand: printf() would take longer than all the rest of an event. */
static void print_cookie(struct trace_seq *s, uint64_t cookie, bool has_generation)
{
	char text[64], *p;

	p = put_text(text, "<stack_id ");
	if (!has_generation && (int32_t)cookie < 0) {
		*p++ = '-';
		p = put_number(p, -(uint32_t)cookie);
	} else {
		p = put_number(p, stackmap_cookie_get_slot(cookie));
	}
	if (has_generation) {
		p = put_text(p, " gen ");
		p = put_number(p, stackmap_cookie_get_generation(cookie));
	}
	*p++ = '>';
	*p = '\0';
	trace_seq_puts(s, text);
}

static void print_frames(struct context *context, struct trace_seq *s, struct stackmap_stack *stack)
{
	const char *text;
	size_t len;

	text = stackmap_stack_get_text(stack, &len);
	if (!text) {
		trace_seq_puts(s, " [unresolved: out of memory]");
		return;
	}
	if (!len)
		return;
	trace_seq_putc(s, context->is_one_line ? ' ' : '\n');
	trace_seq_puts(s, text);
}

static void count(struct context *context, enum stackmap_verdict verdict)
{
	context->nr_cookies++;
	context->nr_verdicts[verdict]++;
}

/* What is shown again and again in KernelShark counts once. */
static void count_stack(struct context *context, struct stackmap_stack *stack)
{
	if (context->in_kernelshark) {
		if (stackmap_stack_get_private(stack))
			return;
		stackmap_stack_set_private(stack, context);
	}
	count(context, stackmap_stack_get_verdict(stack));
}

static void print_stack(struct context *context, struct trace_seq *s, uint64_t cookie, uint64_t ts)
{
	struct stackmap_stack *stack;

	stack = find_stack(context, cookie, ts);
	if (!stack) {
		trace_seq_puts(s, " [unresolved: out of memory]");
		return;
	}
	count_stack(context, stack);
	if (stackmap_stack_get_verdict(stack) == STACKMAP_VERDICT_RESOLVED)
		print_frames(context, s, stack);
	else
		trace_seq_printf(s, " [unresolved: %s]", stackmap_stack_get_reason(stack));
}

static void print_event(struct context *context, struct trace_seq *s,
			const struct tep_record *record)
{
	uint64_t cookie;

	if (context->state == STATE_NEW)
		start(context);
	if (!read_cookie(&context->cookie_field, record, &cookie)) {
		count(context, STACKMAP_VERDICT_BAD_EVENT);
		trace_seq_puts(s, "<stack_id: the event is damaged>");
		return;
	}
	print_cookie(s, cookie, context->cookie_field.has_generation);
	if (context->state == STATE_RESOLVING)
		print_stack(context, s, cookie, record->ts);
	else if (context->state == STATE_NO_MAP && !context->in_kernelshark)
		count(context, STACKMAP_VERDICT_NO_MAP);
}

static int stack_id_handler(struct trace_seq *s, struct tep_record *record,
			    struct tep_event *event, void *data)
{
	struct context *context = data;
	bool is_known;

	pthread_mutex_lock(&context->lock);
	if (context->cookie_field.event != event)
		find_cookie_field(context, event);
	is_known = context->cookie_field.field;
	if (is_known)
		print_event(context, s, record);
	pthread_mutex_unlock(&context->lock);
	/* Not 0: a format of a later series, to be printed as it says itself. */
	return is_known ? 0 : 1;
}

/* ---- load and unload ---- */

static void report_unresolved(const struct context *context)
{
	uint64_t nr = context->nr_cookies - context->nr_verdicts[STACKMAP_VERDICT_RESOLVED];
	const char *separator = "";
	char reasons[512] = "";
	size_t len = 0, i;

	for (i = 0; i < STACKMAP_NR_VERDICTS && len < sizeof(reasons); i++) {
		if (i == STACKMAP_VERDICT_RESOLVED || !context->nr_verdicts[i])
			continue;
		len += snprintf(reasons + len, sizeof(reasons) - len, "%s%s: %" PRIu64, separator,
				stackmap_verdict_get_text(i), context->nr_verdicts[i]);
		separator = ", ";
	}
	if (nr)
		smap_say(context_name(context),
			 "%" PRIu64 " of %" PRIu64 " cookies not resolved (%s)",
			 nr, context->nr_cookies, reasons);
}

static struct context *find_context(const struct tep_handle *tep)
{
	struct context *context;

	for (context = contexts; context && context->tep != tep; context = context->next)
		;
	return context;
}

static bool is_claimed(int fd, dev_t dev, ino_t ino, void *data)
{
	const struct context *context;

	for (context = contexts; context; context = context->next)
		if (context->file.claimed_fd == fd && context->file.dev == dev &&
		    context->file.ino == ino)
			return true;
	return false;
}

/* KernelShark cuts the text of an event at the first newline, and shows each event many times. */
static bool in_kernelshark(void)
{
	return dlsym(RTLD_DEFAULT, "kshark_instance");
}

static int register_context(struct context *context)
{
	if (!contexts && smap_settings_register(context->in_kernelshark))
		return -ENOMEM;
	if (tep_register_event_handler(context->tep, -1, SYSTEM, EVENT, stack_id_handler,
				       context) < 0) {
		if (!contexts)
			smap_settings_unregister();
		return -ENOMEM;
	}
	context->next = contexts;
	contexts = context;
	return 0;
}

static void unregister_context(struct context *context)
{
	struct context **at;

	for (at = &contexts; *at != context; at = &(*at)->next)
		;
	*at = context->next;
	tep_unregister_event_handler(context->tep, -1, SYSTEM, EVENT, stack_id_handler, context);
	if (!contexts)
		smap_settings_unregister();
}

static int load(struct tep_handle *tep)
{
	struct context *context;
	int ret;

	context = find_context(tep);
	if (context) {		/* the same library in two folders */
		context->nr_loads++;
		return 0;
	}
	context = calloc(1, sizeof(*context));
	if (!context)
		return -ENOMEM;
	context->tep = tep;
	context->nr_loads = 1;
	context->in_kernelshark = in_kernelshark();
	pthread_mutex_init(&context->lock, NULL);
	/* Without it, option and environment still work. */
	smap_tracefile_find(is_claimed, NULL, &context->file);
	ret = register_context(context);
	if (ret) {
		smap_tracefile_release(&context->file);
		pthread_mutex_destroy(&context->lock);
		free(context);
	}
	return ret;
}

static void unload(struct tep_handle *tep)
{
	struct context *context;

	context = find_context(tep);
	if (!context || --context->nr_loads)
		return;
	report_unresolved(context);
	unregister_context(context);
	stackmap_resolver_free(context->resolver);
	smap_tracefile_release(&context->file);
	pthread_mutex_destroy(&context->lock);
	free(context);
}

/* Looked up by name; no header declares them. */
int TEP_PLUGIN_LOADER(struct tep_handle *tep);
void TEP_PLUGIN_UNLOADER(struct tep_handle *tep);

int TEP_PLUGIN_LOADER(struct tep_handle *tep)
{
	int ret;

	pthread_mutex_lock(&contexts_lock);
	ret = load(tep);
	pthread_mutex_unlock(&contexts_lock);
	return ret;
}

void TEP_PLUGIN_UNLOADER(struct tep_handle *tep)
{
	pthread_mutex_lock(&contexts_lock);
	unload(tep);
	pthread_mutex_unlock(&contexts_lock);
}

/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "store/config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <selfmon/region.h>

#include "event/off_cpu_name.h"
#include "event/suggest.h"
#include "platform/escape.h"
#include "platform/kernel.h"

extern char **environ;

#define PREFIX "SELFMON_"
#define EVERY_MAX 1000000u
/* Limits of longer_ns, whose ticks must fit into an entry of the ring. */
#define LONGER_MIN UINT64_C(100)
#define LONGER_MAX UINT64_C(100000000000)

uint32_t selfmon_impl_on = 1;
uint32_t selfmon_config_offs;

/*
 * The texts are not members of config: config has initialisers, so the buffers
 * would take space in the object file.
 */
static char events_text[SELFMON_SPEC_MAX];
static char output_text[SELFMON_OUTPUT_MAX];
static char live_text[SELFMON_OUTPUT_MAX];
static char sample_text[SELFMON_OUTPUT_MAX];
static char trace_text[SELFMON_OUTPUT_MAX];
static char notes_text[SELFMON_NOTES_MAX][SELFMON_MESSAGE_SIZE];

static struct selfmon_config config = {
	.events = "auto",
	.output = "text:-",
	.live = "",
	.sample = "",
	.trace = "",
	.enable = true,
	.every = 1,
	.note = notes_text,
};

/*
 * True once the environment has been applied, or SELFMON_ENABLE=0 has switched
 * regions off.
 */
static bool obeyed;

static const char *const variable[] = {
	"SELFMON_EVENTS", "SELFMON_OUTPUT", "SELFMON_ENABLE", "SELFMON_FENCE",
	"SELFMON_EVERY",  "SELFMON_STRICT", "SELFMON_GUARD",
	"SELFMON_LIVE",   "SELFMON_SAMPLE", "SELFMON_RECORD",
	"SELFMON_TRACE",  NULL,
};

struct selfmon_config *selfmon_config(void)
{
	return &config;
}

/*
 * Passes the note to the program's message function, or stores it for the
 * report. The caller holds the process lock.
 */
void selfmon_config_note(const char *format, ...)
{
	char text[SELFMON_MESSAGE_SIZE], note[SELFMON_MESSAGE_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	selfmon_escape(SELFMON_FOR_TEXT, note, sizeof(note), text);
	if (config.message)
		config.message(note, config.context);
	else if (config.notes < SELFMON_NOTES_MAX)
		memcpy(config.note[config.notes++], note, sizeof(note));
}

static const char *keep(char *text, const char *value)
{
	memcpy(text, value, strlen(value) + 1);
	return text;
}

/*
 * Returns true if any output in the list has this option, as in "file;option".
 */
static bool has_option(const char *output, const char *option)
{
	const size_t length = strlen(option);

	while ((output = strchr(output, ';')) != NULL) {
		output++;
		if (strcspn(output, ";,") == length &&
		    !memcmp(output, option, length))
			return true;
	}
	return false;
}

/*
 * Removes @offcpu from the list of events, since it is no event of the kernel
 * but an option for regions, and sets the option. With SELFMON_EVERY above 1 a
 * note says that it is not set.
 */
static void set_off_cpu(void)
{
	if (config.events != events_text ||
	    !selfmon_off_cpu_take(events_text))
		return;
	config.off_cpu = config.every == 1;
	if (config.every > 1)
		selfmon_config_note("@offcpu is not recorded: SELFMON_EVERY=%u "
				    "measures one visit in %u",
				    config.every, config.every);
}

static void set_text(const char **to, char *text, size_t size, const char *name,
		     const char *value)
{
	if (strlen(value) < size)
		*to = keep(text, value);
	else
		selfmon_config_note("%s is longer than %zu bytes; ignored",
				    name, size - 1);
}

static void set_switch(bool *to, const char *name, const char *value)
{
	if (!strcmp(value, "0") || !strcmp(value, "1"))
		*to = *value == '1';
	else
		selfmon_config_note("%s=%.64s: 0 and 1 are allowed; ignored",
				    name, value);
}

static void set_fence(const char *value)
{
	if (!strcmp(value, "none") || !strcmp(value, "lfence"))
		config.fence = *value == 'l';
	else
		selfmon_config_note("SELFMON_FENCE=%.64s: none and lfence are "
				    "allowed; ignored", value);
}

static void set_record(const char *value)
{
	if (!strcmp(value, "none") || !strcmp(value, "slowest"))
		config.record = *value == 's';
	else
		selfmon_config_note("SELFMON_RECORD=%.64s: none and slowest "
				    "are allowed; ignored", value);
}

/*
 * The recorder needs all visits to be measured: a visit that is only counted
 * has no record of what happened inside it.
 */
static void check_record(void)
{
	if (!config.record || config.every == 1)
		return;
	config.record = false;
	selfmon_config_note("SELFMON_RECORD is ignored: SELFMON_EVERY=%u "
			    "measures one visit in %u",
			    config.every, config.every);
}

static void set_every(const char *value)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(value, &end, 10);
	if (*value >= '0' && *value <= '9' && !*end && !errno && n >= 1 &&
	    n <= EVERY_MAX)
		config.every = (uint32_t)n;
	else
		selfmon_config_note("SELFMON_EVERY=%.64s: 1 to %u are allowed; "
				    "ignored", value, EVERY_MAX);
}

/*
 * Adds a note if this SELFMON_ variable is unknown, since its name is probably
 * misspelt.
 */
static void check_name(const char *entry)
{
	const size_t length = strcspn(entry, "=");
	const int shown = (int)(length < 64 ? length : 64);
	struct selfmon_words known = selfmon_words_of(variable);
	char nearest[SELFMON_WORD_SIZE];
	size_t i;

	for (i = 0; variable[i]; i++)
		if (strlen(variable[i]) == length &&
		    !strncmp(entry, variable[i], length))
			return;
	if (selfmon_suggest(entry, length, &known, nearest))
		selfmon_config_note("unknown variable %.*s (did you mean %s?)",
				    shown, entry, nearest);
	else
		selfmon_config_note("unknown variable %.*s: SELFMON_EVENTS, "
				    "_OUTPUT, _ENABLE, _FENCE, _EVERY, "
				    "_STRICT, _GUARD, _LIVE, _SAMPLE, "
				    "_RECORD and _TRACE are known",
				    shown, entry);
}

static void check_names(void)
{
	char **entry;

	for (entry = environ; entry && *entry; entry++) {
		if (strncmp(*entry, PREFIX, strlen(PREFIX)) != 0)
			continue;
		if (selfmon_kernel_is_secure()) {
			selfmon_config_note("SELFMON_ variables are ignored: "
					    "the program has more privileges "
					    "than its caller");
			return;
		}
		check_name(*entry);
	}
}

/*
 * Switches regions off, at most once: afterwards the program may switch them
 * on.
 */
static void switch_off(void)
{
	if (__atomic_load_n(&obeyed, __ATOMIC_ACQUIRE))
		return;
	selfmon_store_once(&selfmon_impl_on, 0);
	__atomic_store_n(&obeyed, true, __ATOMIC_RELEASE);
}

void selfmon_config_environment(void)
{
	const char *value;

	if ((value = secure_getenv("SELFMON_EVENTS"))) {
		config.off_cpu = false;
		set_text(&config.events, events_text, sizeof(events_text),
			 "SELFMON_EVENTS", value);
	}
	if ((value = secure_getenv("SELFMON_OUTPUT")))
		set_text(&config.output, output_text, sizeof(output_text),
			 "SELFMON_OUTPUT", value);
	if ((value = secure_getenv("SELFMON_LIVE")))
		set_text(&config.live, live_text, sizeof(live_text),
			 "SELFMON_LIVE", value);
	if ((value = secure_getenv("SELFMON_SAMPLE")))
		set_text(&config.sample, sample_text, sizeof(sample_text),
			 "SELFMON_SAMPLE", value);
	if ((value = secure_getenv("SELFMON_TRACE")))
		set_text(&config.trace, trace_text, sizeof(trace_text),
			 "SELFMON_TRACE", value);
	if ((value = secure_getenv("SELFMON_ENABLE")))
		set_switch(&config.enable, "SELFMON_ENABLE", value);
	if ((value = secure_getenv("SELFMON_STRICT")))
		set_switch(&config.strict, "SELFMON_STRICT", value);
	if ((value = secure_getenv("SELFMON_GUARD")))
		set_switch(&config.guard, "SELFMON_GUARD", value);
	if ((value = secure_getenv("SELFMON_FENCE")))
		set_fence(value);
	if ((value = secure_getenv("SELFMON_EVERY")))
		set_every(value);
	if ((value = secure_getenv("SELFMON_RECORD")))
		set_record(value);
	set_off_cpu();
	check_record();
	config.threads = has_option(config.output, "threads");
	check_names();
	if (!config.enable)
		switch_off();
	__atomic_store_n(&obeyed, true, __ATOMIC_RELEASE);
}

bool selfmon_config_switches_off(void)
{
	const char *value;

	if (__atomic_load_n(&obeyed, __ATOMIC_ACQUIRE))
		return false;
	value = secure_getenv("SELFMON_ENABLE");
	if (!value || strcmp(value, "0") != 0)
		return false;
	switch_off();
	return true;
}

static bool fits(const char *text, size_t size)
{
	return !text || strlen(text) < size;
}

/* Size of the struct in version 0.1. Later versions may have more members. */
#define OPTIONS_SIZE_FIRST (offsetof(struct selfmon_options, context) + \
			    sizeof(void *))

/*
 * Copies the caller's options, whose struct may be of any version. Missing
 * members get their default values.
 */
static int read_options(const struct selfmon_options *from,
			struct selfmon_options *to)
{
	const struct selfmon_options defaults = SELFMON_OPTIONS_INIT;

	if (!from || from->size < OPTIONS_SIZE_FIRST)
		return -EINVAL;
	*to = defaults;
	memcpy(to, from, from->size < sizeof(*to) ? from->size : sizeof(*to));
	return 0;
}

static int check_options(const struct selfmon_options *options)
{
	if (options->every < 1 || options->every > EVERY_MAX)
		return -EINVAL;
	if (options->longer && options->longer_ns &&
	    (options->longer_ns < LONGER_MIN ||
	     options->longer_ns > LONGER_MAX))
		return -EINVAL;
	if (!fits(options->events, sizeof(events_text)) ||
	    !fits(options->output, sizeof(output_text)) ||
	    !fits(options->live, sizeof(live_text)) ||
	    !fits(options->sample, sizeof(sample_text)) ||
	    !fits(options->trace, sizeof(trace_text)))
		return -EINVAL;
	return 0;
}

static void take_options(const struct selfmon_options *options)
{
	const char *events = options->events ? options->events : "auto";
	const char *output = options->output ? options->output : "";
	const char *live = options->live ? options->live : "";

	config.events = keep(events_text, events);
	config.output = keep(output_text, output);
	config.live = keep(live_text, live);
	config.sample = keep(sample_text,
			     options->sample ? options->sample : "");
	config.trace = keep(trace_text, options->trace ? options->trace : "");
	config.enable = options->enable;
	config.fence = options->fence;
	config.strict = options->strict;
	config.guard = options->guard;
	config.every = options->every;
	config.off_cpu = false;
	config.record = false;
	config.message = options->message;
	config.context = options->context;
	config.longer = options->longer;
	config.longer_context = options->longer_context;
	config.longer_ns = options->longer_ns;
	config.longer_ticks = 0;
	if (options->record)
		set_record(options->record);
}

int selfmon_config_take(const struct selfmon_options *given)
{
	struct selfmon_options options;
	int error = read_options(given, &options);

	if (!error)
		error = check_options(&options);
	if (error)
		return error;
	config.notes = 0;
	take_options(&options);
	selfmon_config_environment();
	/* Later notes are stored for the report. */
	config.message = NULL;
	config.context = NULL;
	selfmon_store_once(&selfmon_impl_on, config.enable);
	return 0;
}

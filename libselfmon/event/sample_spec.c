/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "event/sample_spec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "event/probe_event.h"

#define CHAIN_MAX 127u /* default of kernel.perf_event_max_stack */
#define RING_MIN 4096u
#define RING_MAX (1u << 20)
#define RING_ORDER 4 /* 64 KiB: room for 200 samples with 32 addresses */

struct factor {
	const char *name;
	uint64_t factor;
};

/* Time units of a period, in ns. A period in events may have k or M instead. */
static const struct factor time_units[] = {
	{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
};
static const struct factor plain_units[] = {
	{ "", 1 }, { "k", 1000 }, { "M", 1000000 },
};

#define SPEC_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* One comma-separated part of SELFMON_SAMPLE. */
struct sample_part {
	const char *text;
	size_t length;
};

static bool part_is(const struct sample_part *part, const char *word)
{
	return part->length == strlen(word) &&
	       !memcmp(part->text, word, part->length);
}

static bool find_factor(const struct factor *units, size_t count,
		      const struct sample_part *part, uint64_t *factor)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (part_is(part, units[i].name)) {
			*factor = units[i].factor;
			return true;
		}
	return false;
}

static bool take_number(struct sample_part *part, uint64_t *n)
{
	const size_t length = part->length;

	*n = 0;
	while (part->length && *part->text >= '0' && *part->text <= '9') {
		if (__builtin_mul_overflow(*n, 10, n) ||
		    __builtin_add_overflow(*n, *part->text - '0', n))
			return false;
		part->text++;
		part->length--;
	}
	return part->length < length;
}

static int refuse_part(char *why, size_t size, const struct sample_part *part,
		  const char *allowed)
{
	snprintf(why, size, "%.*s: %s", (int)part->length, part->text, allowed);
	return -EINVAL;
}

static int take_period(struct sample_part part, struct selfmon_sample_spec *spec,
		       char *why, size_t size)
{
	static const char allowed[] =
		"a period is allowed, such as 1ms, 1000000 or 1M events, or a "
		"frequency, such as 1000hz";
	const struct sample_part whole = part;
	uint64_t n, factor = 1;

	if (!take_number(&part, &n) || !n)
		return refuse_part(why, size, &whole, allowed);
	if (part_is(&part, "hz")) {
		if (n > SELFMON_SAMPLE_HZ_MAX)
			return refuse_part(why, size, &whole,
				      "at most 5000hz are allowed");
		spec->frequency = (uint32_t)n;
		return 0;
	}
	spec->time = find_factor(time_units, SPEC_COUNT(time_units), &part, &factor);
	if ((!spec->time &&
	     !find_factor(plain_units, SPEC_COUNT(plain_units), &part, &factor)) ||
	    __builtin_mul_overflow(n, factor, &spec->period))
		return refuse_part(why, size, &whole, allowed);
	return 0;
}

static bool begins_with(struct sample_part *part, const char *key)
{
	const size_t length = strlen(key);

	if (part->length < length || memcmp(part->text, key, length) != 0)
		return false;
	part->text += length;
	part->length -= length;
	return true;
}

static int take_chain(struct sample_part part, struct selfmon_sample_spec *spec,
		      char *why, size_t size)
{
	const struct sample_part whole = part;
	uint64_t n;

	if (!take_number(&part, &n) || part.length || n < 1 || n > CHAIN_MAX)
		return refuse_part(why, size, &whole,
			      "chain=1 to chain=127 addresses are allowed");
	spec->chain = (uint32_t)n;
	return 0;
}

/*
 * Parses ring=SIZE. Rounds up, since the kernel requires a power of two as the
 * number of pages.
 */
static int take_ring(struct sample_part part, struct selfmon_sample_spec *spec,
		     char *why, size_t size)
{
	const struct sample_part whole = part;
	uint64_t n;

	if (!take_number(&part, &n))
		n = 0;
	if (part_is(&part, "k"))
		n = n <= RING_MAX ? n * 1024 : 0;
	else if (part.length)
		n = 0;
	if (n < RING_MIN || n > RING_MAX)
		return refuse_part(why, size, &whole,
			      "ring=4k to ring=1024k are allowed");
	spec->ring_order = 0;
	while (RING_MIN << spec->ring_order < n)
		spec->ring_order++;
	return 0;
}

static int take_option(struct sample_part part, struct selfmon_sample_spec *spec,
		       char *why, size_t size)
{
	if (begins_with(&part, "chain="))
		return take_chain(part, spec, why, size);
	if (begins_with(&part, "ring="))
		return take_ring(part, spec, why, size);
	if (begins_with(&part, "drain=")) {
		spec->at_borders = part_is(&part, "border");
		if (spec->at_borders || part_is(&part, "thread"))
			return 0;
		return refuse_part(why, size, &part,
				   "drain=border and drain=thread are allowed");
	}
	return refuse_part(why, size, &part,
			   "chain=N, ring=SIZE and drain=border|thread are "
			   "allowed");
}

/*
 * Splits off the text up to the next comma. Commas within pmu/terms/ belong to
 * the event. Slashes of breakpoints and uprobes are not in pairs.
 */
static struct sample_part next_part(const char **text)
{
	const bool place =
		selfmon_probe_event_colons(selfmon_piece_of(*text)) > 0;
	struct sample_part part = { *text, 0 };
	bool inside = false;

	for (; **text && (inside || **text != ','); (*text)++)
		inside ^= **text == '/' && !place;
	part.length = (size_t)(*text - part.text);
	if (**text)
		(*text)++;
	return part;
}

/* Splits at the last '@', since the name of a file may contain an '@' too. */
static struct sample_part split_period(struct sample_part *event)
{
	const char *const at = memrchr(event->text, '@', event->length);
	struct sample_part period = { NULL, 0 };

	if (!at || at == event->text)
		return period;
	period.text = at + 1;
	period.length = event->length - (size_t)(period.text - event->text);
	event->length = (size_t)(at - event->text);
	return period;
}

int selfmon_sample_spec_parse(const char *text,
			      struct selfmon_sample_spec *spec, char *why,
			      size_t size)
{
	struct sample_part event = next_part(&text);
	const struct sample_part period = split_period(&event);
	int error = 0;

	memset(spec, 0, sizeof(*spec));
	spec->chain = SELFMON_SAMPLE_CHAIN;
	spec->ring_order = RING_ORDER;
	if (event.length >= sizeof(spec->event))
		return refuse_part(why, size, &event, "the event's name is too long");
	if (!part_is(&event, "none"))
		memcpy(spec->event, event.text, event.length);
	if (period.text)
		error = take_period(period, spec, why, size);
	while (!error && *text)
		error = take_option(next_part(&text), spec, why, size);
	return error;
}

/* SPDX-License-Identifier: MIT */
/* Parses the list of events: commas, braces, and the text between them. */
#include <selfmon/event.h>

#include <errno.h>
#include <string.h>

#include "event/core_event.h"
#include "event/modifiers.h"
#include "event/named.h"
#include "event/probe_event.h"
#include "event/sets.h"
#include "event/spec.h"

/* Positions of events are stored in 16 bits. */
#define SPEC_MAX UINT16_MAX

struct parser {
	struct selfmon_spec spec;
	struct selfmon_piece rest;
	struct selfmon_events *events;
	/* The text from the open brace to the end. */
	struct selfmon_piece group;
	size_t group_first;
	uint8_t groups;
};

/*
 * Returns the length of the text up to the comma or brace that ends an event.
 * Commas within pmu/terms/ do not end an event. A breakpoint's address and a
 * uprobe's path may contain slashes too, but commas after such slashes end the
 * event.
 */
static size_t event_length(struct selfmon_piece rest)
{
	const bool place = selfmon_probe_event_colons(rest) > 0;
	bool inside = false;
	size_t i;

	for (i = 0; i < rest.length; i++) {
		if (rest.text[i] == '/' && !place)
			inside = !inside;
		if (!inside && strchr(",{}", rest.text[i]))
			break;
	}
	return i;
}

static char peek(const struct parser *parser)
{
	return parser->rest.length > 0 ? parser->rest.text[0] : '\0';
}

static void skip_spaces(struct parser *parser)
{
	const struct selfmon_piece trimmed = selfmon_piece_trim(parser->rest);

	parser->rest = selfmon_piece_from(
		parser->rest, trimmed.position - parser->rest.position);
}

/* ---- one event ----------------------------------------------------------- */

/*
 * An error, because without the closing slash of pmu/terms/ all following
 * commas would belong to the terms.
 */
static int missing_slash(const struct selfmon_spec *spec, size_t slash)
{
	return selfmon_spec_fail(spec, EINVAL, spec->event.position + slash,
				 "a '/' is missing after '%.*s'",
				 SELFMON_QUOTE(spec->event));
}

static bool has_second_slash(struct selfmon_piece text, size_t slash)
{
	text = selfmon_piece_from(text, slash + 1);
	return selfmon_piece_find(text, '/') < text.length;
}

static int too_long(const struct selfmon_spec *spec)
{
	return selfmon_spec_fail(spec, EINVAL, spec->event.position,
				 "event '%.*s...' has %zu bytes: at most %d "
				 "are allowed",
				 SELFMON_QUOTE(spec->event),
				 spec->event.length,
				 SELFMON_EVENT_NAME_SIZE - 1);
}

static int parse_text(const struct selfmon_spec *spec,
		      struct selfmon_event *event)
{
	const struct selfmon_piece text = spec->event;
	const size_t slash = selfmon_piece_find(text, '/');

	if (slash < text.length && !selfmon_probe_event_colons(text) &&
	    !has_second_slash(text, slash))
		return missing_slash(spec, slash);
	if (text.length >= sizeof(event->name))
		return too_long(spec);
	memset(event, 0, sizeof(*event));
	memcpy(event->name, text.text, text.length);
	event->position = (uint16_t)text.position;
	return selfmon_named_parse(spec, event);
}

static int missing_event(const struct parser *parser)
{
	const size_t at = parser->rest.position;

	if (peek(parser) == '{')
		return selfmon_spec_fail(&parser->spec, EINVAL, at,
					 "a '{' inside another '{': groups "
					 "cannot be nested");
	if (peek(parser) == '}' && !parser->spec.grouped)
		return selfmon_spec_fail(&parser->spec, EINVAL, at,
					 "a '}' has no '{'");
	if (peek(parser))
		return selfmon_spec_fail(&parser->spec, EINVAL, at,
					 "an event is missing before '%c'",
					 peek(parser));
	return selfmon_spec_fail(&parser->spec, EINVAL, at,
				 "an event is missing at the end");
}

static int parse_one_event(struct parser *parser, uint8_t group)
{
	struct selfmon_events *events = parser->events;
	struct selfmon_event *event = &events->event[events->count];
	int ret;

	if (events->count == SELFMON_MAX_COUNTERS)
		return selfmon_sets_full(&parser->spec, parser->spec.event);
	ret = parse_text(&parser->spec, event);
	if (ret)
		return ret;
	event->group = group;
	events->count++;
	return 0;
}

static int parse_event(struct parser *parser)
{
	const uint8_t group = parser->spec.grouped ? parser->groups : 0;
	const size_t first = parser->events->count;
	const size_t length = event_length(parser->rest);
	const struct selfmon_piece text =
		selfmon_piece_trim(selfmon_piece_head(parser->rest, length));
	int ret;

	parser->spec.event = text;
	if (text.length == 0)
		return missing_event(parser);
	if (text.text[0] == '@')
		ret = selfmon_sets_parse(&parser->spec, group, parser->events);
	else
		ret = parse_one_event(parser, group);
	if (ret == 0)
		ret = selfmon_cores_split(&parser->spec, first, parser->events);
	if (ret)
		return ret;
	parser->rest = selfmon_piece_from(parser->rest, length);
	return 0;
}

/* ---- groups -------------------------------------------------------------- */

static void open_group(struct parser *parser)
{
	parser->spec.grouped = true;
	parser->group = parser->rest;
	parser->group_first = parser->events->count;
	parser->groups++;
	parser->rest = selfmon_piece_from(parser->rest, 1);
	skip_spaces(parser);
}

static int modify_group(struct parser *parser, struct selfmon_piece letters)
{
	struct selfmon_modifiers modifiers;
	int ret = selfmon_modifiers_parse(&parser->spec, letters, &modifiers);
	size_t i;

	for (i = parser->group_first; i < parser->events->count && !ret; i++) {
		struct selfmon_event *event = &parser->events->event[i];

		selfmon_modifiers_apply(&modifiers, event);
		ret = selfmon_modifiers_rename(event);
		if (ret)
			selfmon_spec_fail(&parser->spec, EINVAL,
					  event->position,
					  "event '%s' is too long with the "
					  "modifiers of its group",
					  event->name);
	}
	return ret;
}

static int close_group(struct parser *parser)
{
	struct selfmon_piece letters;
	size_t length;
	int ret = 0;

	parser->rest = selfmon_piece_from(parser->rest, 1);
	skip_spaces(parser);
	length = event_length(parser->rest);
	parser->spec.event = selfmon_piece_head(
		parser->group, parser->rest.position + length -
				       parser->group.position);
	if (peek(parser) == ':') {
		letters = selfmon_piece_head(parser->rest, length);
		letters = selfmon_piece_trim(selfmon_piece_from(letters, 1));
		ret = modify_group(parser, letters);
		parser->rest = selfmon_piece_from(parser->rest, length);
	}
	parser->spec.grouped = false;
	return ret;
}

/* ---- the list ------------------------------------------------------------ */

/*
 * Consumes a comma and returns 1, or returns 0 at the end of the list. Anything
 * else is an error: returns -errno.
 */
static int take_comma(struct parser *parser)
{
	const struct selfmon_spec *spec = &parser->spec;

	skip_spaces(parser);
	if (parser->rest.length == 0 && spec->grouped)
		return selfmon_spec_fail(spec, EINVAL, parser->group.position,
					 "a '{' has no '}'");
	if (parser->rest.length == 0)
		return 0;
	if (peek(parser) == '}')
		return missing_event(parser);
	if (peek(parser) != ',')
		return selfmon_spec_fail(spec, EINVAL, parser->rest.position,
					 "a ',' is missing before '%c'",
					 peek(parser));
	parser->rest = selfmon_piece_from(parser->rest, 1);
	return 1;
}

/* Parses one event with the comma after it, and a brace before or after it. */
static int parse_one(struct parser *parser)
{
	int ret;

	skip_spaces(parser);
	if (peek(parser) == '{' && !parser->spec.grouped)
		open_group(parser);
	ret = parse_event(parser);
	if (ret == 0 && parser->spec.grouped && peek(parser) == '}')
		ret = close_group(parser);
	return ret ? ret : take_comma(parser);
}

static int begin(struct parser *parser, const char *spec)
{
	const size_t length = spec ? strlen(spec) : 0;
	const struct selfmon_piece all = {.text = spec ? spec : "",
					  .length = length};

	parser->rest = all;
	parser->events->count = 0;
	if (length > SPEC_MAX)
		return selfmon_spec_fail(&parser->spec, EINVAL, 0,
					 "the specification has %zu bytes: at "
					 "most %d are allowed",
					 length, SPEC_MAX);
	if (selfmon_piece_trim(all).length == 0)
		return selfmon_spec_fail(&parser->spec, EINVAL, 0,
					 "no event is named: for example "
					 "cycles,instructions");
	return 0;
}

int selfmon_events_parse(const char *spec, struct selfmon_events *events,
			 struct selfmon_failure *failure)
{
	struct selfmon_failure left_out = { .error = 0 };
	struct parser parser = {
		.spec = {.failure = failure, .left_out = &left_out},
		.events = events,
	};
	int ret = begin(&parser, spec);

	if (ret)
		return ret;
	do {
		ret = parse_one(&parser);
	} while (ret > 0);
	if (ret < 0)
		return ret;
	if (failure && left_out.error)
		*failure = left_out;
	return (int)events->count;
}

/* SPDX-License-Identifier: MIT */
#include "event/named.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "event/generic.h"
#include "event/modifiers.h"
#include "event/probe_event.h"
#include "event/pmu_event.h"
#include "event/vendor.h"

/*
 * Parses a raw event code of the core PMU, such as r1a8. Returns 1 if the text
 * is no such code.
 */
static int parse_raw(const struct selfmon_spec *spec,
		     struct selfmon_piece name, struct selfmon_event *event)
{
	int ret = -EINVAL;

	if (name.text[0] == 'r')
		ret = selfmon_piece_hex(selfmon_piece_from(name, 1),
					&event->config);
	if (ret == -ERANGE)
		return selfmon_spec_fail(spec, EINVAL, name.position,
					 "raw code '%.*s' is too large: it has "
					 "at most 64 bits",
					 SELFMON_QUOTE(name));
	if (ret)
		return 1;
	event->type = PERF_TYPE_RAW;
	event->flags |= selfmon_generic_flags(event->type, event->config);
	return 0;
}

/*
 * Parses a raw code, or a generic name, which has the same meaning on every
 * machine. Returns 1 if the text is neither.
 */
static int parse_name(const struct selfmon_spec *spec,
		      struct selfmon_piece name, struct selfmon_event *event)
{
	if (name.length == 0)
		return selfmon_spec_fail(spec, EINVAL, name.position,
					 "the name of an event is missing "
					 "before ':'");
	if (selfmon_generic_find(name.text, name.length, event) == 0)
		return 0;
	return parse_raw(spec, name, event);
}

static int parse_modifiers(const struct selfmon_spec *spec,
			   struct selfmon_piece letters,
			   struct selfmon_event *event)
{
	struct selfmon_modifiers modifiers;
	const int ret = selfmon_modifiers_parse(spec, letters, &modifiers);

	if (ret == 0)
		selfmon_modifiers_apply(&modifiers, event);
	return ret;
}

/* Parses pmu/terms/modifiers. A colon before the modifiers is allowed, too. */
static int parse_pmu_event(const struct selfmon_spec *spec,
			   struct selfmon_event *event)
{
	struct selfmon_piece rest = spec->event;
	struct selfmon_piece pmu, terms;
	int ret;

	selfmon_piece_cut(&rest, '/', &pmu);
	selfmon_piece_cut(&rest, '/', &terms);
	event->base = (uint16_t)(spec->event.length - rest.length);
	ret = selfmon_pmu_event_parse(spec, pmu, terms, event);
	if (ret || rest.length == 0)
		return ret;
	if (rest.text[0] == ':')
		rest = selfmon_piece_from(rest, 1);
	return parse_modifiers(spec, rest, event);
}

/*
 * Parses a name that contains at least `least` colons. The modifiers begin at
 * the last colon, if only modifier letters follow it.
 */
static int parse_colons(const struct selfmon_spec *spec, size_t least,
			int (*parse)(const struct selfmon_spec *spec,
				     struct selfmon_piece name,
				     struct selfmon_event *event),
			struct selfmon_event *event)
{
	struct selfmon_piece name = spec->event, letters;
	const bool modified = selfmon_modifiers_cut(&name, least, &letters);
	int ret;

	event->base = (uint16_t)name.length;
	ret = parse(spec, name, event);
	if (ret || !modified)
		return ret;
	return parse_modifiers(spec, letters, event);
}

static int parse_named_event(const struct selfmon_spec *spec,
			     struct selfmon_event *event)
{
	struct selfmon_piece rest = spec->event;
	struct selfmon_piece name;
	const bool modified = selfmon_piece_cut(&rest, ':', &name);
	const int ret = parse_name(spec, name, event);

	if (ret == 1)
		return parse_colons(spec, 0, selfmon_vendor_parse, event);
	event->base = (uint16_t)name.length;
	if (ret || !modified)
		return ret;
	return parse_modifiers(spec, rest, event);
}

int selfmon_named_parse(const struct selfmon_spec *spec,
			struct selfmon_event *event)
{
	const size_t colons = selfmon_probe_event_colons(spec->event);

	if (colons)
		return parse_colons(spec, colons, selfmon_probe_event_parse,
				    event);
	if (selfmon_piece_find(spec->event, '/') < spec->event.length)
		return parse_pmu_event(spec, event);
	return parse_named_event(spec, event);
}

/* SPDX-License-Identifier: MIT */
#include "event/terms.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "event/cores.h"
#include "event/generic.h"
#include "event/names.h"
#include "event/sysfs.h"

/* Arguments of all functions that apply terms. */
struct target {
	const struct selfmon_spec *spec;
	const struct selfmon_pmu *pmu;
	struct selfmon_event *event;
};

/*
 * One term, split at "=". An error in a term from a file under events/ is
 * reported at the position of the event's name.
 */
struct term {
	struct selfmon_piece name;
	struct selfmon_piece value;
	bool has_value;
};

static int unknown_term(const struct target *target,
			struct selfmon_piece name)
{
	const struct selfmon_pmu *pmu = target->pmu;
	char nearest[SELFMON_WORD_SIZE];
	char list[SELFMON_PMU_LIST_SIZE];

	if (selfmon_pmu_suggest_term(pmu, name, nearest))
		return selfmon_spec_fail(
			target->spec, ENOENT, name.position,
			"unknown term '%.*s' of %s (did you mean '%s'?)",
			SELFMON_QUOTE(name), pmu->name, nearest);
	return selfmon_spec_fail(target->spec, ENOENT, name.position,
				 "unknown term '%.*s' of %s: it has %s, config "
				 "and its events",
				 SELFMON_QUOTE(name), pmu->name,
				 selfmon_pmu_list_terms(pmu, list));
}

static int cannot_read(const struct target *target, struct selfmon_piece name,
		       int error)
{
	if (error == -EOPNOTSUPP)
		return selfmon_spec_fail(target->spec, EINVAL, name.position,
					 "'%.*s' of %s is beyond config3, the "
					 "last supported word",
					 SELFMON_QUOTE(name),
					 target->pmu->name);
	return selfmon_spec_fail(target->spec, EINVAL, name.position,
				 "'%.*s' of %s cannot be parsed: its sysfs "
				 "file gives error %d",
				 SELFMON_QUOTE(name), target->pmu->name,
				 -error);
}

static int parse_value(const struct target *target, const struct term *term,
		       uint64_t *value)
{
	const int ret = selfmon_piece_number(term->value, value);

	if (ret == -ERANGE)
		return selfmon_spec_fail(target->spec, EINVAL,
					 term->value.position,
					 "%.*s=%.*s is too large: a value has "
					 "at most 64 bits",
					 SELFMON_QUOTE(term->name),
					 SELFMON_QUOTE(term->value));
	if (ret)
		return selfmon_spec_fail(target->spec, EINVAL,
					 term->value.position,
					 "%.*s='%.*s' is not a number: decimal "
					 "and 0x hexadecimal are allowed",
					 SELFMON_QUOTE(term->name),
					 SELFMON_QUOTE(term->value));
	return 0;
}

static uint64_t largest_value(const struct selfmon_field *field)
{
	return field->bits < 64 ? (UINT64_C(1) << field->bits) - 1
				: UINT64_MAX;
}

static void set_field(struct selfmon_event *event,
		      const struct selfmon_field *field, uint64_t value)
{
	uint64_t *const words[] = {&event->config, &event->config1,
				   &event->config2, &event->config3};
	uint64_t *word = words[field->word];
	unsigned int i;

	for (i = 0; i < field->bits; i++) {
		const uint64_t bit = UINT64_C(1) << field->bit[i];

		if (value >> i & 1)
			*word |= bit;
		else
			*word &= ~bit;
	}
}

/*
 * Applies a term that is a field: name=value, or just a name for the value 1.
 */
static int apply_field(const struct target *target, const struct term *term)
{
	struct selfmon_field field;
	uint64_t value = 1;
	int ret = selfmon_pmu_field(target->pmu, term->name, &field);

	if (ret == -ENOENT)
		return unknown_term(target, term->name);
	if (ret)
		return cannot_read(target, term->name, ret);
	if (term->has_value)
		ret = parse_value(target, term, &value);
	if (ret)
		return ret;
	if (value > largest_value(&field))
		return selfmon_spec_fail(target->spec, EINVAL,
					 term->value.position,
					 "%.*s=%.*s is too large: its field "
					 "takes at most 0x%" PRIx64,
					 SELFMON_QUOTE(term->name),
					 SELFMON_QUOTE(term->value),
					 largest_value(&field));
	set_field(target->event, &field, value);
	return 0;
}

static void cut_term(struct selfmon_piece text, struct term *term)
{
	term->has_value = selfmon_piece_cut(&text, '=', &term->name);
	term->name = selfmon_piece_trim(term->name);
	term->value = selfmon_piece_trim(text);
}

/*
 * Applies the terms of a file under events/. They must be fields, not names of
 * other events.
 */
static int apply_event_file(const struct target *target,
			    struct selfmon_piece name, const char *text)
{
	struct selfmon_piece rest = {.text = text, .length = strlen(text)};
	struct selfmon_piece part;
	struct term term;
	bool more = true;
	int ret = 0;

	while (more && !ret) {
		more = selfmon_piece_cut(&rest, ',', &part);
		cut_term(part, &term);
		term.name.position = name.position;
		term.value.position = name.position;
		ret = apply_field(target, &term);
	}
	return ret;
}

static int apply_term(const struct target *target, const struct term *term)
{
	char text[SELFMON_PMU_EVENT_SIZE];
	int ret = -ENOENT;

	if (term->name.length == 0)
		return selfmon_spec_fail(target->spec, EINVAL,
					 term->name.position,
					 "a term of %s is missing: "
					 "%s/term=value,.../ is allowed",
					 target->pmu->name, target->pmu->name);
	if (!term->has_value)
		ret = selfmon_pmu_event(target->pmu, term->name, text);
	if (ret == 0)
		return apply_event_file(target, term->name, text);
	if (ret != -ENOENT)
		return cannot_read(target, term->name, ret);
	return apply_field(target, term);
}

/*
 * Returns SELFMON_EVENT_HARDWARE for events of a core PMU, and
 * SELFMON_EVENT_KERNEL_FIRED for events that occur only in kernel mode.
 */
static uint32_t pmu_flags(const struct selfmon_pmu *pmu, uint64_t config)
{
	if (pmu->core)
		return SELFMON_EVENT_HARDWARE;
	if (strcmp(pmu->name, "kprobe") == 0)
		return SELFMON_EVENT_KERNEL_FIRED;
	return selfmon_generic_flags(pmu->type, config);
}

int selfmon_terms_apply(const struct selfmon_spec *spec,
			const struct selfmon_pmu *pmu,
			struct selfmon_piece terms,
			struct selfmon_event *event)
{
	const struct target target = {spec, pmu, event};
	struct selfmon_piece part;
	struct term term;
	bool more = true;
	int ret = 0;

	while (more && !ret) {
		more = selfmon_piece_cut(&terms, ',', &part);
		cut_term(part, &term);
		ret = apply_term(&target, &term);
	}
	if (ret)
		return ret;
	event->type = pmu->type;
	event->flags |= pmu_flags(pmu, event->config);
	return 0;
}

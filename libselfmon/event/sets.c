/* SPDX-License-Identifier: MIT */
#include "event/sets.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "event/core_event.h"
#include "event/generic.h"
#include "event/modifiers.h"

/*
 * Members are generic names, which the kernel maps to the CPU's events. Events
 * that a CPU lacks are dropped with their reason, as in any list. The most
 * important members come first, since a PMU may have no room for the others.
 * Each set but @os includes instructions or cycles as a reference.
 */
static const struct set {
	const char *name;
	const char *members;
} sets[] = {
	{ "@basic", "cycles,instructions,branch-misses,cache-misses,"
		    "page-faults,context-switches" },
	{ "@branch", "instructions,branches,branch-misses,cycles" },
	{ "@cache", "instructions,L1-dcache-loads,L1-dcache-load-misses,"
		    "LLC-loads,LLC-load-misses,cache-references,"
		    "cache-misses" },
	{ "@tlb", "instructions,dTLB-loads,dTLB-load-misses,"
		  "dTLB-store-misses,iTLB-load-misses" },
	{ "@frontend", "cycles,instructions,L1-icache-load-misses,"
		       "iTLB-load-misses,branch-misses,"
		       "stalled-cycles-frontend" },
	{ "@memory", "cycles,instructions,LLC-load-misses,LLC-store-misses,"
		     "node-loads,node-load-misses,stalled-cycles-backend" },
	{ "@os", "task-clock,page-faults,minor-faults,major-faults,"
		 "context-switches,cpu-migrations" },
};

#define SETS (sizeof(sets) / sizeof(sets[0]))

const char *selfmon_sets_at(size_t index, const char **members)
{
	if (index >= SETS)
		return NULL;
	*members = sets[index].members;
	return sets[index].name;
}

static bool next_set(struct selfmon_words *words, char *word, size_t size)
{
	if (words->index >= SETS)
		return false;
	snprintf(word, size, "%s", sets[words->index++].name);
	return true;
}

/* Writes "@basic, @branch and @os". */
static void list_names(char *text, size_t size)
{
	size_t used = 0, i;

	for (i = 0; i < SETS && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 i == 0 ? ""
					 : i < SETS - 1 ? ", " : " and ",
					 sets[i].name);
}

static int unknown_set(const struct selfmon_spec *spec,
		       struct selfmon_piece name)
{
	struct selfmon_words words = { .next = next_set };
	char nearest[SELFMON_WORD_SIZE], names[128];

	if (name.length == 7 && !memcmp(name.text, "@offcpu", 7))
		return selfmon_spec_fail(spec, ENOENT, name.position,
					 "'@offcpu' is recorded by regions, not "
					 "counted: write it in SELFMON_EVENTS, "
					 "outside of { }");
	if (selfmon_suggest(name.text, name.length, &words, nearest))
		return selfmon_spec_fail(spec, ENOENT, name.position,
					 "unknown set '%.*s' (did you mean "
					 "'%s'?)", SELFMON_QUOTE(name),
					 nearest);
	list_names(names, sizeof(names));
	return selfmon_spec_fail(spec, ENOENT, name.position,
				 "unknown set '%.*s': %s are allowed",
				 SELFMON_QUOTE(name), names);
}

static const struct set *find_set(struct selfmon_piece name)
{
	size_t i;

	for (i = 0; i < SETS; i++)
		if (strlen(sets[i].name) == name.length &&
		    memcmp(sets[i].name, name.text, name.length) == 0)
			return &sets[i];
	return NULL;
}

int selfmon_sets_full(const struct selfmon_spec *spec,
		     struct selfmon_piece name)
{
	return selfmon_spec_fail(spec, E2BIG, name.position,
				 "at most %d events fit in one snapshot; the "
				 "ninth is '%.*s'", SELFMON_MAX_COUNTERS,
				 SELFMON_QUOTE(name));
}

static bool is_listed(const struct selfmon_events *events, const char *name)
{
	size_t i;

	for (i = 0; i < events->count; i++)
		if (strcmp(events->event[i].name, name) == 0)
			return true;
	return false;
}

static void make_member(const struct selfmon_spec *spec,
			struct selfmon_piece name,
			const struct selfmon_modifiers *modifiers,
			uint8_t group, struct selfmon_event *event)
{
	static const struct selfmon_modifiers none = { 0 };

	memset(event, 0, sizeof(*event));
	event->group = group;
	memcpy(event->name, name.text, name.length);
	event->base = (uint16_t)name.length;
	event->position = (uint16_t)spec->event.position;
	selfmon_generic_find(name.text, name.length, event);
	/*
	 * Events that occur only in the kernel get no modifiers: with :u they
	 * would be refused, since they would always count 0.
	 */
	if (event->flags & SELFMON_EVENT_KERNEL_FIRED)
		modifiers = &none;
	selfmon_modifiers_apply(modifiers, event);
	if (modifiers->flags || modifiers->precise)
		selfmon_modifiers_rename(event);
}

/*
 * Adds a member: one event, or one for each core type. Reports all errors
 * except -E2BIG, which the caller must report.
 */
static int add_member(const struct selfmon_spec *spec,
		      struct selfmon_piece name,
		      const struct selfmon_modifiers *modifiers,
		      uint8_t group, struct selfmon_events *events)
{
	struct selfmon_events own = { .count = 1 };
	int ret;

	make_member(spec, name, modifiers, group, &own.event[0]);
	ret = selfmon_cores_split(spec, 0, &own);
	if (ret || is_listed(events, own.event[0].name))
		return ret;
	if (events->count + own.count > SELFMON_MAX_COUNTERS)
		return -E2BIG;
	memcpy(&events->event[events->count], own.event,
	       own.count * sizeof(own.event[0]));
	events->count += own.count;
	return 0;
}

/*
 * Appends a member that does not fit to the list of the names left out. Returns
 * false if all cores are of one type: there, a set that does not fit is an
 * error.
 */
static bool leave_out(struct selfmon_piece name, char *names, size_t size)
{
	struct selfmon_cores room;
	const struct selfmon_cores *const cores = selfmon_cores(&room);
	const size_t used = strlen(names);

	if (cores->count == 0)
		return false;
	snprintf(names + used, size - used, "%s%.*s", used ? ", " : "",
		 (int)name.length, name.text);
	return true;
}

/*
 * Reports in `left_out` which members of this set were left out. If `left_out`
 * has the report of an earlier set, puts the new report before the earlier one,
 * which ends with advice.
 */
static void report_left_out(const struct selfmon_spec *spec,
			    struct selfmon_piece set, const char *names)
{
	struct selfmon_failure before = { .error = 0 };
	struct selfmon_spec report = *spec;
	struct selfmon_cores room;
	const struct selfmon_cores *const cores = selfmon_cores(&room);

	if (!spec->left_out)
		return;
	report.failure = spec->left_out;
	if (spec->left_out->error)
		before = *spec->left_out;
	if (before.error)
		selfmon_spec_fail(&report, E2BIG, spec->event.position,
				  "%.*s leaves out %s; %s", SELFMON_QUOTE(set),
				  names, before.message);
	else
		selfmon_spec_fail(
			&report, E2BIG, spec->event.position,
			"%.*s leaves out %s: at most %d events fit in one "
			"snapshot, and each event takes one for each of %zu "
			"core types; choose a type, as in %s/%.*s/",
			SELFMON_QUOTE(set), names, SELFMON_MAX_COUNTERS,
			cores->count,
			cores->core[0].pmu.name, (int)strcspn(names, ","),
			names);
}

int selfmon_sets_parse(const struct selfmon_spec *spec, uint8_t group,
		      struct selfmon_events *events)
{
	struct selfmon_modifiers modifiers = { 0 };
	struct selfmon_piece letters = spec->event;
	struct selfmon_piece name, members, member;
	const bool modified = selfmon_piece_cut(&letters, ':', &name);
	const struct set *set = find_set(name);
	const size_t first = events->count;
	char names[SELFMON_MESSAGE_SIZE] = "";
	bool more = true;
	int ret = 0;

	if (!set)
		return unknown_set(spec, name);
	if (modified)
		ret = selfmon_modifiers_parse(spec, letters, &modifiers);
	members = (struct selfmon_piece){ .text = set->members,
					  .length = strlen(set->members) };
	while (more && !ret) {
		more = selfmon_piece_cut(&members, ',', &member);
		ret = add_member(spec, member, &modifiers, group, events);
		if (ret == -E2BIG && events->count > first &&
		    leave_out(member, names, sizeof(names)))
			ret = 0;
	}
	if (ret == -E2BIG) {
		member.position = spec->event.position;
		return selfmon_sets_full(spec, member);
	}
	if (!ret && names[0])
		report_left_out(spec, name, names);
	return ret;
}

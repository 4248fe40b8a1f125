/* SPDX-License-Identifier: MIT */
/*
 * This backend's counter set, whose events the settings select. A span is the
 * difference of two snapshots of the set.
 */
#include "selfmon_pg.h"

#include <limits.h>

#include <storage/fd.h>
#include <utils/guc.h>

struct selfmon_events sm_events;
int sm_max;
bool sm_enabled;
int sm_nodes;

static char *events_setting;

/* ---- settings ------------------------------------------------------------ */

static bool check_events(char **value, void **extra, GucSource source)
{
	struct selfmon_events events;
	struct selfmon_failure failure = { 0 };
	char text[SM_REASON_SIZE];

	if (**value == '\0' ||
	    selfmon_events_parse(*value, &events, &failure) >= 0)
		return true;
	selfmon_explain(&failure, text, sizeof(text));
	GUC_check_errdetail("%s", text);
	return false;
}

void sm_settings(void)
{
	static const struct config_enum_entry choices[] = {
		{ "off", SM_NODES_OFF, false },
		{ "time", SM_NODES_TIME, false },
		{ "events", SM_NODES_EVENTS, false },
		{ NULL, 0, false }
	};

	DefineCustomStringVariable("selfmon.events", "What is counted.",
				   "In perf's words, see selfmon-events(7).",
				   &events_setting,
				   "cycles,instructions,cache-misses",
				   PGC_POSTMASTER, 0, check_events, NULL, NULL);
	DefineCustomIntVariable("selfmon.max",
				"Queries, and types of nodes in each, that "
				"are kept apart.", NULL, &sm_max, 5000, 10,
				INT_MAX / 2, PGC_POSTMASTER, 0, NULL, NULL,
				NULL);
	DefineCustomBoolVariable("selfmon.enabled", "Whether queries are "
				 "counted.", NULL, &sm_enabled, true, PGC_SUSET,
				 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("selfmon.nodes", "What is counted for each "
				 "type of plan node.", NULL, &sm_nodes,
				 SM_NODES_OFF, choices, PGC_SUSET, 0, NULL,
				 NULL, NULL);
	MarkGUCPrefixReserved("selfmon");
	if (*events_setting)
		selfmon_events_parse(events_setting, &sm_events, NULL);
}

/* ---- this backend's counters --------------------------------------------- */

/* Member k of the set is event member_event[k] of sm_events. */
static size_t member_event[SELFMON_MAX_COUNTERS];
static size_t member_count;
static bool countable; /* at least one event can be counted */

/*
 * Returns the index in sm_events of the event of a counter set's member; a
 * counter set orders its members differently. The events of an @set in the
 * specification share a position, so name and position together identify the
 * event.
 */
static size_t event_of(const struct selfmon_counter_info *info)
{
	for (size_t i = 0; i < sm_events.count; i++)
		if (sm_events.event[i].position == info->position &&
		    strcmp(sm_events.event[i].name, info->name) == 0)
			return i;
	/* Not reached, because both counter sets are made from one text. */
	return 0;
}

/*
 * Skips "EVENT: " at the start of the text, so that events with the same cause
 * are shown together. Also skips "not counted: ", which the verdict already
 * says.
 */
static const char *cause_of(const char *text, const char *event)
{
	static const char anyway[] = "not counted: ";
	const size_t length = strlen(event);

	if (strncmp(text, event, length) == 0 && text[length] == ':')
		text += length + 2;
	if (strncmp(text, anyway, sizeof(anyway) - 1) == 0)
		text += sizeof(anyway) - 1;
	return text;
}

/* Stores the members' events and reasons, and reserves descriptors in fd.c. */
static void take_members(const struct selfmon_counters *set)
{
	struct selfmon_counter_info info = { .size = sizeof(info) };

	for (size_t k = 0; selfmon_counters_info(set, k, &info) == 0; k++) {
		char text[SM_REASON_SIZE];

		member_event[k] = event_of(&info);
		member_count = k + 1;
		if (!info.failure) {
			/* An event that is counted may hold a descriptor. */
			ReserveExternalFD();
			continue;
		}
		selfmon_explain(info.failure, text, sizeof(text));
		sm_store_reason(member_event[k], cause_of(text, info.name));
	}
}

/*
 * Each backend opens its set at its first call, since the postmaster has no set
 * to inherit. The set uses the guard. Without the guard, user reads that are
 * switched off while the server runs would kill the backend, and the postmaster
 * would then end all other backends.
 */
struct selfmon_counters *sm_counters(void)
{
	static struct selfmon_counters *set;
	static bool tried;
	int result;

	if (tried)
		return set;
	tried = true;
	result = selfmon_counters_open(events_setting, SELFMON_COUNTERS_GUARD,
				       &set, NULL);
	countable = result > 0;
	if (result < 0) { /* then the set measures time alone */
		ereport(LOG, (errmsg("selfmon: events are not counted: %s",
				     strerror(-result))));
		selfmon_counters_open(NULL, 0, &set, NULL);
	}
	if (!set)
		return NULL;
	take_members(set);
	return set;
}

/* ---- spans --------------------------------------------------------------- */

void sm_begin(const struct selfmon_counters *set, bool events,
	      struct selfmon_snapshot *a)
{
	if (events && countable)
		selfmon_counters_begin(set, a);
	else
		a->ticks = selfmon_clock_ticks();
}

struct sm_values sm_end(struct selfmon_counters *set, bool events,
			const struct selfmon_snapshot *a)
{
	struct sm_values values = { 0 };
	struct selfmon_snapshot b;
	struct selfmon_delta delta;

	if (!events || !countable) {
		values.ticks = selfmon_clock_ticks() - a->ticks;
		return values;
	}
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, a, &b, &delta);
	values.ticks = delta.ticks;
	for (size_t k = 0; k < member_count; k++) {
		const struct selfmon_value *value = &delta.value[k];
		const size_t i = member_event[k];
		const uint8 bit = (uint8)(1u << i);

		if (value->verdict == SELFMON_NOT_COUNTED)
			continue;
		values.count[i] = value->count;
		values.counted |= bit;
		values.by_read |= value->verdict == SELFMON_SYSCALL ? bit : 0;
		values.scaled |= value->verdict == SELFMON_SCALED ? bit : 0;
	}
	return values;
}

void sm_values_add(struct sm_values *sum, const struct sm_values *part)
{
	sum->ticks += part->ticks;
	for (size_t i = 0; i < sm_events.count; i++)
		sum->count[i] += part->count[i];
	sum->counted &= part->counted;
	sum->by_read |= part->by_read;
	sum->scaled |= part->scaled;
}

void sm_values_less(struct sm_values *whole, const struct sm_values *part)
{
	whole->ticks -= Min(part->ticks, whole->ticks);
	whole->counted &= part->counted;
	for (size_t i = 0; i < sm_events.count; i++) {
		if (part->count[i] > whole->count[i])
			whole->counted &= (uint8)~(1u << i);
		else
			whole->count[i] -= part->count[i];
	}
	whole->scaled |= part->scaled;
}

/* SPDX-License-Identifier: MIT */
#include "event/pmu_event.h"

#include <errno.h>
#include <string.h>

#include "event/core_event.h"
#include "event/cores.h"
#include "event/generic.h"
#include "event/names.h"
#include "event/sysfs.h"
#include "event/terms.h"

/*
 * Explains why cpu/cycles/ fails on a machine with cpu_core and cpu_atom.
 * Returns 1 if the PMU is unknown for another reason.
 */
static int unknown_cpu(const struct selfmon_spec *spec,
		       struct selfmon_piece name)
{
	struct selfmon_cores room;
	const struct selfmon_cores *cores;
	const struct selfmon_piece terms =
		selfmon_piece_from(spec->event, name.length);

	if (name.length != 3 || memcmp(name.text, "cpu", 3) != 0)
		return 1;
	cores = selfmon_cores(&room);
	if (cores->count == 0)
		return 1;
	return selfmon_spec_fail(spec, ENOENT, name.position,
				 "unknown PMU 'cpu': this machine has %zu core "
				 "types (did you mean '%s%.*s'?)", cores->count,
				 cores->core[0].pmu.name, SELFMON_QUOTE(terms));
}

static int unknown_pmu(const struct selfmon_spec *spec,
		       struct selfmon_piece name)
{
	char nearest[SELFMON_WORD_SIZE];
	char list[SELFMON_PMU_LIST_SIZE];
	bool some;
	const int ret = unknown_cpu(spec, name);

	if (ret != 1)
		return ret;
	if (selfmon_pmu_suggest(name, nearest))
		return selfmon_spec_fail(
			spec, ENOENT, name.position,
			"unknown PMU '%.*s' (did you mean '%s'?)",
			SELFMON_QUOTE(name), nearest);
	some = strcmp(selfmon_pmu_list(list), "none") != 0;
	return selfmon_spec_fail(spec, ENOENT, name.position,
				 "unknown PMU '%.*s': this machine has %s%s",
				 SELFMON_QUOTE(name), list,
				 some && !selfmon_pmu_any_core()
					 ? ", but no CPU PMU"
					 : "");
}

static int find_pmu(const struct selfmon_spec *spec, struct selfmon_piece name,
		    struct selfmon_pmu *pmu)
{
	const int ret = selfmon_pmu_find(name, pmu);

	if (ret == -ENOENT)
		return unknown_pmu(spec, name);
	if (ret)
		return selfmon_spec_fail(spec, EINVAL, name.position,
					 "PMU '%.*s' cannot be used: its type "
					 "in sysfs gives error %d",
					 SELFMON_QUOTE(name), -ret);
	if (pmu->package)
		return selfmon_spec_fail(spec, EOPNOTSUPP, name.position,
					 "%.*s counts the package, not your "
					 "thread",
					 (int)spec->event.length,
					 spec->event.text);
	return 0;
}

/*
 * Handles names such as cpu_core/cycles/: `perf list` prints the name, but the
 * PMU has no such file under events/.
 */
static bool find_generic(const struct selfmon_pmu *pmu,
			 struct selfmon_piece name, struct selfmon_event *event)
{
	struct selfmon_field field;
	struct selfmon_event found = *event;
	char text[SELFMON_PMU_EVENT_SIZE];

	name = selfmon_piece_trim(name);
	if (!pmu->core || selfmon_pmu_event(pmu, name, text) != -ENOENT ||
	    selfmon_pmu_field(pmu, name, &field) != -ENOENT ||
	    selfmon_generic_find(name.text, name.length, &found) ||
	    !(found.flags & SELFMON_EVENT_HARDWARE))
		return false;
	selfmon_core_event(pmu, &found);
	*event = found;
	return true;
}

int selfmon_pmu_event_parse(const struct selfmon_spec *spec,
			    struct selfmon_piece pmu_name,
			    struct selfmon_piece terms,
			    struct selfmon_event *event)
{
	struct selfmon_pmu pmu;
	const int ret = find_pmu(spec, pmu_name, &pmu);

	if (ret)
		return ret;
	if (find_generic(&pmu, terms, event))
		return 0;
	return selfmon_terms_apply(spec, &pmu, terms, event);
}

/* SPDX-License-Identifier: MIT */
/* Events of a PMU that is named: pmu/terms/. */
#ifndef SELFMON_EVENT_PMU_EVENT_H
#define SELFMON_EVENT_PMU_EVENT_H

#include <selfmon/event.h>

#include "event/spec.h"

/*
 * Sets type, configs and flags of an event from a PMU's name, and its terms or
 * a generic event's name. Returns 0, or -errno with the failure filled in.
 */
int selfmon_pmu_event_parse(const struct selfmon_spec *spec,
			    struct selfmon_piece pmu_name,
			    struct selfmon_piece terms,
			    struct selfmon_event *event);

#endif

/* SPDX-License-Identifier: MIT */
/* Parses events of a named PMU: pmu/terms/. */
#ifndef SELFMON_EVENT_PMU_EVENT_H
#define SELFMON_EVENT_PMU_EVENT_H

#include <selfmon/event.h>

#include "event/spec.h"

/*
 * Sets type, configs and flags of an event from the name of a PMU, with either
 * its terms or the name of a generic event. Returns 0, or -errno with the
 * failure filled in.
 */
int selfmon_pmu_event_parse(const struct selfmon_spec *spec,
			    struct selfmon_piece pmu_name,
			    struct selfmon_piece terms,
			    struct selfmon_event *event);

#endif

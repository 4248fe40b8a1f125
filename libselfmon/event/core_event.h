/* SPDX-License-Identifier: MIT */
/* Maps generalised events to the PMU of one type of core. */
#ifndef SELFMON_EVENT_CORE_EVENT_H
#define SELFMON_EVENT_CORE_EVENT_H

#include "event/cores.h"
#include "event/spec.h"

/* Changes a generalised event into the event of this core PMU. */
void selfmon_core_event(const struct selfmon_pmu *pmu,
			struct selfmon_event *event);

/*
 * From index `first` on, replaces each generalised hardware event by one
 * event for each core type: cycles becomes cpu_core/cycles/ and
 * cpu_atom/cycles/. A {} group becomes one group for each type. Returns 0, or
 * -errno with the failure filled in: -E2BIG, or -EINVAL if a name becomes too
 * long.
 */
int selfmon_cores_split(const struct selfmon_spec *spec, size_t first,
			struct selfmon_events *events);

#endif

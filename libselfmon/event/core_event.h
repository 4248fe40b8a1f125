/* SPDX-License-Identifier: MIT */
/* Maps generalised events to the PMU of one type of core. */
#ifndef SELFMON_EVENT_CORE_EVENT_H
#define SELFMON_EVENT_CORE_EVENT_H

#include "event/cores.h"
#include "event/spec.h"

/* Changes a generalised event so that it counts on the cores of this PMU. */
void selfmon_core_event(const struct selfmon_pmu *pmu,
			struct selfmon_event *event);

/*
 * From index `first` on, replaces each generalised hardware event that names no
 * PMU by one event for each core type: cycles becomes cpu_core/cycles/ and
 * cpu_atom/cycles/. A {} group becomes one group for each type. Does nothing if
 * all cores are of one type. Returns 0, or -errno with the failure filled in:
 * -E2BIG if the list becomes longer than SELFMON_MAX_COUNTERS, or -EINVAL if a
 * name becomes too long.
 */
int selfmon_cores_split(const struct selfmon_spec *spec, size_t first,
			struct selfmon_events *events);

#endif

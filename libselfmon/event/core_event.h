/* SPDX-License-Identifier: MIT */
/* Generalised events as the PMU of one type of core counts them. */
#ifndef SELFMON_EVENT_CORE_EVENT_H
#define SELFMON_EVENT_CORE_EVENT_H

#include "event/cores.h"
#include "event/spec.h"

/* Changes a generalised event into the one of this core PMU. */
void selfmon_core_event(const struct selfmon_pmu *pmu,
			struct selfmon_event *event);

/*
 * Replaces generalised hardware events, starting at index first, by one for
 * each core type: cycles by cpu_core/cycles/ and cpu_atom/cycles/. A {} group
 * becomes one for each type. Returns 0, or -errno with the failure filled in:
 * -E2BIG, or -EINVAL if a name becomes too long.
 */
int selfmon_cores_split(const struct selfmon_spec *spec, size_t first,
			struct selfmon_events *events);

#endif

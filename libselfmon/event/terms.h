/* SPDX-License-Identifier: MIT */
/* Parses the part between the slashes of pmu/term=value,name/. */
#ifndef SELFMON_EVENT_TERMS_H
#define SELFMON_EVENT_TERMS_H

#include <selfmon/event.h>

#include "event/spec.h"
#include "event/sysfs.h"

/*
 * Sets type, configs and flags of an event from the terms of a PMU. Later terms
 * override earlier ones. Returns 0, or -errno with the failure filled in.
 */
int selfmon_terms_apply(const struct selfmon_spec *spec,
			const struct selfmon_pmu *pmu,
			struct selfmon_piece terms,
			struct selfmon_event *event);

#endif

/* SPDX-License-Identifier: MIT */
/* What stands between the slashes of pmu/term=value,name/. */
#ifndef SELFMON_EVENT_TERMS_H
#define SELFMON_EVENT_TERMS_H

#include <selfmon/event.h>

#include "event/spec.h"

/*
 * Sets type, the configs and the flags of an event from a PMU's name and its
 * terms. Later terms override earlier ones. 0 or -errno, with the failure
 * filled in.
 */
int selfmon_terms_parse(const struct selfmon_spec *spec,
			struct selfmon_piece pmu_name,
			struct selfmon_piece terms,
			struct selfmon_event *event);

#endif

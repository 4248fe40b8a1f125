/* SPDX-License-Identifier: MIT */
#include "report_facts.h"

#include "report_file.h"

#include <stddef.h>

#define FACT(name) { #name, offsetof(struct selfmon_row, name) }
const struct report_fact report_fact[] = {
	FACT(visits),	  FACT(measured),   FACT(open),	   FACT(cut_off),
	FACT(migrated),	  FACT(disturbed),  FACT(retried), FACT(slow),
	FACT(repaired),	  FACT(impossible), FACT(refused), FACT(lost),
	FACT(overlapped), FACT(switched),   FACT(whole),   FACT(bytes),
	FACT(items),	  FACT(elsewhere),  FACT(suspended),
	FACT(suspended_ns), FACT(blocked_ns), FACT(preempted_ns),
	FACT(switches),	  FACT(preemptions), FACT(samples),
	FACT(samples_within), FACT(frames),
};
_Static_assert(sizeof(report_fact) / sizeof(*report_fact) == REPORT_FACTS, "");

#define COUNT(key, name) { key, offsetof(struct selfmon_report, name) }
const struct report_fact report_count[REPORT_COUNTS] = {
	COUNT("taken", taken),
	COUNT("threads", threads),
	COUNT("threads_at_once", threads_at_once),
	COUNT("slowed", limited[SELFMON_LIMITED_SLOW].threads),
	COUNT("degraded", limited[SELFMON_LIMITED_LESS].threads),
	COUNT("time_alone", limited[SELFMON_LIMITED_TIME].threads),
	COUNT("refused", refused),
	COUNT("too_deep", too_deep),
	COUNT("unready", unready),
	COUNT("stale", stale),
	COUNT("unread", unread),
	COUNT("displaced", displaced),
	COUNT("evicted", evicted),
	COUNT("uncounted", uncounted),
	COUNT("no_off_cpu", limited[SELFMON_LIMITED_OFF_CPU].threads),
	COUNT("no_samples", limited[SELFMON_LIMITED_SAMPLES].threads),
};

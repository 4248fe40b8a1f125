/* SPDX-License-Identifier: MIT */
/* The slowest visits of each region in a report (SELFMON_RECORD). */
#ifndef SELFMON_REPORT_SLOW_VISITS_H
#define SELFMON_REPORT_SLOW_VISITS_H

#include "report/gather.h"

enum selfmon_part_kind {
	SELFMON_PART_VISIT,
	SELFMON_PART_BLOCKED,
	SELFMON_PART_PREEMPTED
};

/* A part of a slow visit: a visit inside it, or a time off the CPU. */
struct selfmon_slow_moment {
	const char *region; /* "" if unknown or off the CPU */
	enum selfmon_part_kind kind;
	bool outermost;	/* a visit that is not inside another part */
	uint64_t begin_ns, ns; /* begin_ns: since the visit began */
};

struct selfmon_slow {
	const char *region;
	uint64_t ns;
	uint64_t begin_ns;	/* since the library's first use */
	uint64_t ended_ns;	/* end of the visit in ns since 1970, UTC */
	uint32_t tid, cpu;	/* cpu is UINT32_MAX if unknown */
	uint32_t flags;		/* SELFMON_SLOW_* */
	uint32_t values;	/* bit i: value[i] is valid */
	uint64_t value[SELFMON_MAX_COUNTERS]; /* by column of the report */
	/*
	 * The times off the CPU. off_known: they are all of the visit's,
	 * otherwise only those that are parts.
	 */
	bool off_known;
	struct selfmon_off_cpu off_cpu;
	/* After the visit's start: parts that ended earlier are unknown. */
	uint64_t known_ns;
	/* Shorter parts may be missing; 0: those of 0.1 % of the visit. */
	uint64_t listed_ns;
	/* Number of parts, including those not stored. */
	uint64_t inner;
	size_t parts;
	struct selfmon_slow_moment part[SELFMON_SLOW_PARTS]; /* by begin */
};

/* The slow visits, sorted by the regions' names, the slowest one first. */
struct selfmon_slow_list {
	/*
	 * True if visits of the interval may be missing, because another report
	 * was taken during the interval.
	 */
	bool incomplete;
	size_t visits;
	struct selfmon_slow visit[];
};

/*
 * Adds the slow visits of the process's regions. Also begins an interval, if
 * all nodes could be read. Returns 0 or -ENOMEM.
 */
int selfmon_gather_slowest(struct selfmon_gather *gather,
			   struct selfmon_process *process);
/* Adds one slow visit. Returns 0 or -ENOMEM. */
int selfmon_gather_slow(struct selfmon_gather *gather, uint32_t region,
			const struct selfmon_slow_visit *visit);
/*
 * For qsort(3): compares two struct selfmon_slow by the regions' names, then by
 * time, the slower one first. Several regions may have one name.
 */
int selfmon_slow_compare(const void *a, const void *b);
/*
 * Sorts the parts of a visit, sets `outermost` of each, and sums the times off
 * the CPU if !off_known.
 */
void selfmon_slow_settle(struct selfmon_slow *slow);
struct selfmon_recorded;
/*
 * Makes report->slow from the gathered visits, or leaves it NULL if no slow
 * visit was gathered. Returns 0 or -ENOMEM.
 */
int selfmon_report_take_slowest(struct selfmon_report *report,
				const struct selfmon_recorded *recorded);
/*
 * Makes interval->slow from the visits that ended between two reports. Returns
 * 0 or -ENOMEM.
 */
int selfmon_report_slowest_since(struct selfmon_report *interval,
				 const struct selfmon_recorded *later,
				 const struct selfmon_recorded *earlier,
				 struct selfmon_region *const *named);

#endif

/* SPDX-License-Identifier: MIT */
/* The slowest visits of a report's regions (SELFMON_RECORD). */
#ifndef SELFMON_REPORT_SLOW_VISITS_H
#define SELFMON_REPORT_SLOW_VISITS_H

#include "report/gather.h"

enum selfmon_part_kind {
	SELFMON_PART_VISIT,
	SELFMON_PART_BLOCKED,
	SELFMON_PART_PREEMPTED
};

/* A part of a slow visit: an inner visit, or a time off the CPU. */
struct selfmon_slow_moment {
	const char *region; /* "": unknown, or off the CPU */
	enum selfmon_part_kind kind;
	bool outermost;	/* is not inside of another part of this visit */
	uint64_t begin_ns, ns; /* after the visit began */
};

struct selfmon_slow {
	const char *region;
	uint64_t ns;
	uint64_t begin_ns;	/* since the library's first use */
	uint64_t ended_ns;	/* end of the visit in ns since 1970, UTC */
	uint32_t tid, cpu;	/* cpu: UINT32_MAX: unknown */
	uint32_t flags;		/* SELFMON_SLOW_* */
	uint32_t values;	/* bits: columns of value */
	uint64_t value[SELFMON_MAX_COUNTERS]; /* by column of the report */
	uint64_t inner;		/* number of parts, including those not kept */
	size_t parts;
	struct selfmon_slow_moment part[SELFMON_SLOW_PARTS]; /* by begin */
};

/* The visits of one region are adjacent, the slowest one first. */
struct selfmon_slow_list {
	bool incomplete; /* an interval in which another report was taken */
	size_t visits;
	struct selfmon_slow visit[];
};

/*
 * Adds the visits of the process's regions, and begins an interval. Returns 0
 * or -ENOMEM.
 */
int selfmon_gather_slowest(struct selfmon_gather *gather,
			   struct selfmon_process *process);
/* Adds one visit. Returns 0 or -ENOMEM. */
int selfmon_gather_slow(struct selfmon_gather *gather, uint32_t region,
			const struct selfmon_slow_visit *visit);
/* Puts parts in their order, and finds the outermost ones. */
void selfmon_slow_settle(struct selfmon_slow *slow);
struct selfmon_recorded;
/*
 * Makes report->slow from the gathered visits; NULL if nothing was recorded.
 * Returns 0 or -ENOMEM.
 */
int selfmon_report_take_slowest(struct selfmon_report *report,
				const struct selfmon_recorded *recorded);
/*
 * The same of the visits that ended between two reports. named: the regions of
 * the interval. Returns 0 or -ENOMEM.
 */
int selfmon_report_slowest_since(struct selfmon_report *interval,
				 const struct selfmon_recorded *later,
				 const struct selfmon_recorded *earlier,
				 struct selfmon_region *const *named);

#endif

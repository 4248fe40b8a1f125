/* SPDX-License-Identifier: MIT */
/*
 * The results of regions: a model to walk, and writers for it.
 *
 * A report merges all threads, ended ones included. It may be taken while
 * they run: each region is consistent in itself, visits still open are
 * counted apart and are not in its values.
 */
#include "compiler.h"
#if defined(SELFMON_DISABLE) && !defined(SELFMON_H)
#include "../selfmon.h"
#endif
#ifndef SELFMON_REPORT_H
#define SELFMON_REPORT_H

#include <stdio.h>

#include "counters.h"
#include "region.h"

SELFMON_C_BEGIN

enum selfmon_format {
	SELFMON_TEXT = 0, /* at most 60 rows of 120 columns, UTF-8 */
	SELFMON_JSON,     /* docs/REPORT.md, docs/report.schema.json */
	SELFMON_CSV       /* one line a region, RFC 4180 */
};

struct selfmon_report;

/*
 * One measured quantity of a region, over all its visits: time in ns, or one
 * event. Sums are inclusive: of the region and all below it. The net values
 * have the library's overhead subtracted; those smaller than their noise, or
 * of a region that has open visits, are estimates of little.
 */
struct selfmon_quantity {
	enum selfmon_verdict verdict; /* NOT_COUNTED: no number here is one */
	uint32_t reserved;
	uint64_t visits;      /* that have a value: net and sum are theirs, so
				 the mean is net / visits (SELFMON_EVERY: times
				 measured / row visits) */
	uint64_t sum;         /* inclusive, as counted */
	uint64_t min, max;    /* of one visit, as counted; ns down and up */
	int64_t exclusive;    /* sum less the children's sums, as counted; of
				 all visits, measured or not (SELFMON_EVERY) */
	double net;           /* inclusive, library's cost subtracted */
	double net_exclusive;
	double noise;         /* of net: how far the truth may be from it, by
				 what was subtracted; docs/COST.md */
	double share_on_pmu;  /* of the time of all measured visits, those
				 without a value included: on a counter */
	double guessed;       /* scaled: the part of net that is extrapolated
				 from the time on a counter; else 0 */
};

/*
 * Bits of selfmon_row.unsure. The overhead of the visits inside of one visit
 * is known for the mean visit; here more than half of the visit's time was
 * subtracted by that, so that the value may be far from the truth.
 */
#define SELFMON_UNSURE_P50 0x01u
#define SELFMON_UNSURE_P90 0x02u
#define SELFMON_UNSURE_P99 0x04u
#define SELFMON_UNSURE_MIN 0x08u
#define SELFMON_UNSURE_MAX 0x10u
/*
 * The same of a report by selfmon_report_subtract(), where no visit of the
 * interval was shorter, or longer, than all before it: no visit was shorter
 * than min, or longer than max, but none may have been as short, or as long.
 */
#define SELFMON_BOUND_MIN 0x20u
#define SELFMON_BOUND_MAX 0x40u

/* One region at one place of the call tree. */
struct selfmon_row {
	const char *name;  /* any bytes; see file and line for twins */
	const char *file;  /* "" for a name made at run time */
	uint32_t line;     /* likewise 0 */
	uint32_t depth;    /* 0: top level */
	int32_t parent;    /* row number, -1: none */
	uint32_t threads;  /* thread states it was seen in */
	uint64_t visits;   /* begun and ended, measured or not */
	uint64_t measured; /* of these, with values (SELFMON_EVERY) */
	uint64_t open;     /* begun and not ended yet */
	uint64_t cut_off;  /* begun and never ended: longjmp, thread's end */
	uint64_t foreign;  /* ended on another thread: time alone */
	uint64_t migrated; /* ended on another CPU */
	uint64_t disturbed; /* descheduled, or counters reprogrammed */
	uint64_t retried;  /* ends read again, as the kernel changed a counter
			      meanwhile: each adds instructions to its visit */
	uint64_t slow;     /* visits with hardware values by read(2) */
	uint64_t repaired; /* visits with a value repaired */
	uint64_t impossible; /* visits with a value that cannot be: left out */
	uint64_t refused;  /* visits off the PMU for too long: left out */
	uint64_t lost;     /* visits whose values were lost */
	uint64_t overlapped; /* children ended out of order, or elsewhere */
	uint64_t switched; /* begun across a switch of stacks (coroutines):
			      what lies inside of what is not known */
	bool exclusive_valid; /* none open here or in children, none cut off
				 or overlapping here */
	struct selfmon_quantity time; /* ns */
	uint64_t p50_ns, p90_ns, p99_ns; /* of time: within 12.5 % as counted,
					    the library's overhead subtracted */
	uint64_t min_ns, max_ns; /* shortest and longest visit, likewise */
	uint32_t unsure;   /* SELFMON_UNSURE_*: of these five, which consist
			      of overhead for the most part; SELFMON_BOUND_*:
			      which are bounds, as time.min and max are */
	double own_ns;     /* the library's overhead in the mean visit */
	struct selfmon_quantity counter[SELFMON_MAX_COUNTERS]; /* by column */
	uint64_t whole;    /* visits measured that have all their values ... */
	double whole_ns;   /* ... and the part of time.net that is theirs */
	uint64_t bytes, items; /* work of the visits measured here that have
				  values: selfmon_region_bytes(), _items() */
};

#define SELFMON_METRIC_NAME_SIZE (SELFMON_EVENT_NAME_SIZE + 32)
#define SELFMON_METRIC_REASON_SIZE (2 * SELFMON_EVENT_NAME_SIZE + 128)

/*
 * What two counts, or a count and time, make together: instructions per cycle,
 * misses in percent. As sure as the less sure of the two.
 */
struct selfmon_metric {
	size_t size;   /* sizeof of this struct, by the caller */
	char name[SELFMON_METRIC_NAME_SIZE]; /* "IPC", "cache-misses MPKI" */
	enum selfmon_verdict verdict; /* NOT_COUNTED: there is no value */
	uint32_t reserved;
	double value;       /* of inclusive net values; NaN if there is none */
	double uncertainty; /* how far the truth may be from it: by what was
			       estimated and by the noise of what was
			       subtracted; infinite if it may be anything */
	char reason[SELFMON_METRIC_REASON_SIZE]; /* why there is no value */
};

/*
 * Collects the results as they stand. The first report of a process measures
 * the library's overhead, which takes 1 ms of CPU time or a hundredth of the
 * time since the first visit, whichever is more, and at most 60 ms a kind of
 * visit. A shorter measurement has more noise. May wait as selfmon_clock().
 * 0, or -ENOMEM (*report is NULL then). Thread-safe; not async-signal-safe.
 */
SELFMON_API int selfmon_report_take(struct selfmon_report **report);

/*
 * The report of a process that kept a live file (SELFMON_LIVE), out of that
 * file: when it has ended, however it did, or while it runs. The file may hold
 * anything; what is not one that this library can read is refused.
 * 0; -EILSEQ, a file that is damaged, cut short, or of another version or
 * machine; another -errno where it cannot be opened or read; -ENOMEM. *report
 * is NULL then, and *failure, which may be NULL, says what is wrong and where.
 * Thread-safe; not async-signal-safe.
 */
SELFMON_API int selfmon_report_open(const char *path,
				    struct selfmon_report **report,
				    struct selfmon_failure *failure);

/*
 * The report of the time between two reports of one process, each by
 * selfmon_report_take() or selfmon_report_open(): the visits that ended in it,
 * with their own sums, net values, percentiles and histograms. Nothing is reset
 * in the process. Rows are matched by path; a row without a visit in the
 * interval is left out unless one is open, or was cut off, in or below it.
 * Exclusive values are not valid where a visit was open at either end.
 *
 * What a sum does not contain is bounded: time.min and time.max are exact if a
 * visit of the interval was shorter, or longer, than all before it; else they
 * are bounds by the histogram, and SELFMON_BOUND_MIN or SELFMON_BOUND_MAX is
 * set. min and max of a counter are those since the start of the process,
 * unless the interval has one visit.
 *
 * The header is that of the later report; counts of visits and leaves in it are
 * of the interval. Threads and their limits are those since the start.
 *
 * 0; -EINVAL: the reports are of different processes, in the wrong order, or
 * one of them is itself an interval; -EAGAIN: one of them had to leave regions
 * out, as a thread stood still in an update: use the next report instead;
 * -ENOMEM. *interval is NULL then. It needs neither of the reports any longer.
 * Thread-safe, as long as no thread frees one of the reports meanwhile; not
 * async-signal-safe.
 */
SELFMON_API int selfmon_report_subtract(const struct selfmon_report *later,
					const struct selfmon_report *earlier,
					struct selfmon_report **interval);

/* NULL is accepted. */
SELFMON_API void selfmon_report_free(struct selfmon_report *report);

/* Rows in tree order, siblings by falling time; NULL beyond the last. */
SELFMON_API size_t selfmon_report_rows(const struct selfmon_report *report);
SELFMON_API const struct selfmon_row *
selfmon_report_row(const struct selfmon_report *report, size_t i);

/*
 * The row at a place in the call tree: path[0] is the name of its region's
 * topmost ancestor, path[depth - 1] its own. Of several such, of one name but
 * not of one file and line, the first in tree order. NULL if there is none.
 */
SELFMON_API const struct selfmon_row *
selfmon_report_find(const struct selfmon_report *report,
		    const char *const *path, size_t depth);

/* The name of counter column i, as asked for; NULL beyond the last. */
SELFMON_API const char *
selfmon_report_column(const struct selfmon_report *report, size_t i);

/* How many metrics its columns and the work told of make; see docs/REPORT.md */
SELFMON_API size_t selfmon_report_metrics(const struct selfmon_report *report);

/*
 * Metric i of a row. Set metric->size first.
 * 0, -EINVAL (size) or -ENOENT (no such row, no such metric).
 */
SELFMON_API int selfmon_row_metric(const struct selfmon_report *report,
				   size_t row, size_t i,
				   struct selfmon_metric *metric);

/* Visits of a time of at least low_ns and less than high_ns, as counted. */
struct selfmon_bucket {
	double low_ns, high_ns; /* high is at most 1.25 low and a tick; the last
				   bucket, of all visits from 2^41 ticks on,
				   ends with the longest visit */
	uint64_t visits;
};

/* No row has more. */
#define SELFMON_BUCKETS_MAX 158

/*
 * Copies the histogram of a row's times: of the visits measured, the shortest
 * first, without empty buckets. At most size buckets are copied; bucket may be
 * NULL if size is 0. Buckets contain the library's overhead; the quantiles
 * below do not.
 * Returns how many buckets the row has, which may be more than size; 0 if its
 * time was not counted; -ENOENT: no such row. A report may be read by several
 * threads at once. Not async-signal-safe.
 */
SELFMON_API int selfmon_row_histogram(const struct selfmon_report *report,
				      size_t row,
				      struct selfmon_bucket *bucket,
				      size_t size);

/*
 * The time that q of a row's visits do not exceed, 0 to 1: 0.999 for the 99.9th
 * percentile. Computed as p50_ns, p90_ns and p99_ns are: within 12.5 % as
 * counted, the library's overhead subtracted.
 * Returns whole ns; NaN: no such row, q is not in 0 to 1, or the row's time was
 * not counted. A report may be read by several threads at once. Not
 * async-signal-safe.
 */
SELFMON_API double selfmon_row_quantile(const struct selfmon_report *report,
					size_t row, double q);

/*
 * Writes a report; does not close the stream, nor flush it. 0, -EINVAL (no
 * such format, or NULL) or -EIO (the stream is in error).
 * A report may be read by several threads at once.
 */
SELFMON_API int selfmon_report_write(const struct selfmon_report *report,
				     enum selfmon_format format, FILE *stream);

/* Takes, writes and frees a report. 0, or as those return. */
SELFMON_API int selfmon_report_print(enum selfmon_format format,
				     FILE *stream);

SELFMON_C_END

#endif

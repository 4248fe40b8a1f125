/* SPDX-License-Identifier: MIT */
/*
 * The results of regions: reports that a program can read, and functions that
 * write them.
 *
 * A report covers all threads, including exited ones. It may be taken while
 * threads run. The values of each region are consistent. Open visits are
 * counted separately and have no values.
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
	/*
	 * UTF-8, at most 120 columns; by default at most 60 rows in all tables
	 * of regions together, or 10 a table if that is more.
	 */
	SELFMON_TEXT = 0,
	SELFMON_JSON,     /* see docs/REPORT.md, docs/report.schema.json */
	SELFMON_CSV       /* one line for each row, RFC 4180 */
};

struct selfmon_report;

/*
 * One measured quantity of a region over all its visits: time in ns, or one
 * event. Sums are inclusive: they cover the region and everything below it. The
 * library's overhead is subtracted from net values. A net value is unreliable
 * if it is smaller than its noise, or if the region has open visits.
 */
struct selfmon_quantity {
	/* NOT_COUNTED: all other members are invalid. */
	enum selfmon_verdict verdict;
	uint32_t reserved;
	/*
	 * Number of visits that have a value. sum covers these visits. The mean
	 * is net / visits. With SELFMON_EVERY, net is extrapolated to all
	 * visits of the row, and the mean is net / visits * row->measured /
	 * row->visits.
	 */
	uint64_t visits;
	uint64_t sum;         /* inclusive, as counted */
	uint64_t min, max;    /* of one visit, as counted. In ns, min is
			       * rounded down and max up */
	int64_t exclusive;    /* sum minus the sums of the children, as
			       * counted. With SELFMON_EVERY it covers all
			       * visits, measured or not */
	double net;           /* inclusive, overhead subtracted */
	double net_exclusive;
	double noise;         /* possible error of net that is caused by
			       * subtracting overhead; docs/COST.md */
	double share_on_pmu;  /* share of the time of all measured visits
			       * during which the event was on a counter;
			       * includes visits without a value */
	double guessed;       /* if scaled: the share of net, 0 to 1, that is
			       * extrapolated from the time on a counter;
			       * else 0 */
};

/*
 * Bits of selfmon_row.unsure. The overhead of nested visits is known only on
 * average. A bit marks a time of which more than half is estimated overhead, so
 * it may be far from the truth.
 */
#define SELFMON_UNSURE_P50 0x01u
#define SELFMON_UNSURE_P90 0x02u
#define SELFMON_UNSURE_P99 0x04u
#define SELFMON_UNSURE_MIN 0x08u
#define SELFMON_UNSURE_MAX 0x10u
/*
 * Bits for reports by selfmon_report_subtract(): the value is only a bound,
 * since no visit of the interval was shorter (longer) than all visits before
 * the interval. All visits are within the bound, but possibly none is close to
 * it.
 */
#define SELFMON_BOUND_MIN 0x20u
#define SELFMON_BOUND_MAX 0x40u

/* One region at one place in the call tree. */
struct selfmon_row {
	const char *name;  /* any bytes; may not be unique */
	const char *file;  /* "" for a name made at run time */
	uint32_t line;     /* 0 for a name made at run time */
	uint32_t depth;    /* 0: top level */
	int32_t parent;    /* index of the parent's row, or -1 */
	/*
	 * Number of thread states with visits. A new thread reuses the state of
	 * an ended one, so there may have been more threads.
	 */
	uint32_t threads;
	uint64_t visits;   /* visits that began and ended, measured or not */
	uint64_t measured; /* number of visits with values (SELFMON_EVERY) */
	uint64_t open;     /* begun and not ended yet */
	/*
	 * Visits that began and never ended: by longjmp, or at the end of the
	 * thread.
	 */
	uint64_t cut_off;
	uint64_t migrated; /* ended on another CPU */
	/* Visits with a context switch or reprogrammed counters. */
	uint64_t disturbed;
	uint64_t retried;  /* counter reads that were repeated at a visit's
			    * end because the kernel changed a counter; each
			    * adds instructions to its visit */
	uint64_t slow;     /* visits with hardware values from read(2) */
	uint64_t repaired; /* visits with a repaired value: 2^width was added */
	/*
	 * Visits with an impossible value, which is left out. A negative time
	 * is impossible too, but is recorded as 0.
	 */
	uint64_t impossible;
	/* Visits off the PMU for too long: a value is left out. */
	uint64_t refused;
	/*
	 * Visits without a value: it could not be read, or was lost when a
	 * fiber moved to a thread that counts other events.
	 */
	uint64_t lost;
	/*
	 * How often a visit of this row, or a child of such a visit, ended out
	 * of order or was recorded in another row. If not 0, the row's self
	 * values are unknown.
	 */
	uint64_t overlapped;
	uint64_t switched;   /* began after a switch of stacks (coroutines),
			      * so their nesting is unknown. For detached
			      * spans: begun by a region in a coroutine */
	bool exclusive_valid; /* self values are valid: no visit of this row is
			       * (or was, when the interval began) open, cut
			       * off, overlapping or switched, and no visit of
			       * a child is open, cut off or switched */
	struct selfmon_quantity time; /* ns */
	/*
	 * Percentiles of time without overhead. The buckets' error is at most
	 * 12.5 % of the time with overhead. The overhead of children, which is
	 * subtracted, is an estimate.
	 */
	uint64_t p50_ns, p90_ns, p99_ns;
	uint64_t min_ns, max_ns; /* shortest and longest visit, overhead
				    subtracted */
	/*
	 * SELFMON_UNSURE_*: which of the five times above (p50_ns to max_ns)
	 * would, without the visit's own overhead, be 0 or consist mostly of
	 * the estimated overhead of visits inside. SELFMON_BOUND_*: whether
	 * min_ns and time.min, or max_ns and time.max, are only bounds.
	 */
	uint32_t unsure;
	double own_ns;     /* mean overhead of the library in a visit */
	struct selfmon_quantity counter[SELFMON_MAX_COUNTERS]; /* by column */
	uint64_t whole;    /* measured visits that have values in all columns
			    * that are counted */
	double whole_ns; /* the part of time.net that belongs to those visits */
	uint64_t bytes, items; /* counted by the measured visits with values:
			        * selfmon_region_bytes(), _items() */
	uint64_t elsewhere; /* detached spans that ended on another thread
			     * than they began on */
	uint64_t frames;    /* detached spans that are frames: from one
			     * selfmon_frame_mark() to the next */
	uint64_t unit[SELFMON_MAX_UNITS]; /* sums, by unit: see
					     selfmon_report_unit() */
	uint64_t suspended; /* how often visits of fibers were suspended and
			     * resumed. Only suspended_ns includes the time
			     * in between */
	uint64_t suspended_ns; /* total time from suspension until resumption */
	/*
	 * With @offcpu: how long and how often visits were off the CPU.
	 * Overhead is not subtracted. `time` includes these times.
	 */
	uint64_t blocked_ns;   /* slept, or waited for a lock or data */
	uint64_t preempted_ns; /* could run, but other threads had the CPU */
	uint64_t switches;     /* number of times off the CPU */
	uint64_t preemptions;  /* number of these that were preemptions */
	/* With SELFMON_SAMPLE: */
	/* Samples taken while the region was the innermost one. */
	uint64_t samples;
	/* Samples, plus those in regions below. */
	uint64_t samples_within;
};

/* An address in a call stack. */
struct selfmon_address {
	const char *module;   /* path of the mapped file; "" if none is
			       * known, as for code made at run time */
	/* Build id of the module in hexadecimal, or "". */
	const char *build_id;
	uint64_t address;     /* as in the module's symbol table; without a
			       * module, as it was in the process */
};

/* Samples of a row with the same call stack and label. */
struct selfmon_call_stack {
	size_t size;	/* set by the caller: sizeof of this struct */
	uint64_t count; /* number of samples */
	uint64_t label; /* as set by selfmon_label(); 0: none */
	uint64_t data, data_end; /* lowest and highest address of the data
				  * accessed, if the event records it; else 0 */
	size_t depth;
	const struct selfmon_address *address; /* depth addresses, innermost
					        * first: where the thread
					        * was, then return addresses */
};

/*
 * Amounts of one unit that the measured visits of a row counted. Excludes
 * amounts that visits inside them counted.
 */
struct selfmon_report_unit {
	size_t size;	  /* set by the caller: sizeof of this struct */
	/* "bytes", "items", or the argument of selfmon_unit(). */
	const char *name;
	uint64_t sum;
	uint64_t visits;   /* number of visits that counted more than 0. All
			    * values below cover these visits, and are
			    * invalid if there are none */
	uint64_t min, max; /* lowest and highest count of one visit. For an
			    * interval, min (max) is only a bound, unless a
			    * visit of the interval counted less (more) than
			    * all earlier visits */
	/* Percentiles of the count per visit: within 12.5 %. */
	double p50, p90, p99;
};

#define SELFMON_METRIC_NAME_SIZE (SELFMON_EVENT_NAME_SIZE + 32)
#define SELFMON_METRIC_REASON_SIZE (2 * SELFMON_EVENT_NAME_SIZE + 128)

/*
 * A value derived from two counts, or from a count and the time: instructions
 * per cycle, misses in percent. Its verdict is the less certain one of the two.
 */
struct selfmon_metric {
	size_t size;   /* set by the caller: sizeof of this struct */
	char name[SELFMON_METRIC_NAME_SIZE]; /* "IPC", "cache-misses MPKI" */
	enum selfmon_verdict verdict; /* NOT_COUNTED if there is no value */
	uint32_t reserved;
	/* Quotient of inclusive net values; NaN if there is no value. */
	double value;
	double uncertainty; /* possible error from estimates and from the
			     * noise of the subtracted overhead; infinite if
			     * unbounded */
	char reason[SELFMON_METRIC_REASON_SIZE]; /* why there is no value */
};

/*
 * Takes a report of the current results. The first report of a process measures
 * the library's overhead for each kind of visit; a later report measures what
 * is still missing. A measurement takes at most 1 ms of CPU time or 1 % of the
 * time since the library's first use, whichever is more, and at most 60 ms for
 * each kind. A short measurement has more noise. May wait like selfmon_clock().
 * Free the report with selfmon_report_free(). Returns 0, or -ENOMEM (*report is
 * then NULL). Thread-safe; not async-signal-safe.
 */
SELFMON_API int selfmon_report_take(struct selfmon_report **report);

/*
 * Opens a live file (SELFMON_LIVE) and makes the report of the process that
 * wrote it. The process may still run, or may have ended in any way. The file
 * may have any content: a file that this library cannot read is refused.
 * Free the report with selfmon_report_free(). Returns 0, or, with *report NULL,
 *   -EILSEQ  the file is damaged, cut short, or of another version or machine
 *   -ENOMEM  no memory
 *   another -errno  the file cannot be opened or read
 * *failure, which may be NULL, then says what is wrong and where. Thread-safe;
 * not async-signal-safe.
 */
SELFMON_API int selfmon_report_open(const char *path,
				    struct selfmon_report **report,
				    struct selfmon_failure *failure);

/*
 * Makes the report of the time between two reports of the same process, each
 * from selfmon_report_take() or selfmon_report_open(). The new report has the
 * visits that ended in the interval: their sums, net values, percentiles and
 * histograms. Nothing is reset in the process. Rows are matched by
 * path. A row without a visit in the interval is left out unless a visit in or
 * below it is open or was cut off. Exclusive values are invalid if a visit was
 * open at either end of the interval.
 *
 * Values that are not sums may only be bounds. time.min is exact if a visit of
 * the interval was shorter than all earlier visits, and time.max if a visit was
 * longer. Both are exact if the interval has only one visit. Otherwise they are
 * bounds from the histogram, and SELFMON_BOUND_MIN or SELFMON_BOUND_MAX is set.
 * min and max of a counter are those since the start of the process, unless the
 * interval has only one visit. Slowest visits (SELFMON_RECORD) are complete if
 * no report was taken between the two, and the later one is not of a live file:
 * docs/REPORT.md.
 *
 * The header is a copy of the later report's, with the counts of visits and
 * leaves of the interval. Threads and their limits are counted since the start
 * of the process.
 *
 * Returns 0, or, with *interval NULL,
 *   -EINVAL  the reports are of different processes, in the wrong order, or one
 *            of them is itself an interval
 *   -EAGAIN  one report had to leave regions out because a thread was stopped
 *            in an update; use the next report instead
 *   -ENOMEM  no memory
 * The interval does not refer to the two reports; they may be freed.
 * Thread-safe, as long as no thread frees one of the reports meanwhile; not
 * async-signal-safe.
 */
SELFMON_API int selfmon_report_subtract(const struct selfmon_report *later,
					const struct selfmon_report *earlier,
					struct selfmon_report **interval);

/* Frees a report. NULL is allowed. */
SELFMON_API void selfmon_report_free(struct selfmon_report *report);

/*
 * Returns the number of rows, and row i. Rows are in tree order, siblings by
 * descending time. selfmon_report_row() returns NULL if there is no row i.
 */
SELFMON_API size_t selfmon_report_row_count(const struct selfmon_report *report);
SELFMON_API const struct selfmon_row *
selfmon_report_row(const struct selfmon_report *report, size_t i);

/*
 * Returns the detached spans (async.h) of a report, as a report of its own. The
 * result has one row for each region with spans, in descending order of time.
 * All rows are at the top level, without columns. `visits` is the number of
 * spans that ended, and `open` the number of spans that began and have not
 * ended. Dropped spans stay open. If spans begin and end while the report is
 * taken, `open` may be wrong by their number. Overhead is not subtracted from
 * the times. Returns NULL if there were no spans. The result belongs to the
 * report: do not free it, and use it only as long as the report.
 */
SELFMON_API const struct selfmon_report *
selfmon_report_async(const struct selfmon_report *report);

/*
 * Returns the row at a path in the call tree: path[0] is the name of the
 * topmost ancestor, path[depth - 1] the row's own name. Rows that differ only
 * in file or line may have the same path: returns the first of them in tree
 * order. Returns NULL if no row matches.
 */
SELFMON_API const struct selfmon_row *
selfmon_report_find(const struct selfmon_report *report,
		    const char *const *path, size_t depth);

/* A counter column. */
struct selfmon_column_info {
	size_t size; /* set by the caller: sizeof of this struct */
	const char *name;             /* see selfmon_report_column() */
	enum selfmon_verdict verdict; /* the best verdict of its values */
	bool kernel;                  /* kernel mode is counted */
	const char *reason;           /* why it is not counted, in a sentence
				       * that names the remedy; "" if it is
				       * counted */
};

/* Returns the number of counter columns. */
SELFMON_API size_t
selfmon_report_column_count(const struct selfmon_report *report);

/*
 * Describes counter column i. Set info->size first. Pointers in *info are valid
 * as long as the report. Returns 0, -EINVAL (size) or -ENOENT (no column i).
 */
SELFMON_API int
selfmon_report_column_info(const struct selfmon_report *report, size_t i,
			   struct selfmon_column_info *info);

/*
 * Returns the name of counter column i, or NULL if there is none: the event's
 * name as requested. If the CPU has several core types, names of core events
 * have the PMU as well: cpu_core/cycles/. A set such as @basic has a column for
 * each of its events.
 */
SELFMON_API const char *
selfmon_report_column(const struct selfmon_report *report, size_t i);

/*
 * Returns the number of notes, and note i: a sentence on what was not done as
 * requested, such as an unknown variable. selfmon_report_note() returns NULL if
 * there is no note i. The string is valid as long as the report.
 */
SELFMON_API size_t
selfmon_report_note_count(const struct selfmon_report *report);
SELFMON_API const char *
selfmon_report_note(const struct selfmon_report *report, size_t i);

/*
 * Returns the number of metrics, which depends on the counter columns and on
 * the units that were counted; see docs/REPORT.md.
 */
SELFMON_API size_t selfmon_report_metric_count(const struct selfmon_report *report);

/*
 * Computes metric i of a row. Set metric->size first. Returns 0, -EINVAL (size)
 * or -ENOENT (no such row, no such metric).
 */
SELFMON_API int selfmon_row_metric(const struct selfmon_report *report,
				   size_t row, size_t i,
				   struct selfmon_metric *metric);

/*
 * Returns the number of units of a report: bytes, items, and the units that the
 * program named by selfmon_unit(). At most SELFMON_MAX_UNITS.
 */
SELFMON_API size_t
selfmon_report_unit_count(const struct selfmon_report *report);

/*
 * Describes what a row counted of unit i. Set unit->size first. The name is
 * valid as long as the report. Returns 0, -EINVAL (size) or -ENOENT (no such
 * row, no unit i). Several threads may read a report at once. Not
 * async-signal-safe.
 */
SELFMON_API int selfmon_report_unit(const struct selfmon_report *report,
				    size_t row, size_t i,
				    struct selfmon_report_unit *unit);

/*
 * The visits whose time, as counted, is at least low_ns and less than high_ns.
 * "As counted" means that overhead is not subtracted.
 */
struct selfmon_bucket {
	/*
	 * high_ns is at most 1.25 * low_ns plus one tick. Visits of at least
	 * 2^41 ticks all share one bucket; its high_ns is the time of the
	 * longest visit.
	 */
	double low_ns, high_ns;
	uint64_t visits;
};

/* Maximum number of buckets of a row. */
#define SELFMON_BUCKETS_MAX 158

/*
 * Copies the histogram of a row's times, of measured visits only. The buckets
 * of the shortest visits come first; empty buckets are left out. Copies at most
 * size buckets; bucket may be NULL if size is 0. Buckets include the library's
 * overhead; the quantiles below do not. Returns the number of buckets of the
 * row, which may be more than size; 0 if its time was not counted; -ENOENT if
 * there is no such row. Several threads may read a report at once. Not
 * async-signal-safe.
 */
SELFMON_API int selfmon_row_histogram(const struct selfmon_report *report,
				      size_t row,
				      struct selfmon_bucket *bucket,
				      size_t size);

/*
 * Returns the q-quantile of the times of a row's visits, in whole ns; q is 0 to
 * 1. For example q = 0.999 is the 99.9th percentile. It is computed like
 * p50_ns, p90_ns and p99_ns: within 12.5 % as counted, overhead subtracted.
 * Returns NaN if there is no such row, q is out of range, or the row's time was
 * not counted. Several threads may read a report at once. Not
 * async-signal-safe.
 */
SELFMON_API double selfmon_row_quantile(const struct selfmon_report *report,
					size_t row, double q);

/* As the argument row: the samples that were taken outside of all regions. */
#define SELFMON_NO_ROW ((size_t)-1)

/*
 * Returns stack i of the samples that were taken while a row's region was the
 * innermost one. The most frequent stack is the first. row may be
 * SELFMON_NO_ROW. Set stack->size first. Pointers in *stack are valid as long
 * as the report. Returns 0, -EINVAL (size) or -ENOENT (no such row, no stack
 * i). Several threads may read a report at once. Not async-signal-safe.
 */
SELFMON_API int selfmon_row_stack(const struct selfmon_report *report,
				  size_t row, size_t i,
				  struct selfmon_call_stack *stack);

/*
 * Writes a report to a stream. Does not flush or close it. Returns 0, -EINVAL
 * (no such format, or NULL), -EIO (the stream has an error) or -ENOMEM. Several
 * threads may read a report at once.
 */
SELFMON_API int selfmon_report_write(const struct selfmon_report *report,
				     enum selfmon_format format, FILE *stream);

/*
 * Takes, writes and frees a report. Returns 0, or an error of
 * selfmon_report_take() or selfmon_report_write().
 */
SELFMON_API int selfmon_report_print(enum selfmon_format format,
				     FILE *stream);

SELFMON_C_END

#endif

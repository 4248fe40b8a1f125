/* SPDX-License-Identifier: MIT */
/*
 * The report as the writers see it. Writers know formats and nothing of how
 * the values came about; the model knows nothing of formats.
 */
#ifndef SELFMON_REPORT_MODEL_H
#define SELFMON_REPORT_MODEL_H

#include <selfmon/report.h>

#include "region/process.h"

#define SELFMON_TEXT_MAX 512

/* A column: one event of the process's set; hardware events come first. */
struct selfmon_report_column {
	char name[SELFMON_EVENT_NAME_SIZE];
	enum selfmon_verdict verdict; /* the best of its values */
	bool kernel;                  /* kernel mode is counted as well */
	uint32_t place;               /* see selfmon_report_columns_as_asked */
	uint32_t group;               /* enum selfmon_group; 0: not known */
	char reason[SELFMON_TEXT_MAX]; /* why not counted; "" if it is */
	uint32_t without; /* merged: processes that did not count it */
};

/* A thread, or several whose statistics are together. */
struct selfmon_gathered_thread {
	uint64_t threads; /* how many; 0: no such thread */
	uint32_t tid;     /* 0: they are several */
	char name[SELFMON_THREAD_NAME]; /* the kernel's; "": not known */
};

/* Of a row, for those who merge it with others. */
struct selfmon_row_bucket {
	double ns;       /* its middle */
	uint64_t visits;
};

struct selfmon_row_detail {
	size_t buckets;
	struct selfmon_row_bucket *bucket; /* those with visits, rising */
	/* By column, of a scaled value: time asked for, and off the PMU. */
	uint64_t enabled_ns[SELFMON_MAX_COUNTERS], off_ns[SELFMON_MAX_COUNTERS];
	/* While they are merged, by column: the rows' time, and on the PMU. */
	double time_ns[SELFMON_MAX_COUNTERS], on_ns[SELFMON_MAX_COUNTERS];
	/* Rows of which it is the sum; 0: it is itself. */
	size_t folded;
	/* A row that is no region but a thread; threads is 0 of a region. */
	struct selfmon_gathered_thread thread;
	char others[40]; /* the name of either */
};

/* One of those whose reports became one. */
struct selfmon_report_process {
	char file[SELFMON_TEXT_MAX];  /* where it was found */
	char program[SELFMON_TEXT_MAX];
	int32_t pid;
	bool forked, calibrated;
	double inner_ns;
	char when[32];
	double elapsed_ns;
	char clock[64];
	uint64_t clock_hz;
	uint32_t clock_error_ppm;
};

#define SELFMON_ERRATA_MAX 4
struct selfmon_erratum; /* errata.h */

struct selfmon_report {
	/* The header. */
	char program[SELFMON_TEXT_MAX];
	int32_t pid;
	bool forked;                  /* a child: its own work, from zero */
	char cpu[SELFMON_TEXT_MAX];   /* brand, or "unknown CPU" */
	char hypervisor[64];          /* "" on bare metal */
	char kernel[SELFMON_TEXT_MAX];
	char when[32];                /* UTC, ISO 8601 */
	char since[32];               /* of an interval: its beginning; or "" */
	double elapsed_ns;            /* since the library was first used, or
				       * since an interval began */
	uint64_t cpu_ns;              /* of all threads since; 0: not known */
	char clock[64];               /* source */
	uint64_t clock_hz;
	uint32_t clock_error_ppm;
	enum selfmon_choice choice;   /* how the events were decided */
	char events[SELFMON_SPEC_MAX]; /* as asked for; "" for time alone */
	char events_reason[SELFMON_TEXT_MAX]; /* why not more; or "" */
	char read_reason[SELFMON_TEXT_MAX]; /* hardware by read(2): why */
	char slow_path[SELFMON_TEXT_MAX]; /* what makes visits dear; or "" */
	uint64_t read_ns;             /* of a user read, if it was measured */
	uint32_t every;
	bool fence, strict, guard;
	bool guard_gone;              /* another handler is in its place */
	uint64_t taken;               /* sets whose user reads it ended */
	uint64_t threads, threads_at_once;
	struct selfmon_report_limited {
		uint64_t threads;
		char reason[SELFMON_TEXT_MAX];
	} limited[SELFMON_LIMITED_COUNT]; /* threads that met a limit */
	uint64_t refused;             /* threads not measured: no memory */
	uint64_t too_deep;            /* visits not measured: depth */
	uint64_t unready;             /* visits not measured: busy, memory */
	uint64_t displaced;           /* visits at another place: too many */
	uint64_t stale;               /* leaves of visits that were gone */
	uint64_t torn;                /* visits cancelled as they ended */
	uint64_t unread;              /* nodes left out: their thread stands
				       * still in the middle of an update */
	/* What one visit costs, in ns and in events by column. */
	bool calibrated;
	double inner_ns, inner_ns_spread, outer_ns, outer_ns_spread;
	double inner[SELFMON_MAX_COUNTERS], outer[SELFMON_MAX_COUNTERS];
	/* The table. */
	size_t columns;
	struct selfmon_report_column column[SELFMON_MAX_COUNTERS];
	size_t errata; /* of this CPU, that concern a column */
	const struct selfmon_erratum *erratum[SELFMON_ERRATA_MAX];
	double total_ns;              /* of the top level, net: 100 % */
	size_t rows;
	struct selfmon_row *row;
	struct selfmon_row_detail *detail; /* by row; NULL: not known */
	/* Of a merged report; 0: it is of one process. */
	size_t processes;
	struct selfmon_report_process *process;
	/* Of a report that was read: what its rows' names point into. */
	size_t regions;
	struct selfmon_region **region;
	/* recorded.h: to subtract another report; NULL: not known. */
	struct selfmon_recorded *recorded;
	/* The same report with its rows by thread; NULL: there is none. */
	struct selfmon_report *apart;
	/* Messages that nobody has been told. */
	size_t notes;
	char note[SELFMON_NOTES_MAX][SELFMON_MESSAGE_SIZE];
};

/*
 * net.c: from what was recorded to what is read: ns, exclusive values,
 * percentiles, the library's cost subtracted, rows in tree order. -ENOMEM.
 */
struct selfmon_calibration;
struct selfmon_gather;
struct selfmon_recorded;
int selfmon_report_settle(struct selfmon_report *report,
			  const struct selfmon_gather *gather,
			  const struct selfmon_calibration *calibration,
			  const struct selfmon_clock *clock);
/* The same, with rows as they were gathered: parents first. */
int selfmon_report_settle_values(struct selfmon_report *report,
				 const struct selfmon_gather *gather,
				 const struct selfmon_calibration *calibration,
				 const struct selfmon_clock *clock);

/*
 * visit_times.c: percentiles, shortest and longest visit of all rows, out of
 * their sums and histograms; where there is no histogram, percentiles stay as
 * they are. Parents come before their children. Returns 0 or -ENOMEM.
 */
int selfmon_report_visit_times(struct selfmon_report *report);

/* detail.c: of rows that are settled and not in order yet. 0 or -ENOMEM. */
int selfmon_report_detail(struct selfmon_report *report,
			  const struct selfmon_gather *gather,
			  const struct selfmon_clock *clock);

/*
 * columns.c: columns are recorded in the order in which sets have their values;
 * this puts them into that of the specification, with all that rows have of
 * them. Places that are no order, as a damaged file may have, change nothing.
 */
void selfmon_report_columns_as_asked(struct selfmon_report *report);
/* Those that are kept, by column, in the order that they have. */
void selfmon_report_columns_keep(struct selfmon_report *report,
				 const bool keep[SELFMON_MAX_COUNTERS]);

/*
 * order.c: rows in tree order, siblings by falling time, or by falling keys of
 * rows. 0 or -ENOMEM.
 */
int selfmon_report_order(struct selfmon_report *report);
int selfmon_report_order_by(struct selfmon_report *report, const double *key);

/* header.c: everything above the table. */
void selfmon_report_header(struct selfmon_report *report,
			   struct selfmon_process *process);

/* take.c: as selfmon_report_take(), and by thread as well. */
int selfmon_report_take_apart(struct selfmon_report **report);
/* live_open.c: as selfmon_report_open(), likewise. */
int selfmon_report_open_apart(const char *path, struct selfmon_report **report,
			      struct selfmon_failure *failure);

/* exit.c: the report at exit, if there is to be one. */
void selfmon_report_exit(void);

/* Writers; that of text is in text.h. */
void selfmon_report_json(const struct selfmon_report *report, FILE *stream);
void selfmon_report_csv(const struct selfmon_report *report, FILE *stream);

#endif

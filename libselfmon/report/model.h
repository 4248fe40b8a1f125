/* SPDX-License-Identifier: MIT */
/*
 * The report as its writers see it. Writers know formats but not how values
 * were obtained; this model knows nothing of formats.
 */
#ifndef SELFMON_REPORT_MODEL_H
#define SELFMON_REPORT_MODEL_H

#include <selfmon/report.h>

#include "store/process.h"

#define SELFMON_TEXT_MAX 512

/* A column: one event of the process's set. Hardware events come first. */
struct selfmon_report_column {
	char name[SELFMON_EVENT_NAME_SIZE];
	enum selfmon_verdict verdict; /* the best verdict of its values */
	bool kernel;                  /* kernel mode is counted too */
	uint32_t place;               /* see selfmon_report_columns_as_asked */
	uint32_t group;               /* enum selfmon_group; 0: unknown */
	char reason[SELFMON_TEXT_MAX]; /* why not counted; "" if counted */
	uint32_t without; /* merged report: processes without a count of it */
};

/* One thread, or several whose statistics cannot be separated. */
struct selfmon_gathered_thread {
	uint64_t threads; /* number of threads; 0: no such thread */
	uint32_t tid;     /* 0: several threads */
	char name[SELFMON_THREAD_NAME]; /* the kernel's; "": unknown */
};

/* Data of a row that are needed only to merge it with others. */
struct selfmon_row_bucket {
	double ns;       /* middle of the bucket */
	uint64_t visits;
};

/* One unit's counts in the visits of a row. The row has their sum. */
struct selfmon_row_unit {
	uint64_t visits, min, max; /* visits 0: the row counted none */
	size_t buckets;
	/* The member ns holds the middle, in the unit. */
	struct selfmon_row_bucket *bucket;
};

struct selfmon_row_detail {
	size_t buckets;
	struct selfmon_row_bucket *bucket; /* non-empty ones, rising */
	/* For scaled values, by column: time enabled and time off the PMU. */
	uint64_t enabled_ns[SELFMON_MAX_COUNTERS], off_ns[SELFMON_MAX_COUNTERS];
	/*
	 * During a merge, by column: time of the rows, and their time on the
	 * PMU.
	 */
	double time_ns[SELFMON_MAX_COUNTERS], on_ns[SELFMON_MAX_COUNTERS];
	/* One for each unit; NULL: it counted none. */
	struct selfmon_row_unit *unit;
	uint32_t recorded; /* index of the row among the gathered rows */
	/* Number of rows in this sum; 0 if this is an ordinary row. */
	size_t folded;
	/* Set if the row is a thread. In a region's row, threads is 0. */
	struct selfmon_gathered_thread thread;
	char others[40]; /* the name of a row "others" or of a thread */
};

/* A process whose report was merged into this one. */
struct selfmon_report_process {
	char file[SELFMON_TEXT_MAX];  /* path of its report */
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
struct selfmon_samples; /* samples.h */
struct selfmon_slow_list; /* slow_visits.h */

struct selfmon_report {
	/* The header. */
	char program[SELFMON_TEXT_MAX];
	int32_t pid;
	bool forked; /* a forked child: has only its own visits */
	char cpu[SELFMON_TEXT_MAX];   /* brand, or "unknown CPU" */
	char hypervisor[64];          /* "" on bare metal */
	char kernel[SELFMON_TEXT_MAX];
	char when[32];                /* UTC, ISO 8601 */
	char since[32];               /* when the interval began; or "" */
	double elapsed_ns;            /* since the library's first use, or
				       * since the interval began */
	/* CPU time of all threads in that period; 0: unknown. */
	uint64_t cpu_ns;
	char clock[64];               /* source */
	uint64_t clock_hz;
	uint32_t clock_error_ppm;
	enum selfmon_choice choice;   /* how the events were chosen */
	char events[SELFMON_SPEC_MAX]; /* list as requested; "": time alone */
	char events_reason[SELFMON_TEXT_MAX]; /* why fewer are counted; or "" */
	/* How to get hardware events; or "". */
	char counters_off[SELFMON_TEXT_MAX];
	char read_reason[SELFMON_TEXT_MAX]; /* hardware by read(2): why */
	char slow_path[SELFMON_TEXT_MAX]; /* why visits are slow; or "" */
	uint64_t read_ns;             /* duration of a user read, if measured */
	uint32_t every;
	bool fence, strict, guard;
	bool off_cpu; /* context switches were recorded */
	bool guard_gone;              /* another handler replaced it */
	uint64_t taken; /* sets whose user reads the guard ended */
	uint64_t threads, threads_at_once;
	struct selfmon_report_limited {
		uint64_t threads;
		char reason[SELFMON_TEXT_MAX];
	} limited[SELFMON_LIMITED_COUNT]; /* threads that met a limit */
	uint64_t refused;             /* threads not measured: no memory */
	uint64_t too_deep;            /* visits not measured: depth */
	uint64_t unready;             /* visits not measured: busy, memory */
	/* Visits recorded in another node: too many nodes. */
	uint64_t displaced;
	uint64_t evicted;	      /* spans ended to make room */
	uint64_t uncounted;	      /* counts of units lost: no memory */
	uint64_t stale;               /* leaves of visits already closed */
	uint64_t unread; /* nodes left out: their update is stalled */
	/* The overhead of one visit: in ns, and in events of each column. */
	bool calibrated;
	double inner_ns, inner_ns_spread, outer_ns, outer_ns_spread;
	double inner[SELFMON_MAX_COUNTERS], outer[SELFMON_MAX_COUNTERS];
	/* The table. */
	size_t columns;
	struct selfmon_report_column column[SELFMON_MAX_COUNTERS];
	size_t errata; /* errata of this CPU that affect a column */
	const struct selfmon_erratum *erratum[SELFMON_ERRATA_MAX];
	size_t units;
	char unit[SELFMON_MAX_UNITS][SELFMON_UNIT_NAME_SIZE];
	double total_ns; /* net time of the top level, which is 100 % */
	size_t rows;
	struct selfmon_row *row;
	struct selfmon_row_detail *detail; /* by row; NULL: unknown */
	/*
	 * In a merged report: the number of processes. 0: the report of one
	 * process.
	 */
	size_t processes;
	struct selfmon_report_process *process;
	/*
	 * The regions of a report that was read from a file. Names of rows
	 * point into them.
	 */
	size_t regions;
	struct selfmon_region **region;
	/* Data to subtract another report (recorded.h), or NULL. */
	struct selfmon_recorded *recorded;
	/* The same report with rows by thread, or NULL. */
	struct selfmon_report *apart;
	/*
	 * The detached spans, as rows without columns, or NULL. Views of the
	 * report borrow it.
	 */
	struct selfmon_report *async;
	bool spans; /* this is the report of detached spans */
	/* NULL if none were requested. Views of the report borrow them. */
	struct selfmon_samples *samples;
	/* NULL if none are recorded. Views of the report borrow them. */
	struct selfmon_slow_list *slow;
	bool stacks; /* samples have call stacks that refer to these rows */
	/* Messages that have not been printed yet. */
	size_t notes;
	char note[SELFMON_NOTES_MAX][SELFMON_MESSAGE_SIZE];
};

/* Returns a report of the same process with room for rows, but without any. */
struct selfmon_report *selfmon_report_empty(const struct selfmon_report *report,
					    size_t rows);
/* Accepts NULL. */
void selfmon_report_free_empty(struct selfmon_report *report);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The report as its writers see it: finished values with verdicts. Writers know
 * formats but do not obtain values; the code that fills in this struct does not
 * know formats.
 */
#ifndef SELFMON_REPORT_MODEL_H
#define SELFMON_REPORT_MODEL_H

#include <selfmon/report.h>

#include "store/process.h"

#define SELFMON_TEXT_MAX 512

/* A column: one event of the process's set. */
struct selfmon_report_column {
	char name[SELFMON_EVENT_NAME_SIZE];
	enum selfmon_verdict verdict; /* the best that its values can have */
	bool kernel;                  /* kernel mode is counted too */
	/* See selfmon_report_columns_as_asked(). */
	uint32_t place;
	/* enum selfmon_group; SELFMON_GROUP_NONE also if unknown. */
	uint32_t group;
	char reason[SELFMON_TEXT_MAX]; /* why it is not counted, else "" */
	uint32_t without; /* merged report: number of processes that lack it */
};

/* One thread, or several whose statistics cannot be separated. */
struct selfmon_gathered_thread {
	uint64_t threads; /* number of threads; 0: the row is not a thread */
	uint32_t tid;     /* 0: several threads */
	char name[SELFMON_THREAD_NAME]; /* from the kernel; "": unknown */
};

struct selfmon_row_bucket {
	double ns;       /* middle of the bucket */
	uint64_t visits;
};

/* A row's amounts of one unit, per visit. The sum is in the row. */
struct selfmon_row_unit {
	uint64_t visits, min, max; /* visits is 0 if the row counted none */
	size_t buckets;
	/* bucket->ns is the middle of the bucket, in this unit. */
	struct selfmon_row_bucket *bucket;
};

struct selfmon_row_detail {
	size_t buckets;
	/* Only non-empty buckets, in rising order. */
	struct selfmon_row_bucket *bucket;
	/* For scaled values, by column: time enabled and time off the PMU. */
	uint64_t enabled_ns[SELFMON_MAX_COUNTERS], off_ns[SELFMON_MAX_COUNTERS];
	/*
	 * While rows are added up, by column, in ns: the time of the rows, and
	 * their time on the PMU.
	 */
	double time_ns[SELFMON_MAX_COUNTERS], on_ns[SELFMON_MAX_COUNTERS];
	/* One element for each unit; NULL if the row counted none. */
	struct selfmon_row_unit *unit;
	uint32_t recorded; /* index of the row among the gathered rows */
	/* Number of rows that this row stands for; 0 for an ordinary row. */
	size_t folded;
	/* Set if the row is a thread; else thread.threads is 0. */
	struct selfmon_gathered_thread thread;
	char others[40]; /* name of a row "others" or of a thread */
};

/* A process whose report was merged into this one. */
struct selfmon_report_process {
	char file[SELFMON_TEXT_MAX];  /* path of its report */
	char program[SELFMON_TEXT_MAX];
	int32_t pid;
	bool forked, calibrated;
	double inner_ns;
	char when[32], since[32];
	uint64_t start_ticks; /* 0: unknown */
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
	bool forked; /* from a forked child, which has only its own visits */
	char cpu[SELFMON_TEXT_MAX];   /* brand, or "unknown x86-64 CPU" etc. */
	char hypervisor[64];          /* "" on bare metal */
	char kernel[SELFMON_TEXT_MAX];
	char when[32];                /* UTC, ISO 8601 */
	char since[32];               /* when the interval began; or "" */
	uint64_t start_ticks;         /* as in struct selfmon_process */
	/* Since the library's first use or the start of the interval. */
	double elapsed_ns;
	/* CPU time of all threads in the elapsed time; 0: unknown. */
	uint64_t cpu_ns;
	char clock[64];               /* source */
	uint64_t clock_hz;
	uint32_t clock_error_ppm;
	enum selfmon_choice choice;   /* how the events were chosen */
	/* The list as requested; "": time alone. */
	char events[SELFMON_SPEC_MAX];
	/* Why some events are not counted, or "". */
	char events_reason[SELFMON_TEXT_MAX];
	/* Why no hardware event is counted, and the remedy; or "". */
	char counters_off[SELFMON_TEXT_MAX];
	char read_reason[SELFMON_TEXT_MAX]; /* why read(2) is used, or "" */
	/* Why visits take the slow path, or "". */
	char slow_path[SELFMON_TEXT_MAX];
	uint64_t read_ns;             /* duration of a user read, if measured */
	uint32_t every;
	bool fence, strict, guard;
	bool off_cpu; /* context switches were recorded */
	bool guard_gone;              /* another handler replaced the guard's */
	uint64_t taken; /* number of sets that the guard switched to read(2) */
	uint64_t threads, threads_at_once;
	struct selfmon_report_limited {
		uint64_t threads;
		char reason[SELFMON_TEXT_MAX];
	} limited[SELFMON_LIMITED_COUNT]; /* number of threads, by limit */
	/* Threads not measured, for lack of memory. */
	uint64_t refused;
	/* Visits not measured: too many open visits. */
	uint64_t too_deep;
	/*
	 * Visits not measured: no memory, library busy, or regions switched off
	 * before the visit ended.
	 */
	uint64_t unready;
	/*
	 * Visits recorded in the wrong node, because there were too many nodes,
	 * or no memory for another one.
	 */
	uint64_t displaced;
	uint64_t evicted;	      /* spans ended to make room */
	/* Counts of units lost for lack of memory. */
	uint64_t uncounted;
	/*
	 * Leaves of visits that were already closed, belonged to another
	 * thread, or began before fork(2).
	 */
	uint64_t stale;
	uint64_t unread; /* nodes left out: they changed during each copy */
	/* The overhead of one visit, in ns and in events of each column. */
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
	double total_ns; /* net time of all top-level rows, which is 100 % */
	size_t rows;
	struct selfmon_row *row;
	struct selfmon_row_detail *detail; /* by row; NULL if unknown */
	/*
	 * The number of processes in a merged report; 0 in a report of one
	 * process.
	 */
	size_t processes;
	struct selfmon_report_process *process;
	/*
	 * The regions of a report that was read from a file. The names of rows
	 * point into them.
	 */
	size_t regions;
	struct selfmon_region **region;
	/*
	 * The recorded data, which is needed to subtract another report
	 * (recorded.h), or NULL.
	 */
	struct selfmon_recorded *recorded;
	/* The same report with rows by thread, or NULL. */
	struct selfmon_report *apart;
	/*
	 * The detached spans, as rows without columns, or NULL. Views share
	 * this pointer with the report.
	 */
	struct selfmon_report *async;
	bool spans; /* this report consists of detached spans */
	/*
	 * NULL if none were requested. Views share this pointer with the
	 * report.
	 */
	struct selfmon_samples *samples;
	/*
	 * NULL if none are recorded. Views share this pointer with the report.
	 */
	struct selfmon_slow_list *slow;
	/* The samples' call stacks refer to the rows of this report. */
	bool stacks;
	/*
	 * Messages that were not passed to the program's message function, and
	 * notes on a live file.
	 */
	size_t notes;
	char note[SELFMON_NOTES_MAX][SELFMON_MESSAGE_SIZE];
};

/*
 * Returns a report of the same process that has room for rows but no row.
 * Returns NULL if out of memory.
 */
struct selfmon_report *selfmon_report_empty(const struct selfmon_report *report,
					    size_t rows);
/*
 * Frees a report that selfmon_report_empty() returned, without the parts that
 * it shares with the original. Accepts NULL.
 */
void selfmon_report_free_empty(struct selfmon_report *report);

#endif

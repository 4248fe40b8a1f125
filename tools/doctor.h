/* SPDX-License-Identifier: MIT */
/*
 * selfmon doctor: facts about a machine and results of probes go in, checks
 * come out. Only the first two parts access the machine, so that tests can use
 * another one.
 */
#ifndef SELFMON_TOOLS_DOCTOR_H
#define SELFMON_TOOLS_DOCTOR_H

#include <stdio.h>

#include <selfmon/counters.h>

#include "doctor/cause.h"
#include "doctor/remedy.h"
#include "doctor_cpu.h"
#include "event/cores.h"
#include "platform/facts.h"

/* ---- the machine --------------------------------------------------------- */

enum doctor_arch {
	DOCTOR_OTHER = 0,
	DOCTOR_X86,
	DOCTOR_ARM64,
	DOCTOR_RISCV64
};

/* A PMU that counts the threads on its CPUs. */
struct doctor_pmu {
	char name[48];
	char cpus[64]; /* a list; "": all */
	int64_t capacity; /* of each CPU, at most 1024; SELFMON_FACT_UNKNOWN */
};

#define DOCTOR_PMUS 8

struct doctor_machine {
	struct selfmon_facts facts;
	enum doctor_arch arch;
	char system[96];   /* name from os-release */
	char id[96];	   /* its ID and ID_LIKE, with spaces around each */
	char kernel[128];  /* "Linux 6.1.0 x86_64" */
	char cpu[96];
	struct doctor_cpu details; /* of this machine; unknown for a recorded
				      one */
	char modules[128]; /* security modules; "": unknown */
	char lockdown[64];
	int64_t cpus;      /* online */
	int64_t page_size;
	int64_t files_open; /* in the whole system */
	int64_t mux_ms;     /* perf_event_mux_interval_ms of the first PMU */
	size_t pmus;
	struct doctor_pmu pmu[DOCTOR_PMUS]; /* the one of the largest cores is
					       last */
	/* The PMU whose CPUs are all that this program may run on, or -1. */
	int pinned;
};

/* ---- what was tried ------------------------------------------------------ */

/* Not tried, since a prerequisite is missing. */
#define DOCTOR_UNTRIED (-1)

/* The event that SELFMON_SAMPLE=auto samples. */
enum doctor_sampled {
	DOCTOR_SAMPLES_NOTHING = 0,
	DOCTOR_SAMPLES_CYCLES,
	DOCTOR_SAMPLES_CLOCK
};

struct doctor_probe {
	int software;    /* errno of a software event, user mode; 0: opens */
	int hardware;    /* of instructions, user mode */
	bool both_modes; /* works only together with kernel mode */
	int kernel_mode; /* of a kernel mode event */
	/* ENODEV: tracefs is not mounted; ENXIO: this user may not read it */
	int tracepoint;
	int breakpoint;
	int map;         /* of the hardware event's page, or a software
			    event's */
	int wipe;        /* of memory that is wiped in a forked child */
	int64_t attr_size; /* of the kernel's perf_event_attr; 0: unknown */
	uint64_t capabilities; /* of the hardware event's page */
	uint32_t index;
	uint32_t width;
	int core[DOCTOR_PMUS]; /* of cycles on each core PMU */
	/* The four events of `auto`, opened as the library does. */
	int together;    /* number of events that count */
	struct selfmon_failure dropped; /* the first that does not count */
	int running;     /* copies of instructions on the PMU at once */
	int counting;    /* the number of these that count */
	/*
	 * Whether instructions alone are read in user space; with several core
	 * types, by a thread pinned to one.
	 */
	bool user_reads;
	bool unsafe;     /* user reads work, but only with the guard */
	bool guarded;    /* SELFMON_GUARD=1 is set */
	char why_not[256];
	int64_t read_ns; /* per counter; SELFMON_FACT_UNKNOWN */
	char clock[32];
	enum doctor_sampled sampled;
	struct selfmon_failure no_cycles, no_task_clock; /* why not sampled;
							    error 0: is */
	int64_t sample_ns; /* cost of a sample; SELFMON_FACT_UNKNOWN */
};

/* ---- checks -------------------------------------------------------------- */

enum doctor_status {
	DOCTOR_ABSENT = 0, /* not applicable to this machine */
	DOCTOR_SKIP,       /* hidden by another failed check */
	DOCTOR_PASS,
	DOCTOR_WARN,       /* user reads work, other things are limited */
	DOCTOR_FAIL
};

/* Relation to earlier checks that may cause a failure. */
enum doctor_kind {
	DOCTOR_CAUSE = 0,
	DOCTOR_READ_CAUSE,      /* likewise, but events can be counted */
	DOCTOR_ROAM_CAUSE,      /* cause only for a program that is not
				   pinned */
	DOCTOR_CONSEQUENCE,     /* of a DOCTOR_CAUSE, or of another
				   consequence */
	DOCTOR_READ_CONSEQUENCE /* also of a DOCTOR_READ_CAUSE */
};

struct doctor_check {
	const char *name;
	const char *follows; /* the check that hides or decides this one, or
				NULL */
	enum doctor_status status;
	enum doctor_kind kind;
	struct selfmon_sentence found, reason, remedy;
	const char *cause; /* as root cause, a full sentence; NULL: reason */
};

/* Input of the checks. */
struct doctor_case {
	const struct doctor_machine *machine;
	const struct selfmon_facts *facts; /* of the machine */
	const struct doctor_probe *probe;
};

#define DOCTOR_CHECKS 32

struct doctor_report {
	const struct doctor_machine *machine;
	bool user_reads;
	bool when_pinned; /* judge a program pinned to one core type */
	size_t checks;
	struct doctor_check check[DOCTOR_CHECKS];
	struct selfmon_sentence note[2]; /* on remedies, or "" */
	size_t causes; /* number of reasons against user reads */
	const struct doctor_check *cause[DOCTOR_CHECKS];
	bool counted; /* hardware events count, however they are read */
	const struct doctor_check *root; /* the root cause of a problem; NULL:
					    none */
	struct selfmon_sentence summary; /* the state, the root cause and a
					    remedy */
};

typedef void doctor_check_fn(const struct doctor_case *from,
			     struct doctor_check *check);

/* Short for selfmon_sentence_add(). */
#define doctor_say selfmon_sentence_add

int tool_doctor(int argc, char **argv);

#endif

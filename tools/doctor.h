/* SPDX-License-Identifier: MIT */
/*
 * selfmon doctor: turns facts about a machine and the results of probes into
 * checks. Only the first two parts access the machine, so that tests can
 * describe another one.
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
	/* Capacity of each CPU, at most 1024, or SELFMON_FACT_UNKNOWN. */
	int64_t capacity;
};

#define DOCTOR_PMUS 8

struct doctor_machine {
	struct selfmon_facts facts;
	enum doctor_arch arch;
	char system[96];   /* name from os-release */
	/* ID and ID_LIKE of os-release, with spaces around each word. */
	char id[96];
	char kernel[128];  /* "Linux 6.1.0 x86_64" */
	char cpu[96];
	struct doctor_cpu details; /* details of this machine; unknown for a
				    * recorded one */
	char modules[128]; /* security modules; "": unknown */
	char lockdown[64];
	int64_t cpus;      /* online */
	int64_t page_size;
	int64_t files_open; /* in the whole system */
	int64_t mux_ms;     /* perf_event_mux_interval_ms of the first PMU */
	size_t pmus;
	struct doctor_pmu pmu[DOCTOR_PMUS]; /* the PMU of the largest cores
					     * is the last */
	/* The PMU to whose CPUs this program is restricted, or -1. */
	int pinned;
};

/* ---- what was tried ------------------------------------------------------ */

/* The probe was not tried, since a prerequisite is missing. */
#define DOCTOR_UNTRIED (-1)

/* The event that SELFMON_SAMPLE=auto samples. */
enum doctor_sampled {
	DOCTOR_SAMPLES_NOTHING = 0,
	DOCTOR_SAMPLES_CYCLES,
	DOCTOR_SAMPLES_CLOCK
};

struct doctor_probe {
	/* Errno of opening a software event in user mode; 0: it opens. */
	int software;
	int hardware;    /* result of opening instructions in user mode */
	bool both_modes; /* the event opens only together with kernel mode */
	/* Result of opening an event that counts kernel mode. */
	int kernel_mode;
	/* ENODEV: tracefs is not mounted; ENXIO: this user may not read it */
	int tracepoint;
	int breakpoint;
	int map;         /* errno of mapping the page of the hardware event,
			  * or of a software event */
	int wipe;        /* errno of memory that is wiped in a forked child */
	/* Size of the kernel's perf_event_attr; 0: unknown. */
	int64_t attr_size;
	uint64_t capabilities; /* of the hardware event's page */
	uint32_t index;
	uint32_t width;
	int core[DOCTOR_PMUS]; /* errno of cycles on each core PMU */
	/*
	 * The four events of `auto`, opened in the same way as by the library.
	 */
	int together;    /* number of events that count */
	/* The first event that is not counted. */
	struct selfmon_failure dropped;
	int running; /* copies of instructions that are on the PMU at once */
	int counting;    /* how many of these really count */
	/*
	 * Whether instructions alone are read in user space. With several core
	 * types: by a thread that is pinned to one type.
	 */
	bool user_reads;
	bool unsafe;     /* user reads work, but only under the guard */
	bool guarded;    /* SELFMON_GUARD=1 is set */
	char why_not[256];
	int64_t read_ns; /* per counter; SELFMON_FACT_UNKNOWN */
	char clock[32];
	enum doctor_sampled sampled;
	/* Why there are no samples; error 0: there are. */
	struct selfmon_failure no_cycles, no_task_clock;
	int64_t sample_ns; /* cost of a sample; SELFMON_FACT_UNKNOWN */
};

/* ---- checks -------------------------------------------------------------- */

enum doctor_status {
	DOCTOR_ABSENT = 0, /* not applicable to this machine */
	DOCTOR_SKIP,       /* hidden by another failed check */
	DOCTOR_PASS,
	DOCTOR_WARN,       /* user reads work, but other things are limited */
	DOCTOR_FAIL
};

/* How a check is related to earlier checks, which may cause its failure. */
enum doctor_kind {
	DOCTOR_CAUSE = 0,
	/* Causes that there are no user reads; events can be counted. */
	DOCTOR_READ_CAUSE,
	DOCTOR_ROAM_CAUSE, /* a cause only for a program that is not pinned */
	DOCTOR_CONSEQUENCE,     /* consequence of a DOCTOR_CAUSE, or of
				 * another consequence */
	DOCTOR_READ_CONSEQUENCE /* also of a DOCTOR_READ_CAUSE */
};

struct doctor_check {
	const char *name;
	const char *follows; /* the check that hides this one or decides it,
			      * or NULL */
	enum doctor_status status;
	enum doctor_kind kind;
	struct selfmon_sentence found, reason, remedy;
	/* For a root cause a full sentence; NULL: use reason. */
	const char *cause;
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
	bool when_pinned; /* judge as for a program pinned to one core type */
	size_t checks;
	struct doctor_check check[DOCTOR_CHECKS];
	struct selfmon_sentence note[2]; /* on remedies, or "" */
	size_t causes; /* number of reasons against user reads */
	const struct doctor_check *cause[DOCTOR_CHECKS];
	bool counted; /* hardware events are counted, however they are read */
	const struct doctor_check *root; /* the root cause of a problem, or
					  * NULL */
	struct selfmon_sentence summary; /* the state, the root cause, and a
					  * remedy */
};

typedef void doctor_check_fn(const struct doctor_case *from,
			     struct doctor_check *check);

/* Short for selfmon_sentence_add(). */
#define doctor_say selfmon_sentence_add

int tool_doctor(int argc, char **argv);

#endif

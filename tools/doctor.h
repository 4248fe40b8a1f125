/* SPDX-License-Identifier: MIT */
/*
 * selfmon doctor: its checks use facts about a machine and the results of
 * probes. Only the code that gathers the facts, and the probes, access the
 * machine. So tests can pass the facts of another machine.
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

/* A core PMU: it counts events of the threads that run on its CPUs. */
struct doctor_pmu {
	char name[48];
	char cpus[64]; /* a list; "": all */
	/* Capacity of the first CPU, at most 1024, or SELFMON_FACT_UNKNOWN. */
	int64_t capacity;
};

#define DOCTOR_PMUS 8

struct doctor_machine {
	struct selfmon_facts facts;
	enum doctor_arch arch;
	char system[96];   /* name from os-release */
	/*
	 * ID and ID_LIKE from os-release, with a space before and after each
	 * word.
	 */
	char id[96];
	char kernel[128];  /* "Linux 6.1.0 x86_64" */
	char cpu[96];
	/* Unknown if the machine is read from recorded files. */
	struct doctor_cpu details;
	char modules[128]; /* security modules; "": unknown */
	char lockdown[64];
	int64_t cpus;      /* online */
	int64_t page_size;
	int64_t files_open; /* open files in the whole system */
	int64_t mux_ms;     /* perf_event_mux_interval_ms of the first PMU */
	size_t pmus;
	/* The PMU of the largest cores is last. */
	struct doctor_pmu pmu[DOCTOR_PMUS];
	/* Index of the PMU to whose CPUs this program is restricted, or -1. */
	int pinned;
};

/* ---- probes -------------------------------------------------------------- */

/* Value of a probe that was not tried, since a prerequisite is missing. */
#define DOCTOR_UNTRIED (-1)

/* The event that SELFMON_SAMPLE=auto chooses. */
enum doctor_sampled {
	DOCTOR_SAMPLES_NOTHING = 0,
	DOCTOR_SAMPLES_CYCLES,
	DOCTOR_SAMPLES_CLOCK
};

struct doctor_probe {
	/* Errno of opening a software event in user mode; 0: success. */
	int software;
	int hardware;    /* errno of opening instructions in user mode */
	/* The hardware event opens only if it counts kernel mode, too. */
	bool both_modes;
	/* Errno of opening an event that counts kernel mode. */
	int kernel_mode;
	/*
	 * Errno of opening a tracepoint. ENODEV: tracefs is not mounted; ENXIO:
	 * tracefs is not readable for this user.
	 */
	int tracepoint;
	int breakpoint;
	int breakpoint_silent; /* 1: a breakpoint opens, but counts nothing */
	/*
	 * Errno of mapping the page of the hardware event, or of a software
	 * event if no hardware event opens.
	 */
	int map;
	int wipe;        /* errno of mapping memory that fork() wipes */
	/* Size of struct perf_event_attr that the kernel knows; 0: unknown. */
	int64_t attr_size;
	/* Capability bits of the hardware event's page. */
	uint64_t capabilities;
	uint32_t index;
	uint32_t width;
	int core[DOCTOR_PMUS]; /* errno of opening cycles on each core PMU */
	/* Result of opening the four events of `auto`, as the library does. */
	int together;    /* number of events that are counted, or -errno */
	/* The first event that is not counted. */
	struct selfmon_failure dropped;
	int running; /* copies of `instructions` that the PMU accepts at once */
	int counting;    /* copies of `instructions` that count */
	/*
	 * True if `instructions` is read in user space. With several core
	 * types, tried by a thread pinned to one type.
	 */
	bool user_reads;
	bool unsafe;     /* user reads work only with the guard */
	bool guarded;    /* SELFMON_GUARD=1 is set */
	char why_not[256];
	/* Time of a read per counter, or SELFMON_FACT_UNKNOWN. */
	int64_t read_ns;
	char clock[32];
	enum doctor_sampled sampled;
	/*
	 * Why cycles or CPU time cannot be sampled; error 0: they can, or this
	 * was not tried. CPU time is tried only if cycles cannot be sampled.
	 */
	struct selfmon_failure no_cycles, no_task_clock;
	int64_t sample_ns; /* cost of a sample, or SELFMON_FACT_UNKNOWN */
};

/* ---- checks -------------------------------------------------------------- */

enum doctor_status {
	DOCTOR_ABSENT = 0, /* not applicable to this machine */
	/* result unknown: another check failed, or a file is not readable */
	DOCTOR_SKIP,
	DOCTOR_PASS,
	/* does not prevent user reads, but limits something */
	DOCTOR_WARN,
	DOCTOR_FAIL
};

/*
 * Whether a failure of the check can cause failures of later checks, or follow
 * from failures of earlier ones.
 */
enum doctor_kind {
	/*
	 * A failure of this check explains all later consequences: it may
	 * prevent opening events, or reading them in user space.
	 */
	DOCTOR_CAUSE = 0,
	/*
	 * A failure of this check prevents user reads, but does not prevent
	 * opening events.
	 */
	DOCTOR_READ_CAUSE,
	/* Like READ_CAUSE, but only for programs that are not pinned. */
	DOCTOR_ROAM_CAUSE,
	/* Follows from a CAUSE or another CONSEQUENCE. */
	DOCTOR_CONSEQUENCE,
	DOCTOR_READ_CONSEQUENCE /* follows from a READ_CAUSE, too */
};

struct doctor_check {
	const char *name;
	const char *follows; /* check or command that explains this one; NULL */
	enum doctor_status status;
	enum doctor_kind kind;
	struct selfmon_sentence found, reason, remedy;
	/*
	 * Used if the check is the root cause: a full sentence. NULL: use
	 * `reason`.
	 */
	const char *cause;
};

struct doctor_case {
	const struct doctor_machine *machine;
	const struct selfmon_facts *facts;
	const struct doctor_probe *probe;
};

#define DOCTOR_CHECKS 32

struct doctor_report {
	const struct doctor_machine *machine;
	bool user_reads;
	/* user reads work only in a program pinned to one core type */
	bool when_pinned;
	size_t checks;
	struct doctor_check check[DOCTOR_CHECKS];
	struct selfmon_sentence note[2]; /* on remedies, or "" */
	size_t causes; /* number of failed checks that prevent user reads */
	const struct doctor_check *cause[DOCTOR_CHECKS];
	bool counted; /* hardware events can be counted, however they are read */
	/* The root cause of the problem, or NULL. */
	const struct doctor_check *root;
	/* One line: state, root cause, remedy. */
	struct selfmon_sentence summary;
};

typedef void doctor_check_fn(const struct doctor_case *from,
			     struct doctor_check *check);

#define doctor_say selfmon_sentence_add

int tool_doctor(int argc, char **argv);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * selfmon doctor: what a machine says of itself and what was tried on it go
 * in, checks come out. Only the first two look at the machine, so that tests
 * can put another one in their place.
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

/* A PMU that counts what threads do on its CPUs. */
struct doctor_pmu {
	char name[48];
	char cpus[64]; /* a list; "": all */
	int64_t capacity; /* of each, 1024 at most; SELFMON_FACT_UNKNOWN */
};

#define DOCTOR_PMUS 8

struct doctor_machine {
	struct selfmon_facts facts;
	enum doctor_arch arch;
	char system[96];   /* as os-release names it */
	char id[96];	   /* ID and ID_LIKE of it, with spaces around */
	char kernel[128];  /* "Linux 6.1.0 x86_64" */
	char cpu[96];
	struct doctor_cpu details; /* of this machine; of a recorded one none */
	char modules[128]; /* security modules; "": not told */
	char lockdown[64];
	int64_t cpus;      /* online */
	int64_t page_size;
	int64_t files_open; /* in the whole system */
	int64_t mux_ms;     /* perf_event_mux_interval_ms of the first PMU */
	size_t pmus;
	struct doctor_pmu pmu[DOCTOR_PMUS]; /* the largest cores' last */
	/* The one whose CPUs are all that this program may run on, or -1. */
	int pinned;
};

/* root as in selfmon_facts_gather_at(). */
void doctor_machine_gather(const char *root, struct doctor_machine *machine);

/* doctor_cores.c: which PMU a program with these CPUs is pinned to. */
int doctor_cores_pinned(const char *root, const struct doctor_machine *machine);

/* Cores are of several types, and this program may run on more than one. */
bool doctor_cores_roam(const struct doctor_machine *machine);

/* ---- what was tried ------------------------------------------------------ */

/* It was not tried, since it cannot be without something else. */
#define DOCTOR_UNTRIED (-1)

struct doctor_probe {
	int software;    /* errno of a software event, user mode; 0: opens */
	int hardware;    /* of instructions, user mode */
	bool both_modes; /* only with kernel mode along */
	int kernel_mode; /* of an event of kernel mode */
	/* ENODEV: tracefs is not mounted; ENXIO: not for this user to read */
	int tracepoint;
	int breakpoint;
	int map;         /* of the hardware event's page, else a software's */
	int wipe;        /* of memory that a forked child finds empty */
	int64_t attr_size; /* of the kernel's perf_event_attr; 0: not told */
	uint64_t capabilities; /* of the hardware event's page */
	uint32_t index;
	uint32_t width;
	int core[DOCTOR_PMUS]; /* of cycles on each core PMU */
	/* The four events of `auto`, as the library opens them. */
	int together;    /* how many count */
	struct selfmon_failure dropped; /* the first that does not */
	int running;     /* copies of instructions on the PMU at once */
	int counting;    /* those of them that count */
	/*
	 * instructions alone: are they read in user space? Where cores are of
	 * several types: by a thread that is pinned to one.
	 */
	bool user_reads;
	bool unsafe;     /* they would be, with the guard */
	bool guarded;    /* SELFMON_GUARD=1 is set */
	char why_not[256];
	int64_t read_ns; /* a counter; SELFMON_FACT_UNKNOWN */
	char clock[32];
};

void doctor_probe_all(const struct doctor_machine *machine,
		      struct doctor_probe *probe);

/* doctor_cores.c: CPUs that a thread may run on; none: as it was. */
struct doctor_cpus {
	uint64_t bits[SELFMON_CORE_WORDS];
};

/*
 * Where this thread may run on several types of core, leaves it those of one;
 * returns what doctor_cores_unpin() gives back.
 */
struct doctor_cpus doctor_cores_pin(const struct doctor_machine *machine);
void doctor_cores_unpin(const struct doctor_cpus *before);

/* ---- checks -------------------------------------------------------------- */

enum doctor_status {
	DOCTOR_ABSENT = 0, /* nothing to say on such a machine */
	DOCTOR_SKIP,       /* hidden by another check's failure */
	DOCTOR_PASS,
	DOCTOR_WARN,       /* user reads work, something else less well */
	DOCTOR_FAIL
};

/* Which checks before it may be why one fails. */
enum doctor_kind {
	DOCTOR_CAUSE = 0,
	DOCTOR_READ_CAUSE,      /* the same, and events count all the same */
	DOCTOR_ROAM_CAUSE,      /* of a program that is not pinned, alone */
	DOCTOR_CONSEQUENCE,     /* of a DOCTOR_CAUSE, or of another one */
	DOCTOR_READ_CONSEQUENCE /* of a DOCTOR_READ_CAUSE as well */
};

struct doctor_check {
	const char *name;
	enum doctor_status status;
	enum doctor_kind kind;
	struct selfmon_sentence found, reason, remedy;
};

/* What the checks look at. */
struct doctor_case {
	const struct doctor_machine *machine;
	const struct selfmon_facts *facts; /* the machine's */
	const struct doctor_probe *probe;
};

#define DOCTOR_CHECKS 32

struct doctor_report {
	const struct doctor_machine *machine;
	bool user_reads;
	bool when_pinned; /* not as it is, but pinned to one type of core */
	size_t checks;
	struct doctor_check check[DOCTOR_CHECKS];
	struct selfmon_sentence note[2]; /* on remedies, or "" */
	size_t causes; /* why there are no user reads */
	const struct doctor_check *cause[DOCTOR_CHECKS];
};

typedef void doctor_check_fn(const struct doctor_case *from,
			     struct doctor_check *check);

/* One of each row of what can be wrong; doctor_check.c has their order. */
doctor_check_fn doctor_check_kernel, doctor_check_seccomp,
	doctor_check_paranoid, doctor_check_capabilities,
	doctor_check_security_module, doctor_check_call,
	doctor_check_kernel_mode, doctor_check_tracepoints,
	doctor_check_breakpoints, doctor_check_attr;
doctor_check_fn doctor_check_pmu, doctor_check_core_types,
	doctor_check_hardware, doctor_check_user_mode, doctor_check_together,
	doctor_check_granted, doctor_check_watchdog, doctor_check_multiplexing;
doctor_check_fn doctor_check_switch, doctor_check_page, doctor_check_fork,
	doctor_check_user_reads, doctor_check_taken_away, doctor_check_cost,
	doctor_check_clock;
doctor_check_fn doctor_check_descriptors, doctor_check_file_table,
	doctor_check_locked_memory, doctor_check_mappings;

/* A shorter selfmon_sentence_add(). */
#define doctor_say selfmon_sentence_add

/* Fills in reason and remedy from a failure of the library's. */
void doctor_explain(const struct doctor_case *from,
		    const struct selfmon_failure *failure,
		    struct doctor_check *check);

/* The same for an errno of perf_event_open(2) on an event of a user's name. */
void doctor_explain_open(const struct doctor_case *from, const char *event,
			 int error, bool kernel, struct doctor_check *check);

/* What a remedy needs on this distribution: a package, a file to keep it. */
void doctor_note(struct doctor_report *report);

/* "EACCES": what manuals and traces of system calls have. */
const char *doctor_errno(int error);

/* Cannot be told: the call itself, or every hardware event, fails. */
void doctor_skip(struct doctor_check *check, const char *other);

void doctor_examine(const struct doctor_machine *machine,
		    const struct doctor_probe *probe,
		    struct doctor_report *report);

/* ---- output -------------------------------------------------------------- */

void doctor_print(const struct doctor_report *report, bool colours,
		  FILE *stream);
void doctor_print_json(const struct doctor_report *report, FILE *stream);

/* Whole: what selfmon doctor [--json] prints of a report, and its status. */
int doctor_show(const struct doctor_report *report, bool json, bool colours,
		FILE *stream);

#endif

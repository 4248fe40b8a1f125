/* SPDX-License-Identifier: MIT */
/*
 * Known errata of CPUs that make counts wrong, or whose counting disturbs the
 * program, each with its source. A report lists only the errata that affect one
 * of its events.
 */
#include "report/errata.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "event/spec.h"
#include "report/event_kind.h"

/* Classes of affected events, as bits. */
#define RETIRED 1u  /* events of retirement, such as instructions */
#define ICACHE 2u   /* L1-icache references and misses */
#define HARDWARE 4u /* any hardware event */

/*
 * Codes of AMD's retirement events: from PMCx0C0 (instructions) to PMCx0D2
 * (mispredicted conditional branches). See the Processor Programming Reference
 * for family 17h.
 */
#define RAW_RETIRED_FIRST 0xc0
#define RAW_RETIRED_LAST 0xd2

/*
 * Family, models and steppings as returned by CPUID. Ranges include both ends.
 */
static const struct known {
	const char *vendor;
	int family, model, model_last, stepping_last;
	unsigned int events;
	struct selfmon_erratum erratum;
} known[] = {
#define SPECLOCKMAP                                                            \
	{ "AMD SpecLockMap",                                                   \
	  "retired events may be counted twice around locked instructions",    \
	  "github.com/rr-debugger/rr/issues/2034", NULL }
	{ "AuthenticAMD", 0x17, 0, 0xff, 15, RETIRED, SPECLOCKMAP },
	{ "AuthenticAMD", 0x19, 0, 0xff, 15, RETIRED, SPECLOCKMAP },
	{ "AuthenticAMD", 0x17, 0x00, 0x0f, 15, RETIRED,
	  { "AMD erratum 990", "retired events may overcount",
	    "Revision Guide for AMD Family 17h Models 00h-0Fh, 55449", NULL } },
	{ "AuthenticAMD", 0x17, 0x30, 0x3f, 15, RETIRED,
	  { "AMD erratum 1291",
	    "retired events may overcount; a factor of 16 was observed",
	    "Revision Guide for AMD Family 17h Models 30h-3Fh; "
	    "github.com/icl-utk-edu/papi/issues/160", NULL } },
#define ICACHE_ACCESSES                                                        \
	{ "AMD PMCx080, PMCx081",                                              \
	  "accesses and misses of the instruction cache are incorrect",        \
	  "lore.kernel.org/lkml/"                                              \
	  "82853f34-cd5a-43d7-81de-8e40144503e1@amd.com", NULL }
	{ "AuthenticAMD", 0x17, 0, 0xff, 15, ICACHE, ICACHE_ACCESSES },
	{ "AuthenticAMD", 0x19, 0, 0xff, 15, ICACHE, ICACHE_ACCESSES },
	{ "AuthenticAMD", 0x1a, 0, 0xff, 15, ICACHE, ICACHE_ACCESSES },
#define TSX_FORCE_ABORT                                                        \
	{ "Intel TSX force abort",                                             \
	  "with TSX on, transactions abort while general counter 3 counts; "   \
	  "allow_tsx_force_abort=0 in sysfs takes that counter away instead",  \
	  "Intel white paper 604224, support article 000059422", NULL }
	{ "GenuineIntel", 6, 0x4e, 0x4e, 15, HARDWARE, TSX_FORCE_ABORT },
	{ "GenuineIntel", 6, 0x5e, 0x5e, 15, HARDWARE, TSX_FORCE_ABORT },
	{ "GenuineIntel", 6, 0x55, 0x55, 5, HARDWARE, TSX_FORCE_ABORT },
	{ "GenuineIntel", 6, 0x8e, 0x8e, 0xc, HARDWARE, TSX_FORCE_ABORT },
	{ "GenuineIntel", 6, 0x9e, 0x9e, 0xd, HARDWARE, TSX_FORCE_ABORT },
};

/*
 * For a raw event rXXXX, returns true and sets *code to its event code without
 * the unit mask (r1a8: 0xa8). The code includes bits 32 to 35, which extend it
 * on AMD.
 */
static bool is_raw(const struct selfmon_event_kind *meaning, uint64_t *code)
{
	const struct selfmon_piece digits = {
		.text = meaning->core + 1,
		.length = meaning->core_length ? meaning->core_length - 1 : 0,
	};
	uint64_t config;

	if (meaning->type != SELFMON_MEANING_NONE || *meaning->pmu ||
	    meaning->core[0] != 'r' || selfmon_piece_hex(digits, &config))
		return false;
	*code = (config & 0xff) | (config >> 24 & 0xf00);
	return true;
}

static bool is_retired(const struct selfmon_event_kind *meaning)
{
	uint64_t code;

	if (meaning->type == PERF_TYPE_HARDWARE)
		return meaning->config == PERF_COUNT_HW_INSTRUCTIONS ||
		       meaning->config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS ||
		       meaning->config == PERF_COUNT_HW_BRANCH_MISSES;
	if (meaning->type == PERF_TYPE_HW_CACHE)
		return (meaning->config & 0xff) == PERF_COUNT_HW_CACHE_BPU;
	if (is_raw(meaning, &code))
		return code >= RAW_RETIRED_FIRST && code <= RAW_RETIRED_LAST;
	/* AMD's names begin with ex_ret_ in perf, with retired_ in libpfm4. */
	return selfmon_event_kind_begins(meaning, "ex_ret_") ||
	       selfmon_event_kind_begins(meaning, "retired_");
}

/*
 * Returns true only if the event certainly belongs to the core PMU: a
 * lower-case name with a colon may be a tracepoint.
 */
static bool is_vendors(const struct selfmon_event_kind *meaning)
{
	uint64_t code;

	if (meaning->type != SELFMON_MEANING_NONE)
		return false;
	if (*meaning->pmu)
		return meaning->pmu_length == 0; /* cpu/event=0x3c/ */
	return is_raw(meaning, &code) ||
	       (meaning->core[0] >= 'A' && meaning->core[0] <= 'Z') ||
	       memchr(meaning->core, '.', meaning->core_length);
}

static unsigned int events_of(const char *name)
{
	struct selfmon_event_kind meaning;
	unsigned int events;

	selfmon_event_kind_of(name, &meaning);
	events = is_retired(&meaning) ? RETIRED : 0;
	if (meaning.type == PERF_TYPE_HW_CACHE &&
	    (meaning.config & 0xff) == PERF_COUNT_HW_CACHE_L1I)
		events |= ICACHE;
	if (meaning.type == PERF_TYPE_HARDWARE ||
	    meaning.type == PERF_TYPE_HW_CACHE || is_vendors(&meaning))
		events |= HARDWARE;
	return events;
}

static const struct known *known_of(const struct selfmon_erratum *erratum)
{
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (&known[i].erratum == erratum)
			return &known[i];
	return NULL;
}

void selfmon_erratum_columns(const struct selfmon_report *report,
			     const struct selfmon_erratum *erratum,
			     char *names, size_t size)
{
	const struct known *const which = known_of(erratum);
	size_t used = 0, i;

	snprintf(names, size, "%s", erratum->events ? erratum->events : "");
	for (i = 0; which && i < report->columns && used < size; i++) {
		const struct selfmon_report_column *column = &report->column[i];

		if (column->verdict == SELFMON_NOT_COUNTED ||
		    !(events_of(column->name) & which->events))
			continue;
		used += (size_t)snprintf(names + used, size - used, "%s%s",
					 used ? ", " : "", column->name);
	}
}

static bool is_cpu(const struct known *known_one, const struct selfmon_cpu *cpu)
{
	return !strcmp(known_one->vendor, cpu->vendor) &&
	       known_one->family == cpu->family &&
	       cpu->model >= known_one->model &&
	       cpu->model <= known_one->model_last &&
	       cpu->stepping <= known_one->stepping_last;
}

void selfmon_errata_find(struct selfmon_report *report,
			 const struct selfmon_cpu *cpu)
{
	char names[SELFMON_TEXT_MAX];
	size_t i;

	report->errata = 0;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!is_cpu(&known[i], cpu) ||
		    report->errata == SELFMON_ERRATA_MAX)
			continue;
		selfmon_erratum_columns(report, &known[i].erratum, names,
					sizeof(names));
		if (names[0])
			report->erratum[report->errata++] = &known[i].erratum;
	}
}

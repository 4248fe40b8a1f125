/* SPDX-License-Identifier: MIT */
/* Counts that are known to be wrong on some CPUs. */
#ifndef SELFMON_REPORT_ERRATA_H
#define SELFMON_REPORT_ERRATA_H

#include "platform/cpu.h"
#include "report/model.h"

struct selfmon_erratum {
	const char *name;   /* "AMD erratum 1291" */
	const char *text;   /* what is wrong */
	const char *source; /* who says so */
	const char *events; /* as a file has it; NULL: by what is counted */
};

/* Those of this CPU that concern a counted column of the report. */
void selfmon_errata_find(struct selfmon_report *report,
			 const struct selfmon_cpu *cpu);
/* The names of the columns that it concerns, with commas. */
void selfmon_erratum_columns(const struct selfmon_report *report,
			     const struct selfmon_erratum *erratum,
			     char *names, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/* Counts that are known to be wrong on some CPUs. */
#ifndef SELFMON_REPORT_ERRATA_H
#define SELFMON_REPORT_ERRATA_H

#include "platform/cpu.h"
#include "report/model.h"

struct selfmon_erratum {
	const char *name;   /* "AMD erratum 1291" */
	const char *text;   /* what is wrong */
	const char *source; /* the publication */
	/*
	 * Names of the events, if the erratum was read from a file; NULL:
	 * derived from the columns.
	 */
	const char *events;
};

/* Finds the errata of this CPU that affect a counted column of the report. */
void selfmon_errata_find(struct selfmon_report *report,
			 const struct selfmon_cpu *cpu);
/* Writes the names of the affected columns, separated by commas. */
void selfmon_erratum_columns(const struct selfmon_report *report,
			     const struct selfmon_erratum *erratum,
			     char *names, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/* Prints a doctor's report as text or JSON. */
#ifndef SELFMON_TOOLS_DOCTOR_PRINT_H
#define SELFMON_TOOLS_DOCTOR_PRINT_H

#include "doctor.h"

void doctor_print(const struct doctor_report *report, bool colours,
		  FILE *stream);
void doctor_print_json(const struct doctor_report *report, FILE *stream);

/* Prints a report as selfmon doctor [--json] does. Returns the exit status. */
int doctor_show(const struct doctor_report *report, bool json, bool colours,
		FILE *stream);

#endif

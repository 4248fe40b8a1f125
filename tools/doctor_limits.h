/* SPDX-License-Identifier: MIT */
/* Checks the limits: how many threads have room. */
#ifndef SELFMON_TOOLS_DOCTOR_LIMITS_H
#define SELFMON_TOOLS_DOCTOR_LIMITS_H

#include "doctor.h"

doctor_check_fn doctor_check_descriptors, doctor_check_file_table,
	doctor_check_locked_memory, doctor_check_mappings;
/*
 * Returns the pages of events that this user may map; DOCTOR_PAGES_UNLIMITED or
 * more: any number; or SELFMON_FACT_UNKNOWN.
 */
#define DOCTOR_PAGES_UNLIMITED (SELFMON_FACT_UNLIMITED / 4)
int64_t doctor_locked_pages(const struct doctor_case *from);

#endif

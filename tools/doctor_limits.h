/* SPDX-License-Identifier: MIT */
/* Checks the limits of resources: for how many threads do they suffice? */
#ifndef SELFMON_TOOLS_DOCTOR_LIMITS_H
#define SELFMON_TOOLS_DOCTOR_LIMITS_H

#include "doctor.h"

doctor_check_fn doctor_check_descriptors, doctor_check_file_table,
	doctor_check_locked_memory, doctor_check_mappings;
/* See selfmon_lockable_pages(). */
int64_t doctor_locked_pages(const struct doctor_case *from);

#endif

/* SPDX-License-Identifier: MIT */
/* Checks for how many threads the limits of resources suffice. */
#ifndef SELFMON_TOOLS_DOCTOR_LIMITS_H
#define SELFMON_TOOLS_DOCTOR_LIMITS_H

#include "doctor.h"

doctor_check_fn doctor_check_descriptors, doctor_check_file_table,
	doctor_check_locked_memory, doctor_check_mappings;
/* Returns selfmon_lockable_pages() for this machine and this user. */
int64_t doctor_locked_pages(const struct doctor_case *from);

#endif

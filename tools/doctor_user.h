/* SPDX-License-Identifier: MIT */
/*
 * Checks whether counters are read in user space, and whether that is useful.
 */
#ifndef SELFMON_TOOLS_DOCTOR_USER_H
#define SELFMON_TOOLS_DOCTOR_USER_H

#include "doctor.h"

doctor_check_fn doctor_check_switch, doctor_check_page, doctor_check_fork,
	doctor_check_user_reads, doctor_check_taken_away, doctor_check_cost,
	doctor_check_clock;

#endif

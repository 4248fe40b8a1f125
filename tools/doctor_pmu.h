/* SPDX-License-Identifier: MIT */
/*
 * Checks the PMU: whether there is one, its types, and how many events it
 * counts at once.
 */
#ifndef SELFMON_TOOLS_DOCTOR_PMU_H
#define SELFMON_TOOLS_DOCTOR_PMU_H

#include "doctor.h"

doctor_check_fn doctor_check_pmu, doctor_check_core_types,
	doctor_check_hardware, doctor_check_user_mode, doctor_check_together,
	doctor_check_granted, doctor_check_watchdog, doctor_check_multiplexing;

#endif

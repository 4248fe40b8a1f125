/* SPDX-License-Identifier: MIT */
/*
 * Checks which kinds of events and attributes this process may open, in addition
 * to the software event that doctor_check_call() opens.
 */
#ifndef SELFMON_TOOLS_DOCTOR_EVENTS_H
#define SELFMON_TOOLS_DOCTOR_EVENTS_H

#include "doctor.h"

doctor_check_fn doctor_check_attr, doctor_check_kernel_mode,
	doctor_check_tracepoints, doctor_check_breakpoints;

#endif

/* SPDX-License-Identifier: MIT */
/* Measures the library's overhead per visit, by empty visits. */
#ifndef SELFMON_VISIT_OVERHEAD_H
#define SELFMON_VISIT_OVERHEAD_H

#include "store/calibration.h"
#include "store/process.h"

/*
 * Measures the overhead of the kinds of visits that occurred, unless it is
 * already known, on the calling thread. The caller holds the report lock. If a
 * measurement fails, the next call repeats it.
 */
const struct selfmon_calibration *
selfmon_calibrate(struct selfmon_process *process, uint32_t occurred);

#endif

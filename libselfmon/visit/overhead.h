/* SPDX-License-Identifier: MIT */
/* Measures the library's overhead per visit by making empty visits. */
#ifndef SELFMON_VISIT_OVERHEAD_H
#define SELFMON_VISIT_OVERHEAD_H

#include "store/calibration.h"
#include "store/process.h"

/*
 * Measures, on the calling thread, those costs of the visits that occurred
 * which are still unknown. The caller holds the report lock. The next call
 * retries the costs that could not be measured.
 */
const struct selfmon_calibration *
selfmon_calibrate(struct selfmon_process *process, uint32_t occurred);

#endif

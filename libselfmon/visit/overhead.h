/* SPDX-License-Identifier: MIT */
/* The library's overhead per visit, measured by the functions that cause it. */
#ifndef SELFMON_VISIT_OVERHEAD_H
#define SELFMON_VISIT_OVERHEAD_H

#include "store/calibration.h"
#include "store/process.h"

/*
 * Measures, on the calling thread, the unknown costs of the visits that
 * occurred. Under the report lock. The next call retries costs that could not
 * be measured.
 */
const struct selfmon_calibration *
selfmon_calibrate(struct selfmon_process *process, uint32_t occurred);

#endif

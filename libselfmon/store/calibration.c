/* SPDX-License-Identifier: MIT */
#include "store/calibration.h"

struct selfmon_calibration selfmon_calibrated;

/* SPDX-License-Identifier: MIT */
/* A thread's first mark of a name. */
#ifndef SELFMON_VISIT_FRAME_FIRST_H
#define SELFMON_VISIT_FRAME_FIRST_H

#include "store/frames.h"

/*
 * Returns the calling thread's frame of this name; makes it if needed. Returns
 * NULL if the mark cannot be measured; counts such a mark unless regions are
 * off.
 */
struct selfmon_frame_open *selfmon_frame_first(const char *name);

#endif

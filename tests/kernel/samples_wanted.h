/* SPDX-License-Identifier: MIT */
/*
 * For the suite "samples": the number of samples that a test needs, and long
 * visits.
 */
#ifndef TESTS_KERNEL_SAMPLES_WANTED_H
#define TESTS_KERNEL_SAMPLES_WANTED_H

#include "form.h"
#include "kernel/sampled.h"

/*
 * Without the library's thread that reads the rings every 10 ms. Samples stay
 * in a ring until a visit with samples ends, or until a report is taken.
 */
#define ALONE OFTEN ",drain=border"

static inline uint64_t wanted(void)
{
	return (uint64_t)by_form(150, 2000, 20000);
}

/*
 * Duration of each of the three parts of visit_long(). The tests set two
 * sampling periods, so that each part has samples. With ALONE, the end of b
 * reads the samples of the first two parts together.
 */
static uint64_t long_ns;

static inline void visit_long(void)
{
	SELFMON_REGION("a") {
		work_a_for(long_ns);
		SELFMON_REGION("b")
			work_for(long_ns, work_b);
		work_a_for(long_ns);
	}
}

#endif

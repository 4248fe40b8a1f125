/* SPDX-License-Identifier: MIT */
/*
 * Measures the rate of the timestamp counter if neither the CPU nor the kernel
 * states its frequency.
 */
#include "clock/calibrate.h"

#include <errno.h>

#include "clock/ladder.h"
#include "platform/kernel.h"

__extension__ typedef unsigned __int128 wide;

#define NS_PER_S UINT64_C(1000000000)
#define PPM 1000000

/*
 * A calibration is good enough if its error is at most 1000 ppm. Otherwise it
 * waits until BASE_NS has passed since the first pair of readings. It does not
 * wait longer, because a process that exits must not be delayed.
 */
#define BASE_NS UINT64_C(1000000)
#define ERROR_PPM_GOOD 1000
#define TRIES 32
#define ROUNDS 4 /* attempts; a suspend makes one more necessary */

/*
 * Allowed difference between two readings of asleep_ns(), whose clocks are read
 * one after the other. A preemption between them may look like a suspend of the
 * machine. This costs only another round.
 */
#define ASLEEP_SLACK_NS INT64_C(1000000)

/*
 * Returns for how long the machine was suspended since boot. In a suspend
 * CLOCK_MONOTONIC_RAW stops, but the timestamp counter may continue. Two pairs
 * of readings before and after a suspend would give a wrong rate.
 */
static uint64_t asleep_ns(void)
{
	const uint64_t monotonic = selfmon_kernel_monotonic_ns();

	return selfmon_kernel_boottime_ns() - monotonic;
}

void selfmon_clock_pair_take(struct selfmon_clock_pair *pair, int tries)
{
	*pair = (struct selfmon_clock_pair){ .width_ticks = UINT64_MAX };
	while (tries-- > 0) {
		uint64_t from, raw_ns, width;

		from = selfmon_arch_timestamp();
		selfmon_arch_fence();
		raw_ns = selfmon_kernel_monotonic_raw_ns();
		selfmon_arch_fence();
		width = selfmon_arch_timestamp() - from;
		if (width >= pair->width_ticks)
			continue;
		pair->ticks = from + width / 2;
		pair->raw_ns = raw_ns;
		pair->width_ticks = width;
	}
	pair->asleep_ns = asleep_ns();
}

/*
 * Returns the error in ppm: half the bracket of each reading and the resolution
 * of both clocks, divided by the time between the readings.
 */
static uint32_t error_ppm(uint64_t width_ticks, uint64_t ticks, uint64_t ns)
{
	const wide brackets = ((wide)width_ticks + 2) * PPM / ticks / 2;
	const wide sum = brackets + UINT64_C(2) * PPM / ns + 1;

	return sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
}

int selfmon_clock_from_pairs(struct selfmon_clock *clock,
			     const struct selfmon_clock_pair *first,
			     const struct selfmon_clock_pair *second)
{
	const uint64_t ticks = second->ticks - first->ticks;
	const uint64_t ns = second->raw_ns - first->raw_ns;
	const int64_t asleep = (int64_t)(second->asleep_ns - first->asleep_ns);
	wide mult;

	if ((int64_t)ticks <= 0 || (int64_t)ns <= 0 ||
	    asleep > ASLEEP_SLACK_NS || asleep < -ASLEEP_SLACK_NS)
		return -ERANGE;
	mult = (((wide)ns << SELFMON_CLOCK_SHIFT) + ticks / 2) / ticks;
	if (mult == 0 || mult > UINT64_MAX)
		return -ERANGE;
	*clock = (struct selfmon_clock){
		.source = SELFMON_CLOCK_CALIBRATED,
		.shift = SELFMON_CLOCK_SHIFT,
		.mult = (uint64_t)mult,
		.hz = (uint64_t)((wide)ticks * NS_PER_S / ns),
		.error_ppm = error_ppm(first->width_ticks +
				       second->width_ticks, ticks, ns),
	};
	return 0;
}

static void wait_until(uint64_t raw_ns)
{
	for (;;) {
		const uint64_t now = selfmon_kernel_monotonic_raw_ns();

		if (now >= raw_ns)
			return;
		selfmon_kernel_sleep_ns(raw_ns - now);
	}
}

void selfmon_clock_calibrate(struct selfmon_clock *clock,
			     const struct selfmon_clock_pair *first)
{
	struct selfmon_clock_pair start = *first, end;
	int round;

	/* Used if every round fails. The unit of ticks is then unknown. */
	selfmon_clock_from_hz(clock, SELFMON_CLOCK_CALIBRATED, NS_PER_S);
	clock->error_ppm = UINT32_MAX;
	for (round = 0; round < ROUNDS; round++) {
		selfmon_clock_pair_take(&end, TRIES);
		if (selfmon_clock_from_pairs(clock, &start, &end))
			start = end;
		else if (clock->error_ppm <= ERROR_PPM_GOOD ||
			 end.raw_ns - start.raw_ns >= BASE_NS)
			return;
		wait_until(start.raw_ns + BASE_NS);
	}
}

/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "session/sampling.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <selfmon/doctor.h>

#include "clock/clock.h"
#include "counters/attr_fallback.h"
#include "counters/breakpoints.h"
#include "event/sample_spec.h"
#include "platform/kernel.h"
#include "session/live_facts.h"
#include "session/switches.h"
#include "store/config.h"
#include "store/lock.h"

/*
 * The default period of clocks is a prime number of nanoseconds. Each thread
 * adds another multiple of THREAD_STEP to the period. If the period were in
 * step with the program, all samples would be taken in the same part of the
 * program.
 */
#define CLOCK_PERIOD UINT64_C(1000003)
#define THREAD_STEP 997u
#define THREAD_STEPS 20u
#define FREQUENCY 1000u

/*
 * The cost of a sample is measured in windows of this time, until the thread
 * has had the CPU for half of a window. MEASURE_PERIOD_NS and _CYCLES are the
 * periods of the samples that are measured.
 */
#define MEASURE_NS UINT64_C(2000000)
#define MEASURE_WINDOWS_MAX 50u
#define MEASURE_PERIOD_NS UINT64_C(250000)
#define MEASURE_PERIOD_CYCLES UINT64_C(1000000)
#define MEASURE_MAX 16u
/* Samples may take at most 1/COST_SHARE of a thread's time. */
#define COST_SHARE 20

/* ---- opening ------------------------------------------------------------- */

static bool is_clock(const struct selfmon_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE &&
	       (event->config == PERF_COUNT_SW_CPU_CLOCK ||
		event->config == PERF_COUNT_SW_TASK_CLOCK);
}

static bool has_data(const struct selfmon_event *event)
{
	return event->type == PERF_TYPE_BREAKPOINT ||
	       (event->type == PERF_TYPE_SOFTWARE &&
		(event->config == PERF_COUNT_SW_PAGE_FAULTS ||
		 event->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		 event->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ));
}

/*
 * Requests a call chain even for chain=1: without a call chain, the kernel
 * buffers the samples of precise events and delivers them late.
 */
static void fill_attr(const struct selfmon_sampling *sampling,
		      struct perf_event_attr *attr)
{
	const struct selfmon_attr_fallback attempt = {
		.no_guest = sampling->no_guest,
		.both_modes = sampling->both_modes,
	};

	selfmon_attr_fallback_attr(&attempt, &sampling->event, attr);
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	if (sampling->data)
		attr->sample_type |= PERF_SAMPLE_ADDR;
	attr->exclude_callchain_kernel = 1;
	attr->sample_max_stack = (uint16_t)sampling->chain;
	if (sampling->frequency) {
		attr->freq = 1;
		attr->sample_freq = sampling->frequency;
	} else {
		attr->sample_period = sampling->period;
	}
	attr->watermark = 1; /* no wakeups */
	attr->wakeup_watermark = UINT32_MAX;
}

int selfmon_sampling_open(const struct selfmon_sampling *sampling,
			  bool switches, struct selfmon_ring *ring)
{
	static uint32_t opened;
	struct perf_event_attr attr;

	fill_attr(sampling, &attr);
	if (sampling->clock)
		attr.sample_period += opened++ % THREAD_STEPS * THREAD_STEP;
	if (switches)
		selfmon_switches_attr(&attr);
	return selfmon_ring_open(ring, &attr, sampling->ring_order, false);
}

/* ---- cost of a sample ---------------------------------------------------- */

static int compare_words(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

struct sample_cost {
	uint64_t ticks; /* of the median sample */
	double ns;
	unsigned int samples;
};

struct sample_gaps {
	uint64_t ticks[MEASURE_MAX];
	unsigned int count;
	double ns_per_tick;
};

/*
 * Finds samples as gaps between consecutive timestamps of a loop.
 *
 * The system's clock is read after the timestamp. If the thread loses the CPU
 * between the two reads, ns / ticks is too large, and often the loop ends with
 * this value. Therefore the smallest quotient is used.
 */
static void find_gaps(const struct selfmon_ring *ring, struct sample_gaps *gaps)
{
	const uint64_t begin_ns = selfmon_kernel_monotonic_raw_ns(),
		       begin = selfmon_clock_ticks();
	uint64_t head = selfmon_ring_head(ring), last = begin;
	uint64_t ns, now, seen;

	do {
		seen = selfmon_ring_head(ring);
		now = selfmon_clock_ticks();
		if (seen != head && gaps->count < MEASURE_MAX)
			gaps->ticks[gaps->count++] = now - last;
		head = seen;
		last = now;
		ns = selfmon_kernel_monotonic_raw_ns() - begin_ns;
		if (last != begin &&
		    (gaps->ns_per_tick <= 0 ||
		     (double)ns < gaps->ns_per_tick * (double)(last - begin)))
			gaps->ns_per_tick = (double)ns / (double)(last - begin);
	} while (ns < MEASURE_NS);
}

/*
 * On a busy machine a window may pass while the thread waits for the CPU and
 * has no samples. Therefore the CPU time decides when the measurement ends. The
 * CPU time is read only between windows, because reading it takes a system
 * call.
 */
static void measure_gaps(const struct selfmon_ring *ring,
			 struct sample_cost *cost)
{
	const uint64_t begin_ns = selfmon_kernel_thread_cpu_ns();
	struct sample_gaps gaps = { .count = 0 };
	unsigned int i;

	for (i = 0; i < MEASURE_WINDOWS_MAX; i++) {
		find_gaps(ring, &gaps);
		if (selfmon_kernel_thread_cpu_ns() - begin_ns >= MEASURE_NS / 2)
			break;
	}
	cost->samples = gaps.count;
	if (!gaps.count)
		return;
	qsort(gaps.ticks, gaps.count, sizeof(gaps.ticks[0]), compare_words);
	cost->ticks = gaps.ticks[gaps.count / 2];
	cost->ns = (double)cost->ticks * gaps.ns_per_tick;
}

static int measure_cost(const struct selfmon_sampling *sampling,
			struct selfmon_ring *ring, struct sample_cost *cost)
{
	struct selfmon_sampling often = *sampling;
	int error;

	memset(cost, 0, sizeof(*cost));
	often.frequency = 0;
	often.period = sampling->clock ? MEASURE_PERIOD_NS
				       : MEASURE_PERIOD_CYCLES;
	error = selfmon_sampling_open(&often, false, ring);
	if (error)
		return error;
	measure_gaps(ring, cost);
	selfmon_ring_close(ring);
	return 0;
}

static void limit_cost(struct selfmon_sampling *sampling,
		       const struct sample_cost *cost)
{
	const double least_ns = cost->ns * COST_SHARE;

	sampling->cost_ticks = cost->ticks;
	if (sampling->frequency && 1e9 / sampling->frequency < least_ns) {
		sampling->asked = sampling->frequency;
		sampling->frequency = (uint32_t)(1e9 / least_ns) + 1;
	} else if (sampling->clock && (double)sampling->period < least_ns) {
		sampling->asked = sampling->period;
		sampling->period = (uint64_t)least_ns;
	}
}

/* ---- the choice ---------------------------------------------------------- */

static int fail_sampling(struct selfmon_sampling *sampling, int error, const char *why)
{
	sampling->failure = (struct selfmon_failure){
		.error = -error,
		.step = why ? SELFMON_STEP_POLICY : SELFMON_STEP_OPEN,
	};
	snprintf(sampling->failure.event, sizeof(sampling->failure.event), "%s",
		 sampling->event.name);
	if (why)
		snprintf(sampling->failure.message,
			 sizeof(sampling->failure.message), "%s", why);
	return error;
}

/*
 * Returns true for Linux 6.16 and 6.17, which hang when a software clock is
 * throttled. The last stable versions of 6.17 have the fix (commit
 * eb3182ef0405, "perf/core: Fix system hang caused by cpu-clock usage"), but
 * are not distinguished.
 */
static bool hangs(void)
{
	char release[64];
	unsigned int major = 0, minor = 0;

	selfmon_kernel_release(release, sizeof(release));
	return sscanf(release, "Linux %u.%u", &major, &minor) == 2 &&
	       major == 6 && (minor == 16 || minor == 17);
}

/*
 * Stores the failure. The same errno has different causes when the event is
 * opened and when its ring is mapped.
 */
static int fail_ring(struct selfmon_sampling *sampling, int error,
		     const struct selfmon_ring *ring)
{
	fail_sampling(sampling, error, NULL);
	if (ring->unmapped)
		sampling->failure.step = SELFMON_STEP_MAP;
	return error;
}

/*
 * Tries to open the event, and closes it again. Retries without attributes that
 * a PMU may refuse, as for counters.
 */
static int try_sampling(struct selfmon_sampling *sampling,
			struct selfmon_ring *ring)
{
	struct selfmon_attr_fallback attempt;
	int error;

	selfmon_attr_fallback_first(&attempt, &sampling->event, 0);
	do {
		sampling->no_guest = attempt.no_guest;
		sampling->both_modes = attempt.both_modes;
		error = selfmon_sampling_open(sampling, false, ring);
		selfmon_ring_close(ring);
	} while (error && selfmon_attr_fallback_next(&attempt, &sampling->event,
						     error));
	return error;
}

static int choose_period(struct selfmon_sampling *sampling,
			 const struct selfmon_sample_spec *spec)
{
	const bool hardware = sampling->event.flags & SELFMON_EVENT_HARDWARE;

	sampling->clock = is_clock(&sampling->event);
	sampling->data = has_data(&sampling->event);
	sampling->period = spec->period;
	sampling->frequency = spec->frequency;
	if (spec->time && !sampling->clock)
		return fail_sampling(sampling, -EINVAL,
			    "a period in units of time is one of task-clock "
			    "and cpu-clock: give a number of events, or a "
			    "frequency such as 1000hz");
	if (sampling->clock && spec->frequency) {
		sampling->period = UINT64_C(1000000000) / spec->frequency;
		sampling->frequency = 0;
	}
	if (!sampling->period && !sampling->frequency) {
		sampling->period = sampling->clock ? CLOCK_PERIOD : !hardware;
		sampling->frequency = hardware ? FREQUENCY : 0;
	}
	if (sampling->clock && sampling->period < SELFMON_SAMPLE_NS_MIN)
		return fail_sampling(sampling, -EINVAL,
			    "the period of a clock is at least 200us: a "
			    "shorter one would leave no time for the program");
	if (sampling->clock && hangs())
		return fail_sampling(sampling, -EOPNOTSUPP,
			    "clocks are not sampled on Linux 6.16 and 6.17, "
			    "because sampling a clock can hang these "
			    "kernels. Use a hardware event or another kernel");
	return 0;
}

static int choose_event(struct selfmon_sampling *sampling,
			const struct selfmon_sample_spec *spec,
			const char *event)
{
	struct selfmon_events events;
	struct selfmon_failure failure = { .error = 0 };
	struct selfmon_ring ring = { .page = NULL };
	struct sample_cost cost;
	int error = selfmon_events_parse(event, &events, &failure);
	bool hardware;

	memset(sampling, 0, sizeof(*sampling));
	sampling->chain = spec->chain;
	sampling->ring_order = spec->ring_order;
	if (error < 0 || events.count != 1) {
		sampling->failure = failure;
		return error < 0 ? error
				 : fail_sampling(sampling, -EINVAL,
					"one event can be sampled at a time");
	}
	sampling->event = events.event[0];
	hardware = sampling->event.flags & SELFMON_EVENT_HARDWARE;
	error = choose_period(sampling, spec);
	if (error)
		return error;
	error = try_sampling(sampling, &ring);
	if (error)
		return fail_ring(sampling, error, &ring);
	if (sampling->event.type == PERF_TYPE_BREAKPOINT &&
	    !selfmon_breakpoints_count())
		return fail_sampling(sampling, -EOPNOTSUPP,
				     SELFMON_BREAKPOINTS_SILENT);
	/*
	 * A period given in events is used regardless of the cost. For events
	 * such as page faults the cost is not measured even if a frequency is
	 * given: the measuring loop causes no such events.
	 */
	if (!sampling->clock && (!sampling->frequency || !hardware))
		return 0;
	error = measure_cost(sampling, &ring, &cost);
	if (error)
		return fail_ring(sampling, error, &ring);
	if (!cost.samples && !sampling->clock)
		return fail_sampling(sampling, -EOPNOTSUPP,
			    "its counter counts, but no samples arrive: the "
			    "hypervisor delivers no PMU interrupts. Use a "
			    "hypervisor that delivers them");
	limit_cost(sampling, &cost);
	return 0;
}

/*
 * Chooses cycles if the PMU can count and interrupt, else CPU time. If the
 * period is a time, always chooses CPU time.
 */
static int choose_auto(struct selfmon_sampling *sampling,
		       const struct selfmon_sample_spec *spec)
{
	if (!spec->time && !choose_event(sampling, spec, "cycles:u"))
		return 0;
	return choose_event(sampling, spec, "task-clock");
}

int selfmon_sampling_try(struct selfmon_sampling *sampling, const char *event)
{
	struct selfmon_sample_spec spec;
	char why[SELFMON_MESSAGE_SIZE];

	if (selfmon_sample_spec_parse("auto", &spec, why, sizeof(why)))
		return -EINVAL;
	return choose_event(sampling, &spec, event);
}

static void choose_sampling(struct selfmon_process *process)
{
	const struct selfmon_config *const config = selfmon_config();
	struct selfmon_sampling *const sampling = &process->sampling;
	struct selfmon_sample_spec spec;
	char why[SELFMON_MESSAGE_SIZE];
	int error;

	if (selfmon_sample_spec_parse(config->sample, &spec, why,
				      sizeof(why))) {
		selfmon_config_note("SELFMON_SAMPLE: %.200s; nothing is sampled",
				    why);
		return;
	}
	if (!spec.event[0])
		return;
	if (config->every > 1) {
		selfmon_config_note("nothing is sampled: SELFMON_EVERY=%u "
				    "measures one visit in %u",
				    config->every, config->every);
		return;
	}
	error = strcmp(spec.event, "auto")
			? choose_event(sampling, &spec, spec.event)
			: choose_auto(sampling, &spec);
	sampling->on = !error;
	if (!error)
		return;
	selfmon_explain(&sampling->failure, why, sizeof(why));
	selfmon_config_note("nothing is sampled: %.230s", why);
}

/* Like selfmon_events_foresee(), for the event that is sampled. */
static void foresee(const char *text)
{
	struct selfmon_sample_spec spec;
	struct selfmon_events unwanted;
	char why[SELFMON_MESSAGE_SIZE];

	if (!selfmon_sample_spec_parse(text, &spec, why, sizeof(why)) &&
	    spec.event[0] && strcmp(spec.event, "auto") != 0)
		selfmon_events_parse(spec.event, &unwanted, NULL);
}

void selfmon_sampling_choose(struct selfmon_process *process)
{
	const char *const text = selfmon_config()->sample;

	if (!*text || selfmon_load_once(&process->sampling_chosen))
		return;
	foresee(text);
	selfmon_process_lock(process);
	if (!process->sampling_chosen) {
		choose_sampling(process);
		selfmon_facts_publish(process);
		selfmon_store_once(&process->sampling_chosen, true);
	}
	selfmon_process_unlock(process);
}

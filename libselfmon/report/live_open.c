/* SPDX-License-Identifier: MIT */
/* Makes a report from a live file. The file's process may still run. */
#define _GNU_SOURCE
#include "report/live_open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock/clock.h"
#include "clock/ladder.h"
#include "platform/kernel.h"
#include "report/live_read.h"
#include "report/live_rows.h"
#include "report/recorded.h"
#include "report/utc.h"
#include "store/calibration.h"
#include "store/live.h"
#include "store/process.h"

#define NS_PER_S UINT64_C(1000000000)
#define HZ_MIN UINT64_C(100000)
#define HZ_MAX UINT64_C(1000000000000)
#define PAIR_TRIES 32
/* Upper limit for the overhead of one visit, in ticks or events. */
#define COST_MAX 1e9

#define COPY(to, from) copy(to, sizeof(to), from, sizeof(from))

/* Copies a text field that may lack its terminating NUL. */
static void copy(char *to, size_t size, const char *from, size_t length)
{
	snprintf(to, size, "%.*s", (int)strnlen(from, length), from);
}

static const struct selfmon_live_facts *
facts_of(const struct selfmon_live_input *input)
{
	return &input->header.facts[input->header.which - 1];
}

/* ---- time ---------------------------------------------------------------- */

/*
 * Returns true if the members of the clock are in range, and hz ticks take one
 * second within 1 %.
 */
static bool is_possible(const struct selfmon_clock *clock)
{
	uint64_t second;

	if (clock->source <= SELFMON_CLOCK_NONE ||
	    clock->source > SELFMON_CLOCK_GETTIME || clock->shift >= 64 ||
	    clock->hz < HZ_MIN || clock->hz > HZ_MAX)
		return false;
	second = selfmon_clock_ns(clock, clock->hz);
	return second > NS_PER_S - NS_PER_S / 100 &&
	       second < NS_PER_S + NS_PER_S / 100;
}

/*
 * Returns true if the machine has not rebooted since the file was written, and
 * if this process reads the same clock directly. The current time can then be
 * used to calibrate the file's clock.
 */
static bool is_same_boot(const struct selfmon_live_facts *facts)
{
	char boot[sizeof(facts->boot)] = "";

	return selfmon_kernel_read_file("/proc/sys/kernel/random/boot_id",
					boot, sizeof(boot)) > 0 &&
	       !strncmp(boot, facts->boot, sizeof(boot)) &&
	       selfmon_clock_direct();
}

static void find_clock(const struct selfmon_live_input *input,
		       struct selfmon_clock *clock)
{
	const struct selfmon_live_facts *const facts = facts_of(input);
	const struct selfmon_live_header *const header = &input->header;
	struct selfmon_clock_pair now;

	*clock = facts->clock;
	if (is_possible(clock))
		return;
	if (is_same_boot(facts)) {
		selfmon_clock_pair_take(&now, PAIR_TRIES);
		if (!selfmon_clock_from_pairs(clock, &header->pair[0], &now) &&
		    is_possible(clock))
			return;
	}
	if (header->pairs > 1 &&
	    !selfmon_clock_from_pairs(clock, &header->pair[0],
				      &header->pair[(header->pairs - 1) % 2 +
						    1]) &&
	    is_possible(clock))
		return;
	/* The tick rate is unknown, so ticks are shown as if each were 1 ns. */
	selfmon_clock_from_hz(clock, SELFMON_CLOCK_CALIBRATED, NS_PER_S);
	clock->error_ppm = UINT32_MAX;
}

/*
 * Sets the times of the report. The report ends at the newest time in the file:
 * the start of an open or ended visit, or the newest pair of clock values. The
 * process writes a pair, for example, when it adds records and when threads
 * start.
 */
static void note_time(struct selfmon_report *report,
		      const struct selfmon_live_input *input,
		      const struct selfmon_clock *clock)
{
	const struct selfmon_live_facts *const facts = facts_of(input);
	uint64_t newest = input->newest, ns;
	size_t i;

	for (i = 1; i < 3; i++)
		if (input->header.pair[i].ticks > newest)
			newest = input->header.pair[i].ticks;
	ns = newest > facts->start_ticks
		     ? selfmon_clock_ns(clock, newest - facts->start_ticks)
		     : 0;
	report->elapsed_ns = (double)ns;
	report->start_ticks = facts->start_ticks;
	report->recorded->ticks = newest;
	selfmon_utc_write(report->when, sizeof(report->when),
			   facts->begun + ns / NS_PER_S);
	snprintf(report->clock, sizeof(report->clock), "%s",
		 selfmon_clock_source_name(clock->source));
	report->clock_hz = clock->hz;
	report->clock_error_ppm = clock->error_ppm;
}

/* ---- the rest of the header ---------------------------------------------- */

static void note(struct selfmon_report *report, const char *text)
{
	if (report->notes == SELFMON_NOTES_MAX)
		return;
	snprintf(report->note[report->notes++], SELFMON_MESSAGE_SIZE, "%s",
		 text);
}

static void take_notes(struct selfmon_report *report,
		       const struct selfmon_live_input *input)
{
	const struct selfmon_live_facts *const facts = facts_of(input);
	const struct selfmon_live_counts *const counts = &input->header.counts;
	char text[SELFMON_MESSAGE_SIZE];
	size_t i;

	snprintf(text, sizeof(text), "read from the live file %.120s; %s",
		 input->path,
		 counts->ended ? "its process has ended"
			       : "its process is still running, or was killed");
	note(report, text);
	if (counts->left_out) {
		snprintf(text, sizeof(text), "%llu regions, threads or places "
			 "are missing: the file could not grow",
			 (unsigned long long)counts->left_out);
		note(report, text);
	}
	if (input->unknown) {
		snprintf(text, sizeof(text),
			 "%llu records of unknown types "
			 "were skipped: a newer library wrote the file",
			 (unsigned long long)input->unknown);
		note(report, text);
	}
	for (i = 0; i < facts->notes && i < SELFMON_NOTES_MAX; i++) {
		COPY(text, facts->note[i]);
		note(report, text);
	}
}

static void take_events(struct selfmon_report *report,
			const struct selfmon_live_facts *facts)
{
	size_t i;

	report->choice = facts->choice <= SELFMON_CHOICE_FAILED
				 ? (enum selfmon_choice)facts->choice
				 : SELFMON_CHOICE_NONE;
	report->read_ns = facts->read_ns;
	COPY(report->events, facts->events);
	COPY(report->events_reason, facts->events_reason);
	COPY(report->counters_off, facts->counters_off);
	COPY(report->read_reason, facts->read_reason);
	COPY(report->slow_path, facts->slow_path);
	report->columns = facts->columns < SELFMON_MAX_COUNTERS
				  ? facts->columns
				  : SELFMON_MAX_COUNTERS;
	for (i = 0; i < report->columns; i++) {
		struct selfmon_report_column *const to = &report->column[i];

		COPY(to->name, facts->column[i].name);
		COPY(to->reason, facts->column[i].reason);
		to->verdict = facts->column[i].verdict <= SELFMON_SCALED
				      ? (enum selfmon_verdict)
						facts->column[i].verdict
				      : SELFMON_NOT_COUNTED;
		to->kernel = facts->column[i].kernel;
		to->place = facts->column[i].place;
		to->group = facts->column[i].group;
	}
}

static void note_counts(struct selfmon_report *report,
			struct selfmon_live_input *input)
{
	const struct selfmon_live_facts *const facts = facts_of(input);
	const struct selfmon_live_counts *const counts = &input->header.counts;
	size_t i;

	report->threads = counts->threads;
	report->threads_at_once = counts->threads_at_once;
	report->refused = counts->refused;
	report->stale = counts->stale;
	report->taken = facts->taken;
	input->gather.unready += counts->unready;
	for (i = 0; i < SELFMON_LIMITED_COUNT; i++) {
		report->limited[i].threads = counts->limited[i];
		COPY(report->limited[i].reason, facts->limited[i]);
	}
}

static void note_header(struct selfmon_report *report,
			struct selfmon_live_input *input)
{
	const struct selfmon_live_facts *const facts = facts_of(input);

	COPY(report->program, facts->program);
	COPY(report->cpu, facts->cpu);
	COPY(report->hypervisor, facts->hypervisor);
	COPY(report->kernel, facts->kernel);
	report->pid = facts->pid;
	report->forked = facts->forked;
	report->every = facts->every ? facts->every : 1;
	report->fence = facts->fence;
	report->strict = facts->strict;
	report->guard = facts->guard;
	report->off_cpu = facts->off_cpu;
	take_events(report, facts);
	note_counts(report, input);
	take_notes(report, input);
}

static void take_sampling(struct selfmon_sampling *to,
			  const struct selfmon_live_facts *facts)
{
	COPY(to->event.name, facts->sampling.event);
	to->on = to->event.name[0] != '\0';
	to->period = facts->sampling.period;
	to->asked = facts->sampling.asked;
	to->cost_ticks = facts->sampling.cost_ticks;
	to->frequency = facts->sampling.frequency;
	to->chain = facts->sampling.chain;
}

/*
 * Checks that all overheads are finite and in range. `inner` and all members
 * after it consist of doubles.
 */
static bool is_calibration(const struct selfmon_calibration *from)
{
	double value[(sizeof(*from) -
		      offsetof(struct selfmon_calibration, inner)) /
		     sizeof(double)];
	const size_t values = sizeof(value) / sizeof(value[0]);
	size_t i;

	memcpy(value, (const char *)from +
			      offsetof(struct selfmon_calibration, inner),
	       sizeof(value));
	for (i = 0; i < values; i++)
		if (!(value[i] >= -COST_MAX && value[i] <= COST_MAX))
			return false;
	return from->done == 1;
}

static int make_report(struct selfmon_report *report,
		       struct selfmon_live_input *input)
{
	const struct selfmon_live_facts *const facts = facts_of(input);
	struct selfmon_recorded *const recorded = calloc(1, sizeof(*recorded));

	report->recorded = recorded; /* the report owns it and frees it */
	if (!recorded)
		return selfmon_live_fails(input, -ENOMEM, "cannot be read");
	find_clock(input, &recorded->clock);
	note_header(report, input);
	note_time(report, input, &recorded->clock);
	take_sampling(&recorded->sampling, facts);
	if (is_calibration(&facts->calibration))
		recorded->calibration = facts->calibration;
	recorded->gather = input->gather;
	recorded->gather.named = input->region;
	input->gather = (struct selfmon_gather){ .rows = 0 };
	/* The report takes the regions: the names of rows point into them. */
	report->region = input->region;
	report->regions = input->regions;
	input->region = NULL;
	input->regions = 0;
	if (selfmon_recorded_settle(report))
		return selfmon_live_fails(input, -ENOMEM, "cannot be read");
	return 0;
}

static int read_rows(struct selfmon_live_input *input, bool apart)
{
	input->gather.every = facts_of(input)->every > 1;
	if (apart && selfmon_gather_make_apart(&input->gather))
		return selfmon_live_fails(input, -ENOMEM, "cannot be read");
	return selfmon_live_rows(input);
}

static int open_report(const char *path, bool apart,
		       struct selfmon_report **out,
		       struct selfmon_failure *failure)
{
	struct selfmon_live_input *const input = aligned_alloc(
		_Alignof(struct selfmon_live_input), sizeof(*input));
	struct selfmon_report *report = calloc(1, sizeof(*report));
	struct selfmon_failure unwanted = { .error = 0 };
	int error = -ENOMEM;

	*out = NULL;
	if (input && report) {
		memset(input, 0, sizeof(*input));
		input->path = path;
		input->failure = failure ? failure : &unwanted;
		error = selfmon_live_open(input);
		if (!error)
			error = read_rows(input, apart);
		if (!error)
			error = make_report(report, input);
		selfmon_live_close(input);
	} else if (failure) {
		*failure = (struct selfmon_failure){
			.error = ENOMEM, .step = SELFMON_STEP_FILE
		};
	}
	free(input);
	if (error) {
		selfmon_report_free(report);
		report = NULL;
	}
	*out = report;
	return error;
}

int selfmon_report_open(const char *path, struct selfmon_report **out,
			struct selfmon_failure *failure)
{
	return open_report(path, false, out, failure);
}

int selfmon_report_open_apart(const char *path, struct selfmon_report **out,
			      struct selfmon_failure *failure)
{
	return open_report(path, true, out, failure);
}

/* SPDX-License-Identifier: MIT */
#include "report_samples_notes.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/text.h"
#include "report/text_line.h"
#include "symbols_elf.h"

#define MODULES_MOST 8

static void begin(struct selfmon_text *text, const char *label)
{
	selfmon_text_begin(text, label, SELFMON_HEADER_COLUMNS);
}

static bool is_clock(const char *event)
{
	return !strcmp(event, "task-clock") || !strcmp(event, "cpu-clock");
}

/* `number` is a frequency if the samples have one, else a period. */
static void say_period(struct selfmon_text *text,
		       const struct selfmon_samples *samples, uint64_t number)
{
	const bool is_time = !samples->frequency && is_clock(samples->event);
	char shown[SELFMON_NUMBER_SIZE];

	if (is_time)
		selfmon_number_time(shown, (double)number, 4);
	else
		selfmon_number_visits(shown, number);
	selfmon_text_say(text, "%s%s", shown,
			 samples->frequency ? " a second"
			 : is_time	    ? ""
					    : " of it");
}

static void say_rate(struct selfmon_text *text,
		     const struct selfmon_samples *samples)
{
	char number[SELFMON_NUMBER_SIZE];

	selfmon_number_visits(number, samples->taken);
	selfmon_text_say(text, "%s of %s, %s", number, samples->event,
			 samples->frequency ? "" : "one per ");
	say_period(text, samples, samples->frequency ? samples->frequency
						     : samples->period);
	if (samples->asked) {
		selfmon_text_say(text, " (");
		say_period(text, samples, samples->asked);
		selfmon_text_say(text, " was requested: samples may take a "
				 "twentieth of the time)");
	}
}

void report_samples_head(struct selfmon_text *text)
{
	const struct selfmon_report *const report = text->report;
	const struct selfmon_samples *const samples = report->samples;
	char number[SELFMON_NUMBER_SIZE];

	begin(text, "selfmon");
	if (report->processes)
		selfmon_text_say(text, "%s, %zu processes, merged",
				 report->program, report->processes);
	else
		selfmon_text_say(text, "%s, pid %" PRId32, report->program,
				 report->pid);
	selfmon_text_say(text, "; %s", report->when);
	selfmon_text_end(text);
	begin(text, "samples");
	say_rate(text, samples);
	if (samples->cost_ns > 0) {
		selfmon_number_time(number, samples->cost_ns, 3);
		selfmon_text_say(text, "; %s each, subtracted from the times "
				 "of regions", number);
	}
	selfmon_text_end(text);
}

/* ---- below --------------------------------------------------------------- */

/*
 * Iterates over the modules without symbols, by descending number of samples.
 * `last` is the module returned before, or -2 at first. Returns -2 at the end.
 */
static int32_t next_unknown(const struct selfmon_samples *samples,
			    const uint64_t *unknown, int32_t last)
{
	int32_t most = -2, i;

	for (i = -1; i < (int32_t)samples->modules; i++) {
		const uint64_t count = unknown[i + 1];
		const bool later =
			last == -2 || count < unknown[last + 1] ||
			(count == unknown[last + 1] && i > last);

		if (count && later && (most == -2 || count > unknown[most + 1]))
			most = i;
	}
	return most;
}

static void put_unknown(struct selfmon_text *text,
			const struct symbols *symbols, int32_t module,
			uint64_t count, bool first)
{
	const struct selfmon_samples *const samples = text->report->samples;
	const char *const why = symbols_why(symbols, module);
	char number[SELFMON_NUMBER_SIZE];

	begin(text, first ? "no symbols" : "");
	selfmon_number_visits(number, count);
	if (module >= 0)
		selfmon_text_say(text, "%s in %s: %s", number,
				 samples->module[module].path,
				 why ? why : "the file has no symbol there; "
					     "its debug symbols may be a "
					     "package of their own");
	else
		selfmon_text_say(text, "%s in code without a file%s%s", number,
				 why ? ": " : ", of which the process's map "
					      "has no symbol",
				 why ? why : "");
	selfmon_text_end(text);
}

static void put_losses(struct selfmon_text *text,
		       const struct selfmon_samples *samples)
{
	char number[SELFMON_NUMBER_SIZE];

	if (samples->lost || samples->lost_more) {
		begin(text, "lost");
		selfmon_number_visits(number, samples->lost);
		selfmon_text_say(text, "%s%s: a thread's ring was full "
				 "(SELFMON_SAMPLE=...,ring=SIZE)",
				 samples->lost_more ? "at least " : "", number);
		selfmon_text_end(text);
	}
	if (samples->unstored) {
		begin(text, "no stack");
		selfmon_number_visits(number, samples->unstored);
		selfmon_text_say(text, "%s: there was no memory for their call "
				 "stacks", number);
		selfmon_text_end(text);
	}
}

static void put_modules(struct selfmon_text *text,
			const struct symbols *symbols, const uint64_t *unknown)
{
	const struct selfmon_samples *const samples = text->report->samples;
	int32_t module = -2;
	int shown = 0;

	if (!symbols_elf_exists()) {
		begin(text, "no symbols");
		selfmon_text_say(text, SYMBOLS_WITHOUT);
		selfmon_text_end(text);
		if (unknown[0])
			put_unknown(text, symbols, -1, unknown[0], false);
		return;
	}
	while ((module = next_unknown(samples, unknown, module)) != -2 &&
	       shown < MODULES_MOST)
		put_unknown(text, symbols, module, unknown[module + 1],
			    !shown++);
	if (module == -2)
		return;
	begin(text, "");
	selfmon_text_say(text, "and in more modules, with fewer samples each");
	selfmon_text_end(text);
}

void report_samples_notes(struct selfmon_text *text,
			  const struct symbols *symbols,
			  const uint64_t *unknown)
{
	const struct selfmon_samples *const samples = text->report->samples;
	const struct selfmon_report *const report = text->report;
	size_t i;

	put_losses(text, samples);
	if (report->limited[SELFMON_LIMITED_SAMPLES].threads) {
		begin(text, "not sampled");
		selfmon_text_say(
			text, "%" PRIu64 " threads: %s",
			report->limited[SELFMON_LIMITED_SAMPLES].threads,
			report->limited[SELFMON_LIMITED_SAMPLES].reason);
		selfmon_text_end(text);
	}
	put_modules(text, symbols, unknown);
	for (i = 0; i < report->notes; i++) {
		begin(text, i ? "" : "note");
		selfmon_text_say(text, "%s", report->note[i]);
		selfmon_text_end(text);
	}
}

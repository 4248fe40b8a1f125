/* SPDX-License-Identifier: MIT */
/* Tests the line of a report that names the cause of slow visits, if any. */
#include <criterion/criterion.h>

#include <selfmon.h>

#include "clock/clock.h"
#include "rows.h"
#include "session/slow_path.h"
#include "store/config.h"
#include "store/process.h"

static void visit(const char *events, uint32_t every, bool fence)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	if (!selfmon_clock_direct())
		cr_skip_test("the clock is a call here, and slow itself");
	options.events = events;
	options.every = every;
	options.fence = fence;
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
	SELFMON_REGION("work")
		selfmon_compiler_fence();
}

static void assert_slow(const char *why)
{
	struct selfmon_report *const report = rows_take();
	char text[256], json[256];

	snprintf(text, sizeof(text), "\nslow path    %s", why);
	snprintf(json, sizeof(json), "\"slow_path\": \"%s", why);
	cr_assert(rows_say(report, SELFMON_TEXT, text), "%s", text);
	cr_assert(rows_say(report, SELFMON_JSON, json), "%s", json);
	selfmon_report_free(report);
}

Test(region_slow, is_not_said_of_visits_on_the_fast_path)
{
	struct selfmon_report *report;

	visit("none", 1, false);
	report = rows_take();
	cr_assert_not(rows_say(report, SELFMON_TEXT, "slow path"));
	cr_assert(rows_say(report, SELFMON_JSON, "\"slow_path\": \"\""));
	selfmon_report_free(report);
}

Test(region_slow, names_an_event_that_is_read_by_system_call)
{
	visit("page-faults", 1, false);
	assert_slow("page-faults: 2 system calls per visit. Without it, "
		    "visits make no system calls");
}

Test(region_slow, names_all_such_events_which_share_their_calls)
{
	visit("page-faults,dummy,task-clock", 1, true);
	assert_slow("page-faults, dummy, task-clock: 2 system calls per visit. "
		    "Without them, ");
}

Test(region_slow, names_the_visits_that_make_calls_under_every)
{
	visit("page-faults", 100, false);
	assert_slow("page-faults: 2 system calls per visit that is measured. ");
}

Test(region_slow, names_options_that_take_the_general_way)
{
	visit("none", 100, false);
	assert_slow("SELFMON_EVERY=100: ");
}

Test(region_slow, names_fences)
{
	visit("none", 1, true);
	assert_slow("SELFMON_FENCE: ");
}

static void assert_ring(const struct selfmon_process *process, const char *why)
{
	char text[256];

	selfmon_slow_path(process, text, sizeof(text));
	cr_assert_eq(strncmp(text, why, strlen(why)), 0, "%s", text);
	cr_assert_eq(!*text, !*why, "%s", text);
}

/* A process whose counters are all read in user space. */
Test(region_slow, names_options_with_a_ring)
{
	static struct selfmon_process process = { .counted = 4, .attached = 2 };

	if (!selfmon_clock_direct())
		cr_skip_test("the clock is a call here, and slow itself");
	assert_ring(&process, "");
	selfmon_config()->off_cpu = true;
	assert_ring(&process, "@offcpu: ");
	process.limited[SELFMON_LIMITED_OFF_CPU].threads = 1;
	assert_ring(&process, "@offcpu: ");
	process.limited[SELFMON_LIMITED_OFF_CPU].threads = 2;
	assert_ring(&process, "");
	process.sampling.on = true;
	assert_ring(&process, "SELFMON_SAMPLE: ");
	process.counted = 0;
	assert_ring(&process, "");
}

/* SPDX-License-Identifier: MIT */
/*
 * Tests events on machines with several core types: Intel's, Arm's and Apple's.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "event/cores.h"
#include "unit/test_event_tree.h"

TestSuite(event_cores, .fini = tree_remove);

static struct selfmon_events events;

static void expect_event(size_t i, const char *name, uint32_t type,
			 uint64_t config)
{
	const struct selfmon_event *event = &events.event[i];

	cr_assert_lt(i, events.count);
	cr_expect_str_eq(event->name, name);
	cr_expect_eq(event->type, type, "%s: %u", name, event->type);
	cr_expect_eq(event->config, config, "%s: 0x%llx", name,
		     (unsigned long long)event->config);
	cr_expect(event->flags & SELFMON_EVENT_HARDWARE, "%s", name);
}

static void parse(const char *spec, int count)
{
	struct selfmon_failure failure = { .message = "" };
	const int got = selfmon_events_parse(spec, &events, &failure);

	cr_assert_eq(got, count, "%s: %d %s", spec, got, failure.message);
}

#define CORE UINT64_C(0x400000000)
#define ATOM UINT64_C(0xa00000000)

Test(event_cores, are_found_with_their_cpus, .init = tree_make_hybrid)
{
	struct selfmon_cores room;
	const struct selfmon_cores *cores = selfmon_cores(&room);

	cr_assert_eq(cores->count, 2);
	cr_expect_str_eq(cores->core[0].pmu.name, "cpu_core");
	cr_expect_eq(cores->core[0].cpus[0], 0xffff);
	cr_expect_str_eq(cores->core[1].pmu.name, "cpu_atom");
	cr_expect_eq(cores->core[1].cpus[0], 0xfff0000);
	cr_expect_eq(selfmon_cores(&room)->count, 2);
}

Test(event_cores, are_of_one_type_where_there_is_one_pmu,
     .init = tree_make_all)
{
	struct selfmon_cores room;

	cr_assert_eq(selfmon_cores(&room)->count, 0);
	parse("cycles,LLC-loads", 2);
	expect_event(0, "cycles", PERF_TYPE_HARDWARE, 0);
}

Test(event_cores, split_generic_events_by_type, .init = tree_make_hybrid)
{
	parse("cycles,page-faults,LLC-load-misses:u", 5);
	expect_event(0, "cpu_core/cycles/", PERF_TYPE_HARDWARE, CORE);
	expect_event(1, "cpu_atom/cycles/", PERF_TYPE_HARDWARE, ATOM);
	cr_expect_str_eq(events.event[2].name, "page-faults");
	expect_event(3, "cpu_core/LLC-load-misses/u", PERF_TYPE_HW_CACHE,
		     CORE | 0x10002);
	expect_event(4, "cpu_atom/LLC-load-misses/u", PERF_TYPE_HW_CACHE,
		     ATOM | 0x10002);
	cr_expect(events.event[4].flags & SELFMON_EVENT_USER);
	cr_expect_eq(events.event[4].position, strlen("cycles,page-faults,"));
}

Test(event_cores, are_named_where_the_pmu_cpu_was_meant,
     .init = tree_make_hybrid)
{
	struct selfmon_failure failure;

	cr_assert_eq(selfmon_events_parse("cs,cpu/cycles/u", &events, &failure),
		     -ENOENT);
	cr_expect_eq(failure.position, 3);
	cr_expect_str_eq(failure.message,
			 "unknown PMU 'cpu': this machine has 2 core types "
			 "(did you mean 'cpu_core/cycles/u'?)");
}

Test(event_cores, leave_events_of_one_type_alone, .init = tree_make_hybrid)
{
	parse("cpu_atom/cycles/,cpu_core/event=0xc4/,r1c4", 3);
	expect_event(0, "cpu_atom/cycles/", PERF_TYPE_HARDWARE, ATOM);
	expect_event(1, "cpu_core/event=0xc4/", 4, 0xc4);
	expect_event(2, "r1c4", PERF_TYPE_RAW, 0x1c4);
}

Test(event_cores, make_a_group_one_for_each_type, .init = tree_make_hybrid)
{
	const struct selfmon_event *event = events.event;

	parse("{cycles,instructions}:u", 4);
	expect_event(1, "cpu_atom/cycles/u", PERF_TYPE_HARDWARE, ATOM);
	expect_event(2, "cpu_core/instructions/u", PERF_TYPE_HARDWARE,
		     CORE | 1);
	cr_expect_eq(event[0].group, 1);
	cr_expect_eq(event[2].group, 1);
	cr_expect_eq(event[1].group, event[3].group);
	cr_expect_gt(event[1].group, SELFMON_MAX_COUNTERS);
}

Test(event_cores, say_that_each_type_counts_where_that_is_too_much,
     .init = tree_make_hybrid)
{
	struct selfmon_failure failure;

	parse("cycles,instructions,branches,branch-misses", 8);
	cr_assert_eq(selfmon_events_parse("cycles,instructions,branches,cs,"
					  "bus-cycles:u", &events, &failure),
		     -E2BIG);
	cr_expect_eq(failure.position,
		     strlen("cycles,instructions,branches,cs,"));
	cr_expect_str_eq(failure.message,
			 "at most 8 events fit in one snapshot, and bus-cycles "
			 "takes one for each of 2 core types: choose a type, "
			 "as in cpu_core/bus-cycles/");
}

/*
 * The members are added in order for both core types, until there are 8 events.
 */
Test(event_cores, leave_out_what_does_not_fit_of_a_set,
     .init = tree_make_hybrid)
{
	static const char *const sets[] = {
		"@basic", "@branch", "@cache", "@tlb", "@frontend", "@memory",
	};
	size_t i;

	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		parse(sets[i], 8);
	parse("@os", 6);
	parse("@tlb:u", 8);
	expect_event(0, "cpu_core/instructions/u", PERF_TYPE_HARDWARE,
		     CORE | 1);
	expect_event(7, "cpu_atom/dTLB-store-misses/u", PERF_TYPE_HW_CACHE,
		     ATOM | 0x10103);
	parse("page-faults,@basic", 8);
	expect_event(6, "cpu_atom/branch-misses/", PERF_TYPE_HARDWARE,
		     ATOM | 5);
	cr_expect_str_eq(events.event[7].name, "context-switches");
}

static void expect_left_out(const char *spec, size_t position,
			    const char *message)
{
	struct selfmon_failure failure = { .error = 0 };

	cr_assert_gt(selfmon_events_parse(spec, &events, &failure), 0);
	cr_expect_eq(failure.error, *message ? E2BIG : 0, "%s", spec);
	cr_expect_eq(failure.position, position, "%s", spec);
	cr_expect_str_eq(failure.message, message);
}

Test(event_cores, say_what_is_left_out_of_a_set, .init = tree_make_hybrid)
{
	expect_left_out("cs,@memory:u", 3,
			"@memory leaves out LLC-store-misses, node-loads, "
			"node-load-misses, stalled-cycles-backend: at most 8 "
			"events fit in one snapshot, and each event takes one "
			"for each of 2 core types; choose a type, as in "
			"cpu_core/LLC-store-misses/");
	expect_left_out("@branch", 0, "");
	expect_left_out("page-faults,@os", 0, "");
}

Test(event_cores, say_what_is_left_out_of_two_sets, .init = tree_make_hybrid)
{
	expect_left_out("context-switches,@branch,@os", 25,
			"@os leaves out page-faults, minor-faults, "
			"major-faults, cpu-migrations; @branch leaves out "
			"cycles: at most 8 events fit in one snapshot, and "
			"each event takes one for each of 2 core types; choose "
			"a type, as in cpu_core/cycles/");
}

Test(event_cores, do_not_repeat_what_is_listed_before_a_set,
     .init = tree_make_hybrid)
{
	parse("cycles,@branch", 8);
	expect_event(2, "cpu_core/instructions/", PERF_TYPE_HARDWARE, CORE | 1);
	expect_event(7, "cpu_atom/branch-misses/", PERF_TYPE_HARDWARE,
		     ATOM | 5);
}

Test(event_cores, refuse_a_set_of_which_nothing_fits,
     .init = tree_make_hybrid)
{
	struct selfmon_failure failure;

	cr_assert_eq(selfmon_events_parse("@branch,@cache", &events, &failure),
		     -E2BIG);
	cr_expect_eq(failure.position, strlen("@branch,"));
}

/*
 * On ARM, kernels before 6.6 do not accept the number of a PMU in config. So
 * the events have the type of their PMU, and its own codes.
 */
Test(event_cores, take_the_names_of_arms_pmus, .init = tree_make_rk3399)
{
	parse("cycles,instructions:u,branches,branch-misses", 8);
	expect_event(0, "armv8_cortex_a53/cycles/", 7, 0x11);
	expect_event(1, "armv8_cortex_a72/cycles/", 8, 0x11);
	expect_event(3, "armv8_cortex_a72/instructions/u", 8, 8);
	expect_event(4, "armv8_cortex_a53/branches/", 7, 0xc);
	expect_event(5, "armv8_cortex_a72/branches/", 8, 0x21);
	expect_event(6, "armv8_cortex_a53/branch-misses/", 7, 0x10);
	/* This PMU lacks the event, and the kernel will report that. */
	expect_event(7, "armv8_cortex_a72/branch-misses/", PERF_TYPE_HARDWARE,
		     UINT64_C(0x800000005));
}

Test(event_cores, take_general_names_with_one_of_arms_pmus,
     .init = tree_make_rk3399)
{
	parse("armv8_cortex_a72/cycles/,armv8_cortex_a53/branches/u", 2);
	expect_event(0, "armv8_cortex_a72/cycles/", 8, 0x11);
	expect_event(1, "armv8_cortex_a53/branches/u", 7, 0xc);
}

/*
 * sysfs has only "cycles" and "instructions", which are not Arm's names, so the
 * kernel selects the codes.
 */
Test(event_cores, leave_the_event_to_the_kernel_where_it_has_no_arms_name,
     .init = tree_make_apple_m2)
{
	parse("cycles,instructions", 4);
	expect_event(0, "apple_blizzard_pmu/cycles/", PERF_TYPE_HARDWARE,
		     UINT64_C(0x800000000));
	expect_event(1, "apple_avalanche_pmu/cycles/", PERF_TYPE_HARDWARE,
		     UINT64_C(0x900000000));
	expect_event(3, "apple_avalanche_pmu/instructions/",
		     PERF_TYPE_HARDWARE, UINT64_C(0x900000001));
}

Test(event_cores, are_one_type_beside_interconnects_and_tracers,
     .init = tree_make_ampere_one)
{
	struct selfmon_cores room;

	cr_assert_eq(selfmon_cores(&room)->count, 0);
	parse("cycles", 1);
	expect_event(0, "cycles", PERF_TYPE_HARDWARE, 0);
}

static int pinned(uint64_t allowed)
{
	const uint64_t words[SELFMON_CORE_WORDS] = { allowed };
	struct selfmon_cores room;

	return selfmon_cores_pinned(selfmon_cores(&room), words);
}

Test(event_cores, know_a_thread_that_stays_on_one_type,
     .init = tree_make_rk3399)
{
	cr_expect_eq(pinned(0x0f), 0);
	cr_expect_eq(pinned(0x02), 0);
	cr_expect_eq(pinned(0x30), 1);
	cr_expect_eq(pinned(0x18), -1);
	cr_expect_eq(pinned(0x3f), -1);
	cr_expect_eq(pinned(0x40), -1, "a CPU of no type");
}

Test(event_cores, may_have_cpus_that_alternate, .init = tree_make_gb10)
{
	struct selfmon_cores room;
	const struct selfmon_cores *cores = selfmon_cores(&room);

	cr_assert_eq(cores->count, 2);
	cr_expect_str_eq(cores->core[0].pmu.name, "armv8_pmuv3_0");
	cr_expect_eq(cores->core[0].cpus[0], 0x7c1f);
	cr_expect_str_eq(cores->core[1].pmu.name, "armv8_pmuv3_1");
	cr_expect_eq(cores->core[1].cpus[0], 0xf83e0);
	cr_expect_eq(pinned(0x7c00), 0);
	cr_expect_eq(pinned(0xf83e0), 1);
	cr_expect_eq(pinned(0xf8010), -1, "CPU 4 is of the other type");
}

Test(event_cores, are_told_from_the_event, .init = tree_make_hybrid)
{
	struct selfmon_cores room;
	const struct selfmon_cores *cores = selfmon_cores(&room);

	parse("cycles,cpu_atom/event=0xc4/,r1c4", 4);
	cr_expect_eq(selfmon_cores_of(cores, &events.event[0]), 0);
	cr_expect_eq(selfmon_cores_of(cores, &events.event[1]), 1);
	cr_expect_eq(selfmon_cores_of(cores, &events.event[2]), 1);
	cr_expect_eq(selfmon_cores_of(cores, &events.event[3]), 0);
}

/* SPDX-License-Identifier: MIT */
/* Machines with cores of several types: Alder Lake, and a big.LITTLE board. */
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "event/cores.h"
#include "unit/test_event_tree.h"

/*
 * As arch/x86/events/intel/core.c gives them: intel_pmu_init(), hybrid format,
 * event and cpus attributes of an i9-12900HK.
 */
static const struct tree_file alder_lake[] = {
	{ "cpu_core/type", "4\n" },
	{ "cpu_core/cpus", "0-15\n" },
	{ "cpu_core/rdpmc", "1\n" },
	{ "cpu_core/perf_event_mux_interval_ms", "4\n" },
	{ "cpu_core/format/event", "config:0-7\n" },
	{ "cpu_core/format/umask", "config:8-15\n" },
	{ "cpu_core/format/ldlat", "config1:0-15\n" },
	{ "cpu_core/events/cpu-cycles", "event=0x3c\n" },
	{ "cpu_core/events/instructions", "event=0xc0\n" },
	{ "cpu_core/events/slots", "event=0x00,umask=0x4\n" },
	{ "cpu_core/events/topdown-retiring", "event=0x00,umask=0x80\n" },
	{ "cpu_core/caps/branches", "32\n" },
	{ "cpu_core/caps/pmu_name", "alderlake_hybrid\n" },
	{ "cpu_atom/type", "10\n" },
	{ "cpu_atom/cpus", "16-23\n" },
	{ "cpu_atom/rdpmc", "1\n" },
	{ "cpu_atom/format/event", "config:0-7\n" },
	{ "cpu_atom/format/umask", "config:8-15\n" },
	{ "cpu_atom/events/cpu-cycles", "event=0x3c\n" },
	{ "cpu_atom/events/topdown-retiring", "event=0xc2,umask=0x0\n" },
	{ "cpu_atom/caps/pmu_name", "alderlake_hybrid\n" },
	{ "uncore_imc_0/type", "20\n" },
	{ "uncore_imc_0/cpumask", "0\n" },
	{ "power/type", "11\n" },
	{ "power/cpumask", "0\n" },
	{ "msr/type", "12\n" },
	{ "software/type", "1\n" },
	{ NULL, NULL },
};

/*
 * As drivers/perf/arm_pmuv3.c gives them (armv8_pmuv3_format_attrs and
 * armv8_pmuv3_event_attrs, those that a core has) and arm_pmu.c ("cpus"), of an
 * RK3399.
 */
static const struct tree_file big_little[] = {
	{ "armv8_cortex_a53/type", "8\n" },
	{ "armv8_cortex_a53/cpus", "0-3\n" },
	{ "armv8_cortex_a53/format/event", "config:0-15\n" },
	{ "armv8_cortex_a53/format/long", "config1:0\n" },
	{ "armv8_cortex_a53/format/rdpmc", "config1:1\n" },
	{ "armv8_cortex_a53/events/cpu_cycles", "event=0x0011\n" },
	{ "armv8_cortex_a53/events/inst_retired", "event=0x0008\n" },
	{ "armv8_cortex_a53/events/l1d_cache_refill", "event=0x0003\n" },
	{ "armv8_cortex_a53/events/pc_write_retired", "event=0x000c\n" },
	{ "armv8_cortex_a53/events/br_mis_pred", "event=0x0010\n" },
	{ "armv8_cortex_a53/caps/slots", "0x00000000\n" },
	{ "armv8_cortex_a72/type", "9\n" },
	{ "armv8_cortex_a72/cpus", "4-5\n" },
	{ "armv8_cortex_a72/format/event", "config:0-15\n" },
	{ "armv8_cortex_a72/events/cpu_cycles", "event=0x0011\n" },
	{ "armv8_cortex_a72/events/inst_retired", "event=0x0008\n" },
	{ "armv8_cortex_a72/events/l1d_cache_refill", "event=0x0003\n" },
	{ "armv8_cortex_a72/events/br_retired", "event=0x0021\n" },
	{ "armv8_cortex_a72/events/pc_write_retired", "event=0x000c\n" },
	{ "arm_dsu_0/type", "10\n" },
	{ "arm_dsu_0/cpumask", "0\n" },
	{ NULL, NULL },
};

static void make_alder_lake(void)
{
	tree_make(alder_lake);
}

static void make_big_little(void)
{
	tree_make(big_little);
}

TestSuite(event_cores, .fini = tree_remove);

static struct selfmon_events events;

/* name, type, config, {} of one event */
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

Test(event_cores, are_found_with_their_cpus, .init = make_alder_lake)
{
	struct selfmon_cores room;
	const struct selfmon_cores *cores = selfmon_cores(&room);

	cr_assert_eq(cores->count, 2);
	cr_expect_str_eq(cores->core[0].pmu.name, "cpu_core");
	cr_expect_eq(cores->core[0].cpus[0], 0xffff);
	cr_expect_str_eq(cores->core[1].pmu.name, "cpu_atom");
	cr_expect_eq(cores->core[1].cpus[0], 0xff0000);
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

Test(event_cores, split_generic_events_by_type, .init = make_alder_lake)
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

Test(event_cores, leave_events_of_one_type_alone, .init = make_alder_lake)
{
	parse("cpu_atom/cycles/,cpu_core/event=0xc4/,r1c4", 3);
	expect_event(0, "cpu_atom/cycles/", PERF_TYPE_HARDWARE, ATOM);
	expect_event(1, "cpu_core/event=0xc4/", 4, 0xc4);
	expect_event(2, "r1c4", PERF_TYPE_RAW, 0x1c4);
}

Test(event_cores, make_a_group_one_for_each_type, .init = make_alder_lake)
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
     .init = make_alder_lake)
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
			 "is one for each of 2 types of core: name one, as in "
			 "cpu_core/bus-cycles/");
}

/* The members in their order, for both types, until there are 8 events. */
Test(event_cores, leave_out_what_does_not_fit_of_a_set,
     .init = make_alder_lake)
{
	static const char *const sets[] = {
		"@basic", "@branch", "@cache", "@tlb", "@frontend", "@memory",
	};
	struct selfmon_failure untouched = { .error = 0 };
	size_t i;

	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		parse(sets[i], 8);
	parse("@os", 6);
	parse("@tlb:u", 8);
	expect_event(0, "cpu_core/instructions/u", PERF_TYPE_HARDWARE,
		     CORE | 1);
	expect_event(7, "cpu_atom/dTLB-store-misses/u", PERF_TYPE_HW_CACHE,
		     ATOM | 0x10103);
	cr_assert_eq(selfmon_events_parse("page-faults,@basic", &events,
					  &untouched), 7);
	cr_expect_eq(untouched.error, 0);
	expect_event(6, "cpu_atom/branch-misses/", PERF_TYPE_HARDWARE,
		     ATOM | 5);
}

Test(event_cores, do_not_repeat_what_is_listed_before_a_set,
     .init = make_alder_lake)
{
	parse("cycles,@branch", 8);
	expect_event(2, "cpu_core/instructions/", PERF_TYPE_HARDWARE, CORE | 1);
	expect_event(7, "cpu_atom/branch-misses/", PERF_TYPE_HARDWARE,
		     ATOM | 5);
}

Test(event_cores, refuse_a_set_of_which_nothing_fits,
     .init = make_alder_lake)
{
	struct selfmon_failure failure;

	cr_assert_eq(selfmon_events_parse("@branch,@cache", &events, &failure),
		     -E2BIG);
	cr_expect_eq(failure.position, strlen("@branch,"));
}

/* Kernels before 6.6 take no number of a PMU in config on ARM. */
Test(event_cores, take_the_names_of_arms_pmus, .init = make_big_little)
{
	parse("cycles,instructions:u,branches,branch-misses", 8);
	expect_event(0, "armv8_cortex_a53/cycles/", 8, 0x11);
	expect_event(1, "armv8_cortex_a72/cycles/", 9, 0x11);
	expect_event(3, "armv8_cortex_a72/instructions/u", 9, 8);
	expect_event(4, "armv8_cortex_a53/branches/", 8, 0xc);
	expect_event(5, "armv8_cortex_a72/branches/", 9, 0x21);
	expect_event(6, "armv8_cortex_a53/branch-misses/", 8, 0x10);
	/* This one does not have it: the kernel is to say so. */
	expect_event(7, "armv8_cortex_a72/branch-misses/", PERF_TYPE_HARDWARE,
		     UINT64_C(0x900000005));
}

static int pinned(uint64_t allowed)
{
	const uint64_t words[SELFMON_CORE_WORDS] = { allowed };
	struct selfmon_cores room;

	return selfmon_cores_pinned(selfmon_cores(&room), words);
}

Test(event_cores, know_a_thread_that_stays_on_one_type,
     .init = make_big_little)
{
	cr_expect_eq(pinned(0x0f), 0);
	cr_expect_eq(pinned(0x02), 0);
	cr_expect_eq(pinned(0x30), 1);
	cr_expect_eq(pinned(0x18), -1);
	cr_expect_eq(pinned(0x3f), -1);
	cr_expect_eq(pinned(0x40), -1, "a CPU of no type");
}

Test(event_cores, are_told_from_the_event, .init = make_alder_lake)
{
	struct selfmon_cores room;
	const struct selfmon_cores *cores = selfmon_cores(&room);

	parse("cycles,cpu_atom/event=0xc4/,r1c4", 4);
	cr_expect_eq(selfmon_cores_of(cores, &events.event[0]), 0);
	cr_expect_eq(selfmon_cores_of(cores, &events.event[1]), 1);
	cr_expect_eq(selfmon_cores_of(cores, &events.event[2]), 1);
	cr_expect_eq(selfmon_cores_of(cores, &events.event[3]), 0);
}

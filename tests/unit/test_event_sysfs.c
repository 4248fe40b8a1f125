/* SPDX-License-Identifier: MIT */
/* Tests pmu/term=value/ with the sysfs trees of several machines. */
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/perf_event.h>

#include <selfmon/event.h>

#include "unit/test_event_tree.h"

TestSuite(event_sysfs, .init = tree_make_all, .fini = tree_remove);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define HW SELFMON_EVENT_HARDWARE
#define U SELFMON_EVENT_USER
#define K SELFMON_EVENT_KERNEL

struct expected {
	const char *spec;
	uint32_t type;
	uint32_t flags;
	uint64_t config[4];
};

static void expect_event(const struct expected *expected)
{
	struct selfmon_events events;
	struct selfmon_failure failure = {0};
	const struct selfmon_event *event = &events.event[0];
	const int ret =
		selfmon_events_parse(expected->spec, &events, &failure);

	cr_assert_eq(ret, 1, "'%s' gives %d: %s", expected->spec, ret,
		     failure.message);
	cr_expect_str_eq(event->name, expected->spec);
	cr_expect_eq(event->type, expected->type, "%s", expected->spec);
	cr_expect_eq(event->flags, expected->flags, "%s: flags 0x%x",
		     expected->spec, event->flags);
	cr_expect_eq(event->config, expected->config[0], "%s: config %#llx",
		     expected->spec, (unsigned long long)event->config);
	cr_expect_eq(event->config1, expected->config[1], "%s: config1",
		     expected->spec);
	cr_expect_eq(event->config2, expected->config[2], "%s: config2",
		     expected->spec);
	cr_expect_eq(event->config3, expected->config[3], "%s: config3",
		     expected->spec);
}

static void expect_events(const struct expected *expected, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		expect_event(&expected[i]);
}

Test(event_sysfs, puts_terms_where_their_formats_say)
{
	static const struct expected cases[] = {
		{"cpu/event=0x3c/", 4, HW, {0x3c}},
		{"cpu/event=60/", 4, HW, {0x3c}},
		{"cpu/event=0X3C/", 4, HW, {0x3c}},
		{"cpu/event=0xff,umask=0xff/", 4, HW, {0xffff}},
		{"cpu/umask=1,event=2/", 4, HW, {0x102}},
		{"cpu/event=0xa2,cmask=6/", 4, HW, {0x60000a2}},
		{"cpu/event=0xb7,umask=1,offcore_rsp=0x3fffc0001/", 4, HW,
		 {0x1b7, 0x3fffc0001}},
		{"cpu/offcore_rsp=0xffffffffffffffff/", 4, HW,
		 {0, UINT64_MAX}},
		{"armv8_pmuv3_0/event=0x8,long=1,rdpmc=1/", 8, HW, {8, 3}},
	};

	expect_events(cases, COUNT(cases));
}

Test(event_sysfs, takes_a_bare_term_for_one)
{
	static const struct expected cases[] = {
		{"cpu/event=0xe,inv,edge,cmask=1/", 4, HW, {0x184000e}},
		{"cpu/event/", 4, HW, {1}},
		{"armv8_pmuv3_0/long/", 8, HW, {0, 1}},
		{"cpu/config1/", 4, HW, {0, 1}},
	};

	expect_events(cases, COUNT(cases));
}

Test(event_sysfs, splits_a_value_over_the_ranges_of_its_field)
{
	static const struct expected cases[] = {
		{"amd/event=0x1c0/", 40, HW, {0x1000000c0}},
		{"amd/event=0xfff/", 40, HW, {0xf000000ff}},
		{"amd/event=0x87,umask=0x12/", 40, HW, {0x1287}},
	};

	expect_events(cases, COUNT(cases));
}

Test(event_sysfs, lets_later_terms_override_overlapping_bits)
{
	static const struct expected cases[] = {
		{"cpu/event=0xff,event=1/", 4, HW, {1}},
		{"amd/event=0xff,umask=0xff,both=0/", 40, HW, {0xf00f}},
		{"amd/both=0xff,event=0/", 40, HW, {0xf00}},
		{"cpu/offcore_rsp=0xffffffff,ldlat=3/", 4, HW,
		 {0, 0xffff0003}},
	};

	expect_events(cases, COUNT(cases));
}

Test(event_sysfs, takes_the_words_of_config_directly)
{
	static const struct expected cases[] = {
		{"cpu/config=0x1a8/", 4, HW, {0x1a8}},
		{"cpu/config=1,config1=2,config2=3/", 4, HW, {1, 2, 3}},
		{"cpu/config3=4,config2=3/", 4, HW, {0, 0, 3, 4}},
		{"odd/third=0x8000000000000001/", 99, 0,
		 {0, 0, 0, UINT64_C(0x8000000000000001)}},
		{"cpu/config=0xffffffffffffffff,event=0/", 4, HW,
		 {0xffffffffffffff00}},
		{"cpu/config1=18446744073709551615/", 4, HW, {0, UINT64_MAX}},
		{"software/config=2/", 1, 0, {2}},
		{"odd/second=0xffffffff/", 99, 0, {0, 0, 0xffffffff}},
	};

	expect_events(cases, COUNT(cases));
}

Test(event_sysfs, expands_the_names_of_events_files)
{
	static const struct expected cases[] = {
		{"cpu/cpu-cycles/", 4, HW, {0x3c}},
		{"cpu/cache-misses/", 4, HW, {0x412e}},
		{"cpu/mem-loads/", 4, HW, {0x1cd, 3}},
		{"cpu/topdown-slots-issued/", 4, HW, {0x10e}},
		{"cpu/slots/", 4, HW, {0x400}},
		{"cpu/topdown-retiring/", 4, HW, {0x8000}},
		{"cpu/topdown-mem-bound/", 4, HW, {0x8700}},
		{"armv8_pmuv3_0/inst_retired/", 8, HW, {8}},
		{"msr/tsc/", 9, 0, {0}},
	};

	expect_events(cases, COUNT(cases));
}

Test(event_sysfs, lets_further_terms_override_those_of_a_name)
{
	static const struct expected cases[] = {
		{"cpu/cache-misses,umask=1/", 4, HW, {0x12e}},
		{"cpu/mem-loads,ldlat=50/", 4, HW, {0x1cd, 50}},
		{"cpu/umask=0xff,cache-misses/", 4, HW, {0x412e}},
		{"cpu/cpu-cycles,any,umask=0x80/", 4, HW, {0x20803c}},
	};

	expect_events(cases, COUNT(cases));
}

Test(event_sysfs, takes_spaces_around_terms)
{
	static const struct expected cases[] = {
		{"cpu/ event = 0x3c , umask = 2 /", 4, HW, {0x23c}},
	};

	expect_events(cases, COUNT(cases));
}

Test(event_sysfs, takes_modifiers_after_the_slash)
{
	static const struct expected cases[] = {
		{"cpu/cpu-cycles/u", 4, HW | U, {0x3c}},
		{"cpu/cpu-cycles/:uk", 4, HW | U | K, {0x3c}},
		{"msr/tsc/k", 9, K, {0}},
	};

	expect_events(cases, COUNT(cases));
}

Test(event_sysfs, names_members_with_the_modifiers_of_their_group)
{
	struct selfmon_events events;

	cr_assert_eq(selfmon_events_parse("{cpu/event=1,umask=2/k,cs}:u",
					  &events, NULL), 2);
	cr_expect_str_eq(events.event[0].name, "cpu/event=1,umask=2/uk");
	cr_expect_str_eq(events.event[1].name, "cs:u");
}

Test(event_sysfs, does_not_split_events_at_commas_between_slashes)
{
	struct selfmon_events events;

	cr_assert_eq(selfmon_events_parse(
			     "cpu/event=1,umask=2/,cs,cpu/event=3,inv/u",
			     &events, NULL), 3);
	cr_expect_eq(events.event[0].config, 0x201);
	cr_expect_str_eq(events.event[1].name, "cs");
	cr_expect_eq(events.event[2].config, 0x800003);
	cr_expect_eq(events.event[2].position, 24);
}

Test(event_sysfs, knows_both_core_pmus_of_a_hybrid)
{
	static const struct expected cases[] = {
		{"cpu_core/cpu-cycles/", 4, HW, {0x3c}},
		{"cpu_atom/cpu-cycles/", 10, HW, {0x3c}},
	};

	expect_events(cases, COUNT(cases));
}

/* PERF_PMU_TYPE_SHIFT of <linux/perf_event.h> is 32. */
Test(event_sysfs, takes_generic_names_inside_of_a_core_pmu)
{
	static const struct expected cases[] = {
		{"cpu/cycles/", PERF_TYPE_HARDWARE, HW, {0}},
		{"cpu/LLC-load-misses/u", PERF_TYPE_HW_CACHE,
		 HW | SELFMON_EVENT_USER, {0x10002}},
		{"cpu_core/cycles/", PERF_TYPE_HARDWARE, HW,
		 {UINT64_C(4) << 32}},
		{"cpu_atom/ branches /", PERF_TYPE_HARDWARE, HW,
		 {UINT64_C(10) << 32 | 4}},
		{"cpu_atom/L1-dcache-loads/", PERF_TYPE_HW_CACHE, HW,
		 {UINT64_C(10) << 32}},
		/*
		 * The PMU's own event takes precedence over the generic name.
		 */
		{"cpu/instructions/", 4, HW, {0xc0}},
	};

	expect_events(cases, COUNT(cases));
}

Test(event_sysfs, takes_no_generic_name_with_terms_or_of_another_pmu)
{
	static const char *const specs[] = {
		"cpu/cycles,umask=1/", "cpu/cycles=1/", "msr/cycles/",
		"cpu_core/task-clock/",
	};
	struct selfmon_events events;
	size_t i;

	for (i = 0; i < COUNT(specs); i++)
		cr_expect_eq(selfmon_events_parse(specs[i], &events, NULL),
			     -ENOENT, "%s", specs[i]);
}

Test(event_sysfs, does_not_take_other_pmus_for_those_of_a_core)
{
	static const struct expected cases[] = {
		{"uprobe/retprobe,ref_ctr_offset=0x10/", 7, 0,
		 {0x1000000001}},
		{"kprobe/retprobe/", 6, SELFMON_EVENT_KERNEL_FIRED, {1}},
		{"tracepoint/config=314/", 2, SELFMON_EVENT_KERNEL_FIRED,
		 {314}},
		{"software/config=3/", 1, SELFMON_EVENT_KERNEL_FIRED, {3}},
	};

	expect_events(cases, COUNT(cases));
}

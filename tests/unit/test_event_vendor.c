/* SPDX-License-Identifier: MIT */
/*
 * Tests event names from CPU manuals. libpfm, set to an Intel or AMD CPU,
 * supplies them.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <selfmon/event.h>

#include "platform/pfm.h"
#include "platform/pfm_abi.h"

/*
 * Makes libpfm use the tables of the CPU with this PMU. Skips the test, with a
 * reason, if libpfm cannot be used.
 */
static void be(const char *pmu)
{
	setenv("LIBPFM_FORCE_PMU", pmu, 1);
	if (selfmon_pfm_why_not())
		cr_skip_test("%s", selfmon_pfm_why_not());
}

static struct selfmon_event parse(const char *spec)
{
	struct selfmon_failure failure = { 0 };
	struct selfmon_events events;
	const int ret = selfmon_events_parse(spec, &events, &failure);

	cr_assert_eq(ret, 1, "'%s' gives %d: %s", spec, ret, failure.message);
	return events.event[0];
}

static struct selfmon_failure fail(const char *spec, int error)
{
	struct selfmon_failure failure = { 0 };
	struct selfmon_events events;
	const int ret = selfmon_events_parse(spec, &events, &failure);

	cr_expect_eq(ret, error, "'%s' gives %d: %s", spec, ret,
		     failure.message);
	return failure;
}

/*
 * The codes here and in the next test are from the tables of events of Intel
 * and AMD.
 */
Test(event_vendor, takes_names_as_the_manuals_write_them)
{
	static const struct {
		const char *spec;
		uint64_t config;
	} cases[] = {
		{ "MEM_LOAD_RETIRED.L3_MISS", 0x20d1 },
		{ "mem_load_retired:l3_miss", 0x20d1 },
		{ "inst_retired:any_p", 0x00c0 },
		{ "skl::INST_RETIRED.ANY_P", 0x00c0 },
		{ "BR_MISP_RETIRED.ALL_BRANCHES", 0x00c5 },
		{ "inst_retired:any_p:c=2", 0x20000c0 },
	};
	size_t i;

	be("skl");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct selfmon_event event = parse(cases[i].spec);

		cr_expect_eq(event.type, PERF_TYPE_RAW);
		cr_expect_eq(event.config, cases[i].config, "%s: %#lx",
			     cases[i].spec, (unsigned long)event.config);
		cr_expect_eq(event.flags, SELFMON_EVENT_HARDWARE);
		cr_expect_str_eq(event.name, cases[i].spec);
	}
}

Test(event_vendor, takes_the_names_of_an_amd)
{
	be("amd64_fam17h_zen1");
	cr_expect_eq(parse("ls_dispatch.ld_dispatch").config, 0x0129);
}

Test(event_vendor, takes_its_modifiers_off_a_name_with_colons)
{
	struct selfmon_events events;
	struct selfmon_event event;

	be("skl");
	event = parse("inst_retired:any_p:ukpp");
	cr_expect_eq(event.config, 0xc0);
	cr_expect_eq(event.precise, 2);
	cr_expect_eq(event.flags, SELFMON_EVENT_HARDWARE | SELFMON_EVENT_USER |
					  SELFMON_EVENT_KERNEL);
	cr_assert_eq(selfmon_events_parse("{inst_retired:any_p,cycles}:k",
					  &events, NULL), 2);
	cr_expect_str_eq(events.event[0].name, "inst_retired:any_p:k");
}

Test(event_vendor, says_which_attribute_is_wrong_and_where)
{
	struct selfmon_failure failure;

	be("skl");
	failure = fail("cycles,inst_retired:any_pp", -ENOENT);
	cr_expect_eq(failure.position, 20);
	cr_expect_str_eq(failure.message,
			 "'any_pp' is no attribute of this event (did you mean "
			 "'ANY_P'?)");
	failure = fail("inst_retired:any_p:c=300", -EINVAL);
	cr_expect_eq(failure.position, 19);
	cr_expect_str_eq(failure.message,
			 "libpfm rejects 'c=300' as an attribute of "
			 "'inst_retired:any_p'");
	failure = fail("skl::inst_retired:nothing_like_it", -EINVAL);
	cr_expect_eq(failure.position, 18);
}

Test(event_vendor, lists_unit_masks_where_one_is_needed)
{
	be("skl");
	cr_expect_str_eq(fail("MEM_LOAD_RETIRED", -EINVAL).message,
			 "'MEM_LOAD_RETIRED' needs one of its unit masks as an "
			 "attribute, for example L1_HIT, L2_HIT, L3_HIT, "
			 "L1_MISS, ...");
}

/* Expects a message that this machine may have no such PMU. */
static void expect_other_pmus(const char *spec, const char *pmu)
{
	const struct selfmon_failure failure = fail(spec, -ENOENT);
	char expected[SELFMON_MESSAGE_SIZE];
	const char *const why_not = selfmon_pfm_why_not();

	snprintf(expected, sizeof(expected),
		 "unknown event '%s': this machine may have no PMU '%s', or it "
		 "counts the package; %s", spec, pmu,
		 why_not ? why_not
			 : "libpfm knows no such event of this CPU");
	cr_expect_str_eq(failure.message, expected);
}

Test(event_vendor, keeps_the_name_of_another_pmus_event_whole)
{
	setenv("LIBPFM_FORCE_PMU", "amd64_fam17h_zen1", 1);
	expect_other_pmus("rapl::RAPL_ENERGY_PKG", "rapl");
	expect_other_pmus("skl::INST_RETIRED:ANY_P", "skl");
}

Test(event_vendor, keeps_it_whole_where_there_is_no_libpfm)
{
	selfmon_pfm_library = NULL;
	expect_other_pmus("skl::INST_RETIRED:ANY_P", "skl");
}

Test(event_vendor, names_the_nearest_event_of_the_manual)
{
	be("skl");
	cr_expect_str_eq(fail("MEM_LOAD_RETIERD.L3_MISS", -ENOENT).message,
			 "unknown event 'MEM_LOAD_RETIERD.L3_MISS' (did you "
			 "mean 'MEM_LOAD_RETIRED'?)");
}

Test(event_vendor, names_generic_events_before_those_of_the_manual)
{
	be("skl");
	cr_expect_str_eq(fail("cycels", -ENOENT).message,
			 "unknown event 'cycels' (did you mean 'cycles'?)");
	cr_expect_str_eq(fail("CYCLES", -ENOENT).message,
			 "unknown event 'CYCLES' (did you mean 'cycles'?)");
}

Test(event_vendor, refuses_what_asks_for_more_than_to_be_counted)
{
	static const char *const more[] = {
		"inst_retired:any_p:pinned=1", "inst_retired:any_p:period=9",
		"inst_retired:any_p:cpu=0", "inst_retired:any_p:excl=1",
	};
	size_t i;

	be("skl");
	for (i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		fail(more[i], -EOPNOTSUPP);
}

Test(event_vendor, goes_through_all_events_of_the_cpu)
{
	struct selfmon_pfm_cursor cursor = { 0 };
	const char *description;
	bool found = false;
	int count = 0;
	char name[64];

	be("skl");
	while (selfmon_pfm_next(&cursor, name, sizeof(name), &description)) {
		count++;
		found = found || !strcmp(name, "MEM_LOAD_RETIRED");
		cr_expect(description && *description, "%s", name);
	}
	cr_expect(found && count > 50, "%d", count);
}

Test(event_vendor, says_which_package_brings_the_names)
{
	selfmon_pfm_library = "libpfm-not-there.so.4";
	cr_assert_not_null(selfmon_pfm_why_not());
	if (!strstr(selfmon_pfm_why_not(), "libpfm4"))
		cr_skip_test("%s", selfmon_pfm_why_not());
	cr_expect_str_eq(fail("MEM_LOAD_RETIRED.L3_MISS", -ENOENT).message,
			 "unknown event 'MEM_LOAD_RETIRED.L3_MISS': names of "
			 "`perf list`, rHEX, pmu/term=value/ and those of "
			 "selfmon-events(7) are allowed; event names from "
			 "the CPU's manual need libpfm (Debian: libpfm4)");
}

#if defined(__has_include)
#if __has_include(<perfmon/pfmlib_perf_event.h>)
#define HAVE_HEADER
#endif
#endif

#ifdef HAVE_HEADER
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#undef PFM_SUCCESS
#undef PFM_ERR_NOTSUPP
#undef PFM_ERR_INVAL
#undef PFM_ERR_NOTFOUND
#undef PFM_ERR_FEATCOMB
#undef PFM_ERR_UMASK
#undef PFM_OS_PERF_EVENT_EXT
#undef PFM_PMU_TYPE_CORE
#undef PFM_PMU_TYPE_UNCORE
#include <perfmon/pfmlib_perf_event.h>
#pragma GCC diagnostic pop

#define SAME(ours, theirs, here, there)                                        \
	cr_expect_eq(offsetof(struct selfmon_pfm_##ours, here),                \
		     offsetof(theirs, there), #theirs "." #there)

Test(event_vendor, declares_what_the_header_of_libpfm_declares)
{
	SAME(pmu, pfm_pmu_info_t, size, size);
	SAME(pmu, pfm_pmu_info_t, type, type);
	SAME(pmu, pfm_pmu_info_t, events, nevents);
	SAME(pmu, pfm_pmu_info_t, first_event, first_event);
	SAME(event, pfm_event_info_t, size, size);
	SAME(event, pfm_event_info_t, pmu, pmu);
	SAME(event, pfm_event_info_t, handle, idx);
	SAME(attribute, pfm_event_attr_info_t, size, size);
	SAME(attribute, pfm_event_attr_info_t, type, type);
	SAME(encoding, pfm_perf_encode_arg_t, full_name, fstr);
	SAME(encoding, pfm_perf_encode_arg_t, handle, idx);
	SAME(encoding, pfm_perf_encode_arg_t, cpu, cpu);
	cr_expect_eq(sizeof(struct selfmon_pfm_pmu), sizeof(pfm_pmu_info_t));
	cr_expect_eq(sizeof(struct selfmon_pfm_event),
		     sizeof(pfm_event_info_t));
	cr_expect_eq(sizeof(struct selfmon_pfm_attribute),
		     sizeof(pfm_event_attr_info_t));
	cr_expect_eq(sizeof(struct selfmon_pfm_encoding),
		     sizeof(pfm_perf_encode_arg_t));
	cr_expect_lt((int)PFM_PMU_MAX, PFM_PMUS);
	cr_expect_eq(PFM_PLM_USER, PFM_PLM3);
	cr_expect(PFM_OS_PERF_EVENT_EXT == 2 && PFM_PMU_TYPE_CORE == 1 &&
		  PFM_PMU_TYPE_UNCORE == 2);
	cr_expect(PFM_SUCCESS == 0 && PFM_ERR_NOTSUPP == -1 &&
		  PFM_ERR_INVAL == -2 && PFM_ERR_NOTFOUND == -4 &&
		  PFM_ERR_FEATCOMB == -5 && PFM_ERR_UMASK == -6);
}
#endif

/* SPDX-License-Identifier: MIT */
/* Tests events whose counts are wrong on some CPUs. */
#include "report/errata.h"
#include "unit/test_report_model.h"

TestSuite(report_errata, .fini = model_free);

#define HAS(text, part) cr_assert_not_null(strstr(text, part), "%s", text)
#define LACKS(text, part) cr_assert_null(strstr(text, part), "%s", text)

static struct selfmon_report *model_on(const char *vendor, int family,
				       int model, int stepping)
{
	struct selfmon_report *report = model_make(0);
	struct selfmon_cpu cpu = { .family = family,
				   .model = model,
				   .stepping = stepping };

	strcpy(cpu.vendor, vendor);
	model_column(report, "cycles", SELFMON_EXACT);
	model_column(report, "instructions:u", SELFMON_EXACT);
	model_column(report, "L1-icache-load-misses", SELFMON_NOT_COUNTED);
	model_column(report, "task-clock", SELFMON_SYSCALL);
	selfmon_errata_find(report, &cpu);
	return report;
}

Test(report_errata, names_the_events_what_is_wrong_and_who_says_so)
{
	const struct selfmon_report *report =
		model_on("AuthenticAMD", 0x17, 0x31, 0);

	cr_assert_eq(report->errata, 2);
	HAS(model_written(report, SELFMON_TEXT),
	    "\n             instructions:u: retired events may overcount; a "
	    "factor of 16 was observed (AMD erratum");
	HAS(model_written(report, SELFMON_JSON),
	    "{\"name\": \"AMD erratum 1291\", \"events\": \"instructions:u\"");
}

Test(report_errata, are_those_of_the_model_and_the_stepping)
{
	cr_assert_eq(model_on("AuthenticAMD", 0x17, 0x71, 0)->errata, 1);
	cr_assert_eq(model_on("AuthenticAMD", 0x17, 0x01, 2)->errata, 2);
	cr_assert_eq(model_on("AuthenticAMD", 0x1a, 0x31, 0)->errata, 0);
	cr_assert_eq(model_on("HygonGenuine", 0x17, 0x31, 0)->errata, 0);
	cr_assert_eq(model_on("GenuineIntel", 6, 0x55, 4)->errata, 1);
	cr_assert_eq(model_on("GenuineIntel", 6, 0x55, 7)->errata, 0);
	cr_assert_eq(model_on("GenuineIntel", 6, 0x9e, 0xd)->errata, 1);
	cr_assert_eq(model_on("GenuineIntel", 6, 0x8c, 1)->errata, 0);
	cr_assert_eq(model_on("", 0, 0, 0)->errata, 0);
}

Test(report_errata, are_told_of_what_is_counted_alone)
{
	struct selfmon_cpu cpu = { .vendor = "AuthenticAMD", .family = 0x19 };
	struct selfmon_report *report = model_make(0);

	model_column(report, "L1-icache-load-misses", SELFMON_EXACT);
	selfmon_errata_find(report, &cpu);
	cr_assert_eq(report->errata, 1);
	HAS(model_written(report, SELFMON_TEXT), "PMCx081");
	report->column[0].verdict = SELFMON_NOT_COUNTED;
	selfmon_errata_find(report, &cpu);
	cr_assert_eq(report->errata, 0);
	LACKS(model_written(report, SELFMON_TEXT), "errata");
}

Test(report_errata, of_software_events_are_none)
{
	struct selfmon_cpu cpu = { .vendor = "GenuineIntel",
				   .family = 6,
				   .model = 0x5e };
	struct selfmon_report *report = model_make(0);

	model_column(report, "page-faults", SELFMON_SYSCALL);
	model_column(report, "sched:sched_switch", SELFMON_SYSCALL);
	selfmon_errata_find(report, &cpu);
	cr_assert_eq(report->errata, 0);
}

static size_t errata_of(const char *vendor, int family, int model,
			const char *event)
{
	struct selfmon_report *report = model_make(0);
	struct selfmon_cpu cpu = { .family = family, .model = model };

	strcpy(cpu.vendor, vendor);
	model_column(report, event, SELFMON_EXACT);
	selfmon_errata_find(report, &cpu);
	return report->errata;
}

Test(report_errata, know_retired_events_by_other_names)
{
	static const char *const retired[] = {
		"ex_ret_brn_tkn", "RETIRED_BRANCH_INSTRUCTIONS",
		"retired_taken_branch_instructions:u", "rc2", "r00c3:u",
	};
	static const char *const others[] = {
		"r76", "r1000000c0", "LS_DISPATCH:LD_DISPATCH", "rc2:x",
		"sched:retired_c2", "r",
	};
	size_t i;

	for (i = 0; i < sizeof(retired) / sizeof(retired[0]); i++)
		cr_expect_eq(errata_of("AuthenticAMD", 0x19, 1, retired[i]), 1,
			     "%s", retired[i]);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		cr_expect_eq(errata_of("AuthenticAMD", 0x19, 1, others[i]), 0,
			     "%s", others[i]);
}

Test(report_errata, know_hardware_by_the_names_of_manuals_and_by_codes)
{
	static const char *const hardware[] = {
		"MEM_LOAD_RETIRED.L3_MISS", "BACLEARS:ANY:u", "r1a8",
		"inst_retired.any_p", "cpu/event=0x3c,umask=1/u",
	};
	static const char *const others[] = {
		"sched:sched_switch", "mem:0x1000/8:w", "msr/tsc/", "raw",
		"uprobe:/bin/app:main",
	};
	size_t i;

	for (i = 0; i < sizeof(hardware) / sizeof(hardware[0]); i++)
		cr_expect_eq(errata_of("GenuineIntel", 6, 0x5e, hardware[i]), 1,
			     "%s", hardware[i]);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		cr_expect_eq(errata_of("GenuineIntel", 6, 0x5e, others[i]), 0,
			     "%s", others[i]);
}

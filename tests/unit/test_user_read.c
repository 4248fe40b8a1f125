/* SPDX-License-Identifier: MIT */
/*
 * Tests the conditions for user reads, and the reason if a set cannot use them.
 */
#include <criterion/criterion.h>
#include <linux/perf_event.h>
#include <string.h>

#include "counters/set.h"
#include "counters/user_read.h"

static struct selfmon_page page[2];
static struct selfmon_set set;

/* Decides like the code that opens a set. */
static const char *user_read(unsigned int flags)
{
	selfmon_group_look(set.member, set.head.hardware_count);
	return selfmon_set_user_read(&set, flags);
}

static void setup(void)
{
	size_t i;

	if (!SELFMON_ARCH_USER_READ)
		cr_skip_test("no user reads on " SELFMON_ARCH_NAME);
	memset(&set, 0, sizeof(set));
	for (i = 0; i < 2; i++) {
		page[i] = (struct selfmon_page){
			.index = (uint32_t)i + 4,
			.capabilities = 0x1e,
			.pmc_width = 48,
		};
		set.member[i].page = &page[i];
	}
	set.head.hardware_count = 2;
}

static void refused(unsigned int flags, const char *words)
{
	const char *reason = user_read(flags);

	cr_assert_not_null(reason);
	cr_assert(strstr(reason, words), "%s", reason);
}

TestSuite(user_read, .init = setup);

Test(user_read, is_prepared_for_all_members)
{
	cr_assert_null(user_read(SELFMON_COUNTERS_UNGUARDED));
	cr_assert_eq(set.head.page[0], &page[0]);
	cr_assert_eq(set.head.page[1], &page[1]);
	cr_assert_eq(set.head.shift[1], 16);
}

Test(user_read, is_the_default_where_it_is_safe_and_only_there)
{
	if (SELFMON_ARCH_USER_READ_UNSAFE)
		refused(0, "unsafe on " SELFMON_ARCH_NAME);
	else
		cr_assert_null(user_read(0));
}

Test(user_read, is_off_where_system_calls_are_asked_for)
{
	refused(SELFMON_COUNTERS_SYSCALL, "requested");
	refused(SELFMON_COUNTERS_SYSCALL | SELFMON_COUNTERS_UNGUARDED,
		"requested");
}

Test(user_read, is_off_where_a_child_would_find_the_pages)
{
	set.head.flags = SELFMON_IMPL_SET_UNWIPED;
	refused(SELFMON_COUNTERS_UNGUARDED, "forked child");
}

Test(user_read, is_off_where_a_member_has_no_page)
{
	set.member[1].page = NULL;
	refused(SELFMON_COUNTERS_UNGUARDED, "could not be mapped");
}

Test(user_read, is_off_where_the_kernel_does_not_allow_it_for_a_member)
{
	const char *reason;

	cr_assert_null(user_read(SELFMON_COUNTERS_UNGUARDED));
	set.member[1].shows = SELFMON_PAGE_REFUSED;
	reason = selfmon_set_user_read(&set, SELFMON_COUNTERS_UNGUARDED);
	cr_assert(reason && strstr(reason, "does not allow"), "%s", reason);
}

Test(user_read, is_off_where_no_look_found_the_events_on_the_pmu)
{
	page[1].index = 0;
	refused(SELFMON_COUNTERS_UNGUARDED, "in use elsewhere");
}

Test(user_read, is_off_where_a_member_is_a_share_of_slots)
{
	page[1].index = (UINT32_C(1) << 29) + 1;
	refused(SELFMON_COUNTERS_UNGUARDED, "top-down");
}

Test(user_read, is_off_for_the_firmwares_events_whose_page_lies)
{
	set.member[1].event.type = PERF_TYPE_RAW;
	set.member[1].event.config = UINT64_C(1) << 63 | 5;
	if (SELFMON_ARCH_FIRMWARE_EVENTS)
		refused(SELFMON_COUNTERS_UNGUARDED, "no register");
	else
		cr_assert_null(user_read(0));
}

Test(user_read, is_on_for_other_raw_events)
{
	set.member[1].event.type = PERF_TYPE_RAW;
	set.member[1].event.config = UINT64_C(1) << 62;
	cr_assert_null(user_read(SELFMON_COUNTERS_UNGUARDED));
}

/*
 * read(2) is slow on every machine, so the cost says nothing about a
 * hypervisor.
 */
Test(user_read, costs_nothing_known_while_the_events_are_off_the_pmu)
{
	cr_assert_null(user_read(SELFMON_COUNTERS_UNGUARDED));
	set.head.owner = selfmon_arch_thread_pointer();
	set.head.cpu = &page[0].reserved;
	set.head.count = 2;
	page[0].index = 0;
	cr_assert_eq(selfmon_set_read_ns(&set.head), 0);
}

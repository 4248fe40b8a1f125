/* SPDX-License-Identifier: MIT */
/*
 * Tests reads of a page whose capability bit is set only while the event has a
 * counter. Works on any machine.
 */
#include <criterion/criterion.h>

static unsigned int reads;
#define SELFMON_READ_COUNTER(counter, set)                                     \
	((void)(set), reads++, (uint64_t)(counter))
#define SELFMON_ARCH_CAPABILITY_VARIES 1
#define SELFMON_ARCH_COUNTERS_HOLE 1

#include <selfmon/page.h>

static bool reads_page(uint32_t index, uint64_t capabilities)
{
	const struct selfmon_page page = {
		.index = index,
		.capabilities = capabilities,
		.pmc_width = 64,
	};
	uint32_t moved = 0;
	uint64_t value;
	bool ok;

	reads = 0;
	ok = selfmon_page_read(&page, 0, &value, &moved);
	cr_assert_eq(reads, ok, "a counter is read if, and only if, it is there");
	return ok;
}

Test(page_owns, reads_while_the_bit_is_set)
{
	cr_assert(reads_page(1, 0x3e));
	cr_assert(reads_page(20, 0x06));
}

Test(page_owns, leaves_the_counter_alone_while_the_bit_is_clear)
{
	cr_assert_not(reads_page(1, 0x3a));
	cr_assert_not(reads_page(20, 0x02));
}

Test(page_owns, leaves_the_number_that_no_counter_has_alone)
{
	cr_assert_not(reads_page(2, 0x3e));
	cr_assert(reads_page(3, 0x3e));
}

Test(page_owns, leaves_index_0_alone_whatever_the_bit_says)
{
	cr_assert_not(reads_page(0, 0x3e));
}

/* SPDX-License-Identifier: MIT */
/*
 * A plugin whose counter reads really fault in the CPU, because the page of its
 * event names a counter that does not exist.
 */
#include <selfmon.hpp>

extern "C" int work(void);

#ifdef __x86_64__
#define INDEX_OF_NONE ((UINT32_C(1) << 28) + 1)

static selfmon_page page;

/* Changes the set so that its event is read in user space, by `page`. */
static void give_page(selfmon_counters *head)
{
	page.lock = 4;
	page.index = INDEX_OF_NONE;
	page.pmc_width = 48;
	page.capabilities = SELFMON_PAGE_CAP_USER_RDPMC;
	head->page[0] = &page;
	head->shift[0] = 16;
	head->hardware_count = 1;
	head->rest = 0;
	head->flags &= ~SELFMON_IMPL_SET_SLOW;
}

/* Returns true if a read faulted and was replaced by read(2). */
static bool is_taken(const selfmon_counters *head, const selfmon_snapshot &at)
{
	return at.flags == SELFMON_SNAPSHOT_SLOW && at.value[0] > 0 &&
	       head->flags & SELFMON_IMPL_SET_TAKEN;
}

/* Returns how many of two reads faulted and were skipped. */
int work(void)
{
	selfmon_snapshot at;
	int taken = 0;
	bool end = false;

	do {
		const selfmon::CounterSet set = selfmon::CounterSet::open(
			"task-clock", SELFMON_COUNTERS_GUARD);

		if (!set)
			return -1;
		give_page(set.get());
		if (end)
			selfmon_counters_end(set.get(), &at);
		else
			selfmon_counters_begin(set.get(), &at);
		taken += is_taken(set.get(), at);
		end = !end;
	} while (end);
	return taken;
}
#endif

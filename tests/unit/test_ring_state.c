/* SPDX-License-Identifier: MIT */
/* Tests the positions in a thread's ring at which visits began. */
#include <criterion/criterion.h>

#include "open/take_out.h"
#include "store/ring_state.h"

#define GIB (UINT64_C(1) << 30)

static uint64_t began_at(uint64_t began, uint64_t head)
{
	static struct selfmon_thread_ring ring;

	return selfmon_ring_began_at(&ring, 1, (uint32_t)began, head);
}

Test(ring_state, knows_where_a_visit_of_hours_began)
{
	uint64_t head;

	for (head = 500; head < 20 * GIB; head += GIB)
		cr_assert_eq(began_at(500, head), 500);
}

Test(ring_state, knows_where_the_next_visit_of_the_entry_began)
{
	cr_assert_eq(began_at(500, 9 * GIB), 8 * GIB + 500);
	cr_assert_eq(began_at(9 * GIB, 9 * GIB + 16), 9 * GIB);
	cr_assert_eq(began_at(12 * GIB + 32, 12 * GIB + 32), 12 * GIB + 32);
}

Test(ring_state, knows_a_visit_that_is_newer_than_the_head)
{
	cr_assert_eq(began_at(6 * GIB + 48, 6 * GIB), 6 * GIB + 48);
	cr_assert_eq(began_at(6 * GIB + 48, 6 * GIB + 64), 6 * GIB + 48);
}

/* The next thread with this state has a new ring. */
Test(ring_state, does_not_mix_up_rings)
{
	cr_assert_eq(began_at(8 * GIB + 16, 8 * GIB + 64), 8 * GIB + 16);
	cr_assert_eq(began_at(16, 64), 16);
}

/* Entries without visits move like others. */
Test(ring_state, moves_what_it_knows_of_a_visit_with_the_entry)
{
	static struct selfmon_visit open[4];
	static struct selfmon_thread_ring ring;
	struct selfmon_thread thread = {
		.open = open, .top = &open[3], .ring = &ring
	};
	unsigned int i;

	for (i = 0; i <= 3; i++) {
		open[i].mark = SELFMON_MARK_NONE;
		ring.visit[i].began = 10 * i;
		ring.visit[i].off.blocked_ns = i;
	}
	selfmon_take_out(&thread, &open[1]);
	cr_assert_eq(ring.visit[1].began, 20);
	cr_assert_eq(ring.visit[1].off.blocked_ns, 2);
	cr_assert_eq(ring.visit[2].began, 30);
	cr_assert_eq(ring.visit[2].off.blocked_ns, 3);
	cr_assert_eq(ring.visit[3].began, 10);
	cr_assert_eq(ring.visit[3].off.blocked_ns, 1);
}

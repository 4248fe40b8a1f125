/* SPDX-License-Identifier: MIT */
/* Unit tests of the memory of regions: where its pieces and nodes lie. */
#include <criterion/criterion.h>

#include "region/process.h"

#define CHUNK ((size_t)1 << 20)

static size_t in_line(const void *address)
{
	return (size_t)((uintptr_t)address % SELFMON_LINE);
}

Test(memory, begins_a_piece_with_a_line)
{
	selfmon_memory_wiped(1);
	cr_assert_eq(in_line(selfmon_memory_wiped(1)), 0);
	selfmon_memory_kept(1);
	cr_assert_eq(in_line(selfmon_memory_kept(1)), 0);
}

Test(memory, begins_a_piece_so_far_behind_a_line_as_is_asked_for)
{
	selfmon_memory_wiped_at(32, 1);
	cr_assert_eq(in_line(selfmon_memory_wiped_at(32, 1)), 32);
	cr_assert_eq(in_line(selfmon_memory_wiped_at(24, 1)), 24);
}

Test(memory, fills_a_line_up_with_the_piece_that_begins_in_it)
{
	char *const first = selfmon_memory_wiped_at(32, 56);

	cr_assert_eq((char *)selfmon_memory_wiped_at(32, 1) - first, 64);
}

Test(memory, gives_no_byte_out_twice)
{
	char *const first = selfmon_memory_wiped_at(32, 65);

	cr_assert_geq((char *)selfmon_memory_wiped_at(32, 1) - first, 65);
}

/* The last piece ends with the chunk's last byte, or 64 before it. */
Test(memory, ends_no_piece_behind_its_chunk)
{
	size_t i;

	for (i = 0; i < CHUNK / 64 + 1; i++) {
		char *const piece = selfmon_memory_wiped_at(32, 64);

		cr_assert_eq(in_line(piece), 32);
		cr_assert(selfmon_memory_holds(piece + 63),
			  "the piece of turn %zu", i);
	}
}

Test(memory, has_room_for_a_piece_larger_than_a_chunk_at_its_offset)
{
	char *const piece = selfmon_memory_wiped_at(32, CHUNK);

	cr_assert_eq(in_line(piece), 32);
	cr_assert(selfmon_memory_holds(piece + CHUNK - 1));
}

/* Where a visit with time alone looks, in the node and in the statistics. */
Test(memory, of_each_node_has_what_a_visit_looks_at_in_one_line)
{
	static struct selfmon_thread thread;
	uint32_t region;

	cr_assert_eq(selfmon_tree_init(&thread), 0);
	for (region = 1; region <= 3; region++) {
		const struct selfmon_node *const node =
			selfmon_tree_child(&thread, thread.root, region);
		const uintptr_t line = (uintptr_t)&node->stats / SELFMON_LINE;

		cr_assert_eq((uintptr_t)&node->countdown / SELFMON_LINE, line);
		cr_assert_eq((uintptr_t)node->stats / SELFMON_LINE, line);
		cr_assert_eq((uintptr_t)&node->stats->ticks.min / SELFMON_LINE,
			     line);
	}
}

/* What an outermost visit looks at in the thread's state and below its entry. */
Test(memory, of_each_thread_has_what_a_visit_looks_at_in_one_line)
{
	const struct selfmon_thread *const thread = selfmon_thread_make(false);
	const uintptr_t line = (uintptr_t)&thread->top->mark / SELFMON_LINE;

	cr_assert_eq(thread->top->mark, SELFMON_MARK_NONE);
	cr_assert_eq((uintptr_t)&thread->top / SELFMON_LINE, line);
	cr_assert_eq((uintptr_t)&thread->stack_low / SELFMON_LINE, line);
	cr_assert_eq((uintptr_t)&thread->mode / SELFMON_LINE, line);
	cr_assert_eq((uintptr_t)&thread->max_per_tick / SELFMON_LINE, line);
}

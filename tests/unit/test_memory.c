/* SPDX-License-Identifier: MIT */
/*
 * Tests the alignment of the memory pieces that the library allocates, and the
 * cache lines of nodes and threads' states.
 */
#include <criterion/criterion.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/thread_state.h"
#include "store/memory.h"
#include "store/process.h"
#include "store/self.h"
#include "store/tree.h"

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

/* Returns how many of these addresses are not wiped in a forked child. */
static size_t not_wiped(char *const *at, size_t count)
{
	size_t found = 0;
	int pipe_of[2];
	pid_t child;

	cr_assert_eq(pipe(pipe_of), 0);
	child = fork();
	if (child == 0) {
		while (count-- > 0)
			found += *at[count] != 0;
		_exit(write(pipe_of[1], &found, sizeof(found)) !=
		      sizeof(found));
	}
	cr_assert_eq(read(pipe_of[0], &found, sizeof(found)), sizeof(found));
	waitpid(child, NULL, 0);
	return found;
}

/* qemu-user ignores MADV_WIPEONFORK. */
static bool can_wipe(void)
{
	char *const piece = selfmon_memory_wiped(64);

	*piece = 1;
	return not_wiped(&piece, 1) == 0;
}

/*
 * Each piece begins and ends in the middle of a cache line. So the last piece
 * of a chunk ends 32 bytes before the chunk's end.
 */
Test(memory, ends_no_piece_behind_its_chunk)
{
	static char *last[CHUNK / 64 + 1];
	size_t i;

	if (!can_wipe())
		cr_skip_test("this kernel wipes no memory at fork(2)");
	for (i = 0; i < CHUNK / 64 + 1; i++) {
		char *const piece = selfmon_memory_wiped_at(32, 64);

		cr_assert_eq(in_line(piece), 32);
		last[i] = piece + 63;
		*last[i] = 1;
	}
	cr_assert_eq(not_wiped(last, i), 0);
}

Test(memory, has_room_for_a_piece_larger_than_a_chunk_at_its_offset)
{
	char *piece, *last;

	if (!can_wipe())
		cr_skip_test("this kernel wipes no memory at fork(2)");
	piece = selfmon_memory_wiped_at(32, CHUNK);
	cr_assert_eq(in_line(piece), 32);
	last = piece + CHUNK - 1;
	*last = 1;
	cr_assert_eq(not_wiped(&last, 1), 0);
}

/*
 * The members of a node and of its statistics that a visit without counters
 * uses share a cache line.
 */
Test(memory, of_each_node_has_what_a_visit_looks_at_in_one_line)
{
	static struct selfmon_thread_record record;
	static struct selfmon_thread thread = { .record = &record };
	uint32_t region;

	cr_assert_eq(selfmon_tree_init(selfmon_process(), &thread), 0);
	for (region = 1; region <= 3; region++) {
		const struct selfmon_node *const node =
			selfmon_tree_child(&thread, thread.root, region);
		const uintptr_t line = (uintptr_t)&node->region / SELFMON_LINE;

		cr_assert_eq((uintptr_t)&node->countdown / SELFMON_LINE, line);
		cr_assert_eq((uintptr_t)node->stats / SELFMON_LINE, line);
		cr_assert_eq((uintptr_t)&node->stats->ticks.min / SELFMON_LINE,
			     line);
	}
}

/*
 * The members of a thread's state that an outermost visit uses share a cache
 * line with the mark of the sentinel, which is the entry below all visits.
 */
Test(memory, of_each_thread_has_what_a_visit_looks_at_in_one_line)
{
	const struct selfmon_thread *const thread = selfmon_thread_make(selfmon_process(), false);
	const uintptr_t line = (uintptr_t)&thread->top->mark / SELFMON_LINE;

	cr_assert_eq(thread->top->mark, SELFMON_MARK_NONE);
	cr_assert_eq((uintptr_t)&thread->top / SELFMON_LINE, line);
	cr_assert_eq((uintptr_t)&thread->low / SELFMON_LINE, line);
	cr_assert_eq((uintptr_t)&thread->mode / SELFMON_LINE, line);
	cr_assert_eq((uintptr_t)&thread->max_per_tick / SELFMON_LINE, line);
}

/* SPDX-License-Identifier: MIT */
/*
 * Tests the machine code of the library: the inline reads execute RDPMC and
 * RDTSC, and the fault handler of trap_pmu.h emulates the PMU.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "counters/set.h"
#include "trap_pmu.h"

static struct selfmon_page page[2];
static struct selfmon_set set;
static uint32_t cpu;

static void setup(void)
{
	unsigned int k;

	trap_pmu_setup();
	trap_pmu.tsc = 1000000;
	memset(&set, 0, sizeof(set));
	cpu = 3;
	for (k = 0; k < 2; k++) {
		page[k] = (struct selfmon_page){
			.lock = 4,
			.index = TRAP_INDEX(k),
			.pmc_width = 48,
		};
		set.head.page[k] = &page[k];
		set.head.shift[k] = 16;
	}
	set.head.owner = selfmon_arch_thread_pointer();
	set.head.cpu = &cpu;
	set.head.hardware_count = 2;
	set.head.count = 2;
	set.head.max_per_tick = 16;
}

static void begin(struct selfmon_snapshot *snapshot)
{
	trap_pmu_time(true);
	selfmon_counters_begin(&set.head, snapshot);
	trap_pmu_time(false);
}

static void end(struct selfmon_snapshot *snapshot)
{
	trap_pmu_time(true);
	selfmon_counters_end(&set.head, snapshot);
	trap_pmu_time(false);
}

/*
 * Makes the next group read(2) from member i return these values for member i
 * and the next one, and a time of 1 us. Returns the descriptor of the writing
 * end.
 */
static int serve(size_t i, uint64_t first, uint64_t second)
{
	const uint64_t answer[] = { 2, 1000, 1000, first, 0, second, 0 };
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], answer, sizeof(answer)),
		     (ssize_t)sizeof(answer));
	set.member[i].fd_plus_1 = ends[0] + 1;
	return ends[1];
}

TestSuite(rdpmc_trap, .init = setup);

/* ---- one page ------------------------------------------------------------ */

static uint64_t read_value(unsigned int width, uint32_t *moved)
{
	uint64_t value = 0;

	*moved = 0;
	cr_assert(selfmon_page_read(&page[0], 64 - width, &value, moved));
	return value;
}

Test(rdpmc_trap, joins_both_halves_of_the_register)
{
	uint32_t moved;

	trap_pmu.raw[0] = UINT64_C(0x123487654321);
	page[0].offset = 1;
	cr_assert_eq(read_value(48, &moved), UINT64_C(0x123487654322));
	cr_assert(trap_pmu_saw("0"));
}

static void move_lock_at_first(unsigned int n, uint32_t what)
{
	(void)what;
	if (n == 0) {
		page[0].lock += 2;
		page[0].offset = 70;
	}
}

Test(rdpmc_trap, reads_again_when_the_lock_moved)
{
	uint32_t moved;

	page[0].offset = 10;
	trap_pmu.raw[0] = 5;
	trap_pmu.effect = move_lock_at_first;
	cr_assert_eq(read_value(48, &moved), 75);
	cr_assert(trap_pmu_saw("00"));
	cr_assert_eq(moved, 1);
}

static void move_locks(unsigned int n, uint32_t what)
{
	(void)n;
	(void)what;
	page[0].lock += 2;
	page[1].lock += 2;
}

Test(rdpmc_trap, gives_up_after_64_moves)
{
	uint64_t value = 77;
	uint32_t moved = 0;

	trap_pmu.effect = move_locks;
	cr_assert_not(selfmon_page_read(&page[0], 16, &value, &moved));
	cr_assert_eq(trap_pmu.traps, 64);
	cr_assert_eq(value, 77);
}

Test(rdpmc_trap, extends_the_sign_for_each_width)
{
	static const unsigned int width[] = { 32, 40, 48, 64 };
	uint32_t moved;
	size_t i;

	for (i = 0; i < sizeof(width) / sizeof(width[0]); i++) {
		const uint64_t half = UINT64_C(1) << (width[i] - 1);

		trap_pmu.raw[0] = half + 1;
		page[0].offset = (int64_t)(half - 1);
		cr_assert_eq(read_value(width[i], &moved), 0, "width %u",
			     width[i]);
	}
}

Test(rdpmc_trap, wraps_an_offset_near_the_end_of_64_bits)
{
	uint32_t moved;

	page[0].offset = -3;
	trap_pmu.raw[0] = 8;
	cr_assert_eq(read_value(48, &moved), 5);
}

static void change_counter(unsigned int n, uint32_t what)
{
	(void)what;
	if (n == 0) {
		page[0].lock += 2;
		page[0].index = TRAP_INDEX(3);
	}
}

Test(rdpmc_trap, follows_the_event_to_another_counter)
{
	uint32_t moved;

	trap_pmu.raw[0] = 1;
	trap_pmu.raw[3] = 33;
	trap_pmu.effect = change_counter;
	cr_assert_eq(read_value(48, &moved), 33);
	cr_assert(trap_pmu_saw("03"));
}

/* ---- a set --------------------------------------------------------------- */

Test(rdpmc_trap, begin_takes_the_timestamp_last_and_end_first)
{
	struct selfmon_snapshot a, b;

	trap_pmu.raw[0] = 10;
	trap_pmu.raw[1] = 20;
	begin(&a);
	cr_assert(trap_pmu_saw("01T"));
	cr_assert_eq(a.ticks, trap_pmu.tsc);
	trap_pmu.traps = 0;
	trap_pmu.raw[0] = 110;
	trap_pmu.raw[1] = 320;
	end(&b);
	cr_assert(trap_pmu_saw("T10"));
	cr_assert_eq(b.value[0] - a.value[0], 100);
	cr_assert_eq(b.value[1] - a.value[1], 300);
	cr_assert_eq(b.flags, 0);
	cr_assert_eq(b.cpu, 3);
	cr_assert_eq(b.lock, 4);
	cr_assert_eq(b.moved, 0);
}

static void sibling_overflows(unsigned int n, uint32_t what)
{
	(void)what;
	if (n == 1) {
		page[1].lock += 2;
		page[1].offset = 1000;
	}
}

Test(rdpmc_trap, reads_all_again_when_a_sibling_overflows)
{
	struct selfmon_snapshot a;

	trap_pmu.raw[0] = 10;
	trap_pmu.raw[1] = 20;
	trap_pmu.effect = sibling_overflows;
	begin(&a);
	cr_assert(trap_pmu_saw("0101T"));
	cr_assert_eq(a.value[0], 10);
	cr_assert_eq(a.value[1], 1020);
	cr_assert_eq(a.moved, 1);
}

/*
 * Acts as a context switch during trap 1: all locks and offsets, the CPU and
 * the leader's times change.
 */
static void descheduled_at_1(unsigned int n, uint32_t what)
{
	(void)what;
	if (n != 1)
		return;
	page[0].lock += 2;
	page[0].offset = 5000;
	page[1].lock += 2;
	page[1].offset = 6000;
	cpu = 7;
	page[0].time_enabled = 900;
	page[0].time_running = 850;
}

Test(rdpmc_trap, reads_all_again_when_descheduled_between_members)
{
	struct selfmon_snapshot a;

	trap_pmu.raw[0] = 10;
	trap_pmu.raw[1] = 20;
	trap_pmu.effect = descheduled_at_1;
	begin(&a);
	cr_assert(trap_pmu_saw("0101T"));
	cr_assert_eq(a.value[0], 5010);
	cr_assert_eq(a.value[1], 6020);
	cr_assert_eq(a.ticks, trap_pmu.tsc, "the timestamp of the last round");
	cr_assert_eq(a.cpu, 7);
	cr_assert_eq(a.off_ns, 50);
	cr_assert_eq(a.lock, 6);
	cr_assert_eq(a.moved, 1, "one try was vain");
}

static void descheduled_at_the_timestamp(unsigned int n, uint32_t what)
{
	if (n < 3 && what == TRAP_TIME) {
		page[0].lock += 2;
		page[0].offset = 5000;
	}
}

Test(rdpmc_trap, begin_has_the_timestamp_inside_the_leaders_lock)
{
	struct selfmon_snapshot a;

	trap_pmu.effect = descheduled_at_the_timestamp;
	begin(&a);
	cr_assert(trap_pmu_saw("01T01T"));
	cr_assert_eq(a.value[0], 5000);
	cr_assert_eq(a.ticks, trap_pmu.tsc);
}

Test(rdpmc_trap, end_has_the_timestamp_inside_the_leaders_lock)
{
	struct selfmon_snapshot b;

	trap_pmu.effect = descheduled_at_the_timestamp;
	end(&b);
	cr_assert(trap_pmu_saw("T10T10"));
	cr_assert_eq(b.value[0], 5000);
	cr_assert_eq(b.ticks, trap_pmu.tsc - 2);
}

Test(rdpmc_trap, a_storm_of_lock_moves_ends_on_the_slow_path)
{
	struct selfmon_snapshot a;

	serve(0, 111, 222);
	trap_pmu.effect = move_locks;
	begin(&a);
	cr_assert_leq(trap_pmu.traps, 3 * SELFMON_PAGE_TRIES);
	cr_assert_eq(a.flags, SELFMON_SNAPSHOT_SLOW);
	cr_assert_eq(a.value[0], 111);
	cr_assert_eq(a.value[1], 222);
}

/* ---- a counter that is taken away ---------------------------------------- */

Test(rdpmc_trap, a_counter_that_goes_is_read_by_read_2)
{
	struct selfmon_snapshot a, b;
	struct selfmon_delta delta;

	trap_pmu.raw[0] = 100;
	trap_pmu.raw[1] = 200;
	begin(&a);
	page[0].lock += 2;
	page[0].index = 0;
	page[1].index = 0;
	serve(0, 160, 290);
	end(&b);
	cr_assert_eq(b.flags, SELFMON_SNAPSHOT_SLOW);
	selfmon_counters_delta(&set.head, &a, &b, &delta);
	cr_assert_eq(delta.value[0].count, 60);
	cr_assert_eq(delta.value[1].count, 90);
	cr_assert_eq(delta.value[0].verdict, SELFMON_SYSCALL);
	cr_assert_eq(delta.flags, SELFMON_DELTA_SLOW | SELFMON_DELTA_DISTURBED);
}

Test(rdpmc_trap, a_counter_that_goes_for_good_is_lost_but_time_is_not)
{
	struct selfmon_snapshot a, b;
	struct selfmon_delta delta;

	begin(&a);
	page[1].index = 0;
	end(&b);
	cr_assert_eq(b.flags,
		     SELFMON_SNAPSHOT_SLOW | SELFMON_SNAPSHOT_LOST_USER);
	selfmon_counters_delta(&set.head, &a, &b, &delta);
	cr_assert(delta.flags & SELFMON_DELTA_LOST);
	cr_assert_eq(delta.value[0].verdict, SELFMON_NOT_COUNTED);
	cr_assert_eq(delta.value[1].verdict, SELFMON_NOT_COUNTED);
	cr_assert_gt(delta.ticks, 0);
	cr_assert_lt(delta.ticks, 100);
}

Test(rdpmc_trap, the_end_of_file_of_a_pinned_event_is_lost)
{
	struct selfmon_snapshot a;
	uint64_t unread[7];

	page[0].index = 0;
	close(serve(0, 1, 2));
	cr_assert_gt(read(set.member[0].fd_plus_1 - 1, unread,
			  sizeof(unread)), 0);
	begin(&a);
	cr_assert(a.flags & SELFMON_SNAPSHOT_LOST_USER);
}

/*
 * Makes the next group read return these words, which may be too few or belong
 * to another group.
 */
static void serve_words(const uint64_t *word, size_t count)
{
	const ssize_t size = (ssize_t)(count * sizeof(*word));
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], word, (size_t)size), size);
	set.member[0].fd_plus_1 = ends[0] + 1;
}

Test(rdpmc_trap, a_group_read_of_another_size_is_lost)
{
	static const uint64_t cut[] = { 2, 1000, 1000, 5, 0 };
	static const uint64_t other[] = { 1, 1000, 1000, 5, 0, 6, 0 };
	struct selfmon_snapshot a;

	page[0].index = 0;
	serve_words(cut, 5);
	begin(&a);
	cr_assert(a.flags & SELFMON_SNAPSHOT_LOST_USER);
	serve_words(other, 7);
	begin(&a);
	cr_assert(a.flags & SELFMON_SNAPSHOT_LOST_USER);
}

/* ---- reads that do not execute RDPMC ------------------------------------- */

Test(rdpmc_trap, another_thread_never_executes_the_instruction)
{
	struct selfmon_snapshot a;

	set.head.owner = &set;
	serve(0, 5, 6);
	begin(&a);
	cr_assert(trap_pmu_saw("T"));
	cr_assert_eq(a.value[1], 6);
	cr_assert_eq(a.cpu, UINT32_MAX);
	cr_assert_eq(a.flags, SELFMON_SNAPSHOT_SLOW);
}

Test(rdpmc_trap, wiped_memory_of_a_forked_child_is_lost_altogether)
{
	struct selfmon_snapshot a;

	memset(&set, 0, sizeof(set));
	selfmon_counters_begin(&set.head, &a);
	cr_assert_eq(trap_pmu.traps, 0);
	cr_assert_eq(a.flags, SELFMON_SNAPSHOT_LOST);
	cr_assert_eq(a.cpu, UINT32_MAX);
	cr_assert_eq(a.value[0], 0);
}

/* Adds two members that are read by read(2), after the two hardware members. */
static void add_rest(void)
{
	set.head.flags = SELFMON_IMPL_SET_REST;
	set.head.count = 4;
	set.head.rest = 2;
}

Test(rdpmc_trap, members_of_read_2_do_not_take_the_others_user_reads)
{
	struct selfmon_snapshot a, b;

	add_rest();
	serve(2, 30, 40);
	trap_pmu.raw[1] = 9;
	begin(&a);
	cr_assert(trap_pmu_saw("01T"));
	cr_assert_eq(a.flags, 0);
	cr_assert_eq(a.value[1], 9);
	cr_assert_eq(a.value[2], 30);
	cr_assert_eq(a.value[3], 40);
	trap_pmu.traps = 0;
	serve(2, 31, 41);
	end(&b);
	cr_assert(trap_pmu_saw("T10"));
	cr_assert_eq(b.value[3], 41);
}

Test(rdpmc_trap, members_of_read_2_that_are_lost_lose_nothing_else)
{
	struct selfmon_snapshot a, b;

	add_rest();
	begin(&a);
	cr_assert_eq(a.flags, SELFMON_SNAPSHOT_LOST_REST);
	end(&b);
	cr_assert_eq(b.flags, SELFMON_SNAPSHOT_LOST_REST);
}

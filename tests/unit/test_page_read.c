/* SPDX-License-Identifier: MIT */
/*
 * Tests the inline read of one page against a model of a PMU. The model's
 * register read may change the page during the read, as the kernel might.
 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

static uint64_t model_read(uint32_t counter);
#define SELFMON_READ_COUNTER(counter, set) ((void)(set), model_read(counter))

#include <selfmon/page.h>

/* Called during register read n. The first read is 0. */
typedef void (*effect_fn)(unsigned int n);

static struct selfmon_page page;
static struct {
	uint64_t raw[64];
	uint32_t seen[2 * SELFMON_PAGE_TRIES];
	unsigned int reads;
	effect_fn effect;
} model;

static uint64_t model_read(uint32_t counter)
{
	const unsigned int n = model.reads++;
	uint64_t raw;

	cr_assert_lt(n, 2 * SELFMON_PAGE_TRIES, "the loop is not bounded");
	model.seen[n] = counter;
	raw = model.raw[counter % 64];
	if (model.effect)
		model.effect(n);
	return raw;
}

static void setup(void)
{
	page = (struct selfmon_page){
		.lock = 8,
		.index = 3,
		.capabilities = 0x1e,
		.pmc_width = 48,
	};
	memset(&model, 0, sizeof(model));
}

static uint64_t read_ok(unsigned int width, uint32_t *moved)
{
	uint64_t value = 0;

	cr_assert(selfmon_page_read(&page, 64 - width, &value, moved));
	return value;
}

static uint64_t read_value(unsigned int width)
{
	uint32_t moved = 0;
	const uint64_t value = read_ok(width, &moved);

	cr_assert_eq(moved, 0);
	return value;
}

TestSuite(page_read, .init = setup);

/* ---- the sequence -------------------------------------------------------- */

Test(page_read, reads_the_register_that_the_index_names)
{
	page.offset = 1000;
	model.raw[2] = 42;
	cr_assert_eq(read_value(48), 1042);
	cr_assert_eq(model.reads, 1);
	cr_assert_eq(model.seen[0], 2);
}

Test(page_read, passes_intels_fixed_counter_numbers_through)
{
	page.index = ((UINT32_C(1) << 30) | 1) + 1;
	model.raw[1] = 7;
	cr_assert_eq(read_value(48), 7);
	cr_assert_eq(model.seen[0], (UINT32_C(1) << 30) | 1);
}

static void move_lock_once(unsigned int n)
{
	if (n == 0) {
		page.lock += 2;
		page.offset = 500;
		model.raw[2] = 5;
	}
}

Test(page_read, reads_again_when_the_lock_moved)
{
	uint32_t moved = 10;

	page.offset = 100;
	model.raw[2] = 400;
	model.effect = move_lock_once;
	cr_assert_eq(read_ok(48, &moved), 505);
	cr_assert_eq(model.reads, 2);
	cr_assert_eq(moved, 11, "moved is added to, not set");
}

static void move_lock_always(unsigned int n)
{
	(void)n;
	page.lock += 2;
}

Test(page_read, gives_up_after_64_moves_and_leaves_the_value)
{
	uint64_t value = 77;
	uint32_t moved = 0;

	model.effect = move_lock_always;
	cr_assert_not(selfmon_page_read(&page, 16, &value, &moved));
	cr_assert_eq(model.reads, 64);
	cr_assert_eq(moved, 64);
	cr_assert_eq(value, 77);
}

static void move_lock_63_times(unsigned int n)
{
	if (n < 63)
		page.lock += 2;
}

Test(page_read, succeeds_at_the_last_try)
{
	uint32_t moved = 0;

	model.effect = move_lock_63_times;
	model.raw[2] = 9;
	cr_assert_eq(read_ok(48, &moved), 9);
	cr_assert_eq(model.reads, 64);
	cr_assert_eq(moved, 63);
}

Test(page_read, does_not_wait_out_an_odd_lock)
{
	page.lock = 9;
	model.raw[2] = 6;
	cr_assert_eq(read_value(48), 6);
	cr_assert_eq(model.reads, 1);
}

static void wrap_lock(unsigned int n)
{
	if (n == 0)
		page.lock = 0;
}

Test(page_read, sees_a_lock_that_wraps)
{
	uint32_t moved = 0;

	page.lock = UINT32_MAX - 1;
	model.effect = wrap_lock;
	read_ok(48, &moved);
	cr_assert_eq(moved, 1);
}

static void touch_all_but_the_lock(unsigned int n)
{
	(void)n;
	page.time_enabled += 1000;
	page.time_running += 1000;
}

Test(page_read, goes_by_the_lock_alone)
{
	model.effect = touch_all_but_the_lock;
	read_value(48);
	cr_assert_eq(model.reads, 1);
}

/* ---- the index ----------------------------------------------------------- */

Test(page_read, takes_the_slow_path_for_index_0)
{
	uint64_t value = 77;
	uint32_t moved = 3;

	page.index = 0;
	page.offset = 1234;
	cr_assert_not(selfmon_page_read(&page, 16, &value, &moved));
	cr_assert_eq(model.reads, 0, "no counter has this number");
	cr_assert_eq(value, 77);
	cr_assert_eq(moved, 3);
}

static void move_to_another_counter(unsigned int n)
{
	if (n == 0) {
		page.lock += 2;
		page.index = 6;
		page.offset = 90000;
	}
}

Test(page_read, follows_the_event_to_another_counter_within_a_read)
{
	uint32_t moved = 0;

	page.offset = 100;
	model.raw[2] = 11;
	model.raw[5] = 22;
	model.effect = move_to_another_counter;
	cr_assert_eq(read_ok(48, &moved), 90022);
	cr_assert_eq(model.seen[0], 2);
	cr_assert_eq(model.seen[1], 5);
}

Test(page_read, follows_the_event_to_another_counter_between_reads)
{
	uint64_t a, b;

	model.raw[2] = 1000;
	a = read_value(48);
	page.lock += 2;
	page.index = 1;
	page.offset = 900;
	model.raw[0] = 150;
	b = read_value(48);
	cr_assert_eq(b - a, 50);
}

static void take_counter_away(unsigned int n)
{
	if (n == 0) {
		page.lock += 2;
		page.index = 0;
	}
}

Test(page_read, takes_the_slow_path_when_the_counter_goes_mid_read)
{
	uint64_t value = 77;
	uint32_t moved = 0;

	model.effect = take_counter_away;
	cr_assert_not(selfmon_page_read(&page, 16, &value, &moved));
	cr_assert_eq(model.reads, 1);
	cr_assert_eq(moved, 1);
	cr_assert_eq(value, 77);
}

/* ---- the width ----------------------------------------------------------- */

Test(page_read, extends_the_sign_of_a_fresh_48_bit_counter)
{
	/*
	 * After set_period: register = -left, offset = left, so the count is 0.
	 */
	model.raw[2] = UINT64_C(0x800000000001);
	page.offset = INT64_C(0x7fffffffffff);
	cr_assert_eq(read_value(48), 0);
	model.raw[2] += 12345;
	cr_assert_eq(read_value(48), 12345);
}

Test(page_read, extends_the_sign_of_a_fresh_40_bit_counter)
{
	model.raw[2] = UINT64_C(0x8000000001);
	page.offset = INT64_C(0x7fffffffff);
	cr_assert_eq(read_value(40), 0);
}

Test(page_read, extends_the_sign_of_a_fresh_32_bit_counter)
{
	model.raw[2] = UINT64_C(0x80000001);
	page.offset = INT64_C(0x7fffffff);
	cr_assert_eq(read_value(32), 0);
}

Test(page_read, takes_a_64_bit_register_as_it_is)
{
	model.raw[2] = UINT64_C(0x8000000000000001);
	page.offset = INT64_C(0x7fffffffffffffff);
	cr_assert_eq(read_value(64), 0);
	model.raw[2] = 5;
	page.offset = 0;
	cr_assert_eq(read_value(64), 5);
}

Test(page_read, extends_a_register_of_one_bit)
{
	model.raw[2] = 1;
	page.offset = 1;
	cr_assert_eq(read_value(1), 0);
}

Test(page_read, drops_the_junk_above_the_width)
{
	/* arm64 returns this for a 32-bit event counter. */
	model.raw[2] = UINT64_C(0xffffffff8000008d);
	page.offset = INT64_C(0x7fffffff);
	cr_assert_eq(read_value(32), 0x8c);
	model.raw[2] = UINT64_C(0x123456780000008d);
	page.offset = 0;
	cr_assert_eq(read_value(32), 0x8d);
}

Test(page_read, counts_on_through_an_overflow_of_the_register)
{
	/* The register overflows, and the interrupt has not been taken yet. */
	page.offset = INT64_C(0x7fffffff);
	model.raw[2] = UINT64_C(0xffffffff);
	cr_assert_eq(read_value(32), 0x7ffffffe);
	model.raw[2] = 3;
	cr_assert_eq(read_value(32), UINT64_C(0x80000002));
}

/* ---- the offset ---------------------------------------------------------- */

Test(page_read, wraps_in_64_bits_without_harm)
{
	uint64_t a, b;

	page.offset = INT64_MAX;
	model.raw[2] = 1;
	a = read_value(48);
	cr_assert_eq(a, UINT64_C(0x8000000000000000));
	page.offset = -1;
	model.raw[2] = 0;
	a = read_value(48);
	cr_assert_eq(a, UINT64_MAX);
	model.raw[2] = 10;
	b = read_value(48);
	cr_assert_eq(b - a, 10);
}

Test(page_read, takes_a_negative_offset)
{
	page.offset = INT64_MIN;
	model.raw[2] = UINT64_C(0x800000000000);
	cr_assert_eq(read_value(48), UINT64_C(0x7fff800000000000));
}

/* ---- the difference ------------------------------------------------------ */

Test(page_delta, is_the_plain_difference)
{
	bool repaired = true;

	cr_assert_eq(selfmon_page_delta(100, 350, 16, &repaired), 250);
	cr_assert_not(repaired);
	cr_assert_eq(selfmon_page_delta(100, 100, 16, &repaired), 0);
	cr_assert_not(repaired);
}

Test(page_delta, repairs_a_raw_prev_count_by_exactly_2_to_the_width)
{
	/* the page said 0xffffffff00000489, while 1161 was right (w = 32) */
	const uint64_t low = UINT64_C(0xffffffff00000489);
	bool repaired = false;

	cr_assert_eq(selfmon_page_delta(1000, low, 32, &repaired), 161);
	cr_assert(repaired);
	repaired = false;
	cr_assert_eq(selfmon_page_delta(5000, 5000 + 77 - (UINT64_C(1) << 48),
					16, &repaired), 77);
	cr_assert(repaired);
}

Test(page_delta, does_not_make_more_than_that_plausible)
{
	const uint64_t gone = UINT64_C(5) << 48;
	bool repaired;

	cr_assert_eq(selfmon_page_delta(gone, 0, 16, &repaired),
		     (uint64_t)-(INT64_C(4) << 48));
}

Test(page_delta, does_not_cut_a_long_delta_down_to_32_bits)
{
	bool repaired = true;

	cr_assert_eq(selfmon_page_delta(7, UINT64_C(0x500000009), 32,
					&repaired), UINT64_C(0x500000002));
	cr_assert_not(repaired);
}

Test(page_delta, never_repairs_64_bits)
{
	bool repaired = true;

	cr_assert_eq(selfmon_page_delta(10, 4, 0, &repaired),
		     (uint64_t)-INT64_C(6));
	cr_assert_not(repaired);
}

Test(page_delta, goes_through_the_wrap_of_64_bits)
{
	bool repaired = true;

	cr_assert_eq(selfmon_page_delta(UINT64_MAX - 4, 5, 16, &repaired), 10);
	cr_assert_not(repaired);
}

/* SPDX-License-Identifier: MIT */
/*
 * The scenes: the code that the parent single-steps, and the visits of the
 * signal handler that interrupts this code at each instruction.
 */
#include <stdio.h>

#include "store/process.h"
#include "step.h"

static sigjmp_buf back, past;
static struct selfmon_region *stepped, *other;
static struct selfmon_site fresh_site;
static char fresh_name[32];

/* ---- work of handlers -----------------------------------------------------
 */

static void visit_same(void)
{
	SELFMON_REGION_OF(stepped)
	{
	}
}

void step_visit_other(void)
{
	SELFMON_REGION_OF(other)
	{
	}
}

static void visit_nested(void)
{
	struct selfmon_frame span;

	SELFMON_REGION_OF(other)
	{
		selfmon_enter(other, &span);
		SELFMON_REGION_OF(stepped)
		{
			visit_same();
		}
		selfmon_leave(&span);
	}
}

/* Visits regions with one of 64 names, at new and at known nodes. */
static void visit_new(void)
{
	static unsigned int n;
	char name[32];

	snprintf(name, sizeof(name), "new %u", n++ % 64);
	SELFMON_REGION_OF(selfmon_region(name))
	{
		visit_same();
	}
}

static __attribute__((noinline)) void jump_back(void)
{
	SELFMON_REGION_OF(other)
	{
		siglongjmp(back, 1);
	}
}

/* Jumps out of a region of its own, and continues normally. */
static void visit_and_jump(void)
{
	SELFMON_REGION_OF(stepped)
	{
		if (!sigsetjmp(back, 0))
			jump_back();
	}
}

/*
 * Counts work for the interrupted region and for the handler's own region. The
 * result of selfmon_region_ticks() is not used.
 */
static void report_item(void)
{
	selfmon_region_ticks();
	selfmon_region_bytes(1);
	SELFMON_REGION_OF(stepped)
	{
		selfmon_region_bytes(3);
	}
}

const struct step_variant step_variants[] = {
	{ .name = "the same region", .visit = visit_same, .visits = 1 },
	{ .name = "another region", .visit = step_visit_other, .visits = 1 },
	{ .name = "nested regions", .visit = visit_nested, .visits = 4 },
	{ .name = "new regions", .visit = visit_new, .visits = 2 },
	{ .name = "a jump inside of the handler",
	  .visit = visit_and_jump,
	  .visits = 1,
	  .cut_off = 1 },
	{ .name = "work reported", .visit = report_item, .visits = 1, .bytes = 4 },
	{ .name = "on another stack",
	  .visit = visit_nested,
	  .visits = 4,
	  .other_stack = true },
	{ .name = "on a stack inside of the own",
	  .visit = visit_nested,
	  .visits = 4,
	  .other_stack = true,
	  .inner_stack = true },
	{ .name = "the same region, between two moves",
	  .visit = visit_same,
	  .visits = 1,
	  .moves = true },
	{ .name = "the same region, after the end of user reads",
	  .visit = visit_same,
	  .visits = 1,
	  .moves = true,
	  .ends = true },
};
const size_t step_variant_count =
	sizeof(step_variants) / sizeof(step_variants[0]);
_Static_assert(sizeof(step_variants) / sizeof(step_variants[0]) <=
		       STEP_VARIANTS_MAX,
	       "variants");

/* ---- stepped code ---------------------------------------------------------
 */

static void pair(void)
{
	SELFMON_REGION_OF(stepped)
	{
		step_work();
	}
}

/*
 * If the frame were not marked as left, a second leave would end another visit.
 */
static void expect_left(const struct selfmon_frame *frame)
{
	if (frame->open)
		step_wrong("a frame was not marked as closed");
}

static void span(void)
{
	struct selfmon_frame frame;

	selfmon_enter(stepped, &frame);
	step_work();
	selfmon_leave(&frame);
	expect_left(&frame);
}

static void pair_moved(void)
{
	SELFMON_REGION_OF(stepped)
	{
		stepped_pmu_move(&step_shared->pmu);
		step_work();
	}
}

static void twice_in_one_function(void)
{
	SELFMON_REGION_OF(stepped)
	{
		SELFMON_REGION_OF(other)
		{
			step_work();
		}
	}
}

static void new_region(void)
{
	static unsigned int n;

	snprintf(fresh_name, sizeof(fresh_name), "fresh %u", n++);
	fresh_site = (struct selfmon_site){ .name = fresh_name, .file = "" };
}

static void first_visit(void)
{
	SELFMON_REGION_OF((struct selfmon_region *)(void *)&fresh_site)
	{
	}
}

static void out_of_order(void)
{
	struct selfmon_frame a, b;

	selfmon_enter(stepped, &a);
	selfmon_enter(other, &b);
	step_work();
	selfmon_leave(&a);
	selfmon_leave(&b);
	expect_left(&a);
	expect_left(&b);
}

static __attribute__((noinline)) void jump_from(int depth)
{
	SELFMON_REGION_OF(other)
	{
		if (depth)
			jump_from(depth - 1);
		siglongjmp(past, 1);
	}
}

static __attribute__((noinline)) void leave_abandoned_entries(void)
{
	if (!sigsetjmp(past, 0))
		jump_from(2);
}

static void over_abandoned_entries(void)
{
	SELFMON_REGION_OF(stepped)
	{
		leave_abandoned_entries();
	}
}

/*
 * The frame of this function is large, so the abandoned entries have lower
 * marks than the regions of a handler. Entering these regions therefore drops
 * the entries, too.
 */
static __attribute__((noinline)) void leave_abandoned_entries_far_down(void)
{
	char between[1 << 16];

	__asm__ __volatile__("" : : "r"(between) : "memory");
	leave_abandoned_entries();
	__asm__ __volatile__("" : : "r"(between) : "memory");
}

static void over_abandoned_entries_far_down(void)
{
	SELFMON_REGION_OF(stepped)
	{
		leave_abandoned_entries_far_down();
	}
}

static void fill_depth(int depth)
{
	SELFMON_REGION_OF(stepped)
	{
		if (depth)
			fill_depth(depth - 1);
	}
}

static void deepen(void)
{
	fill_depth(2 * SELFMON_DEPTH_STEP);
}

static uint32_t slot_of(struct selfmon_region *region)
{
	return ((struct selfmon_site *)(void *)region)->id % SELFMON_CHILDREN;
}

/* Stores another node in the slot that the stepped region's node would use. */
static void take_slot(void)
{
	static struct selfmon_region *sharing;
	char name[32];
	unsigned int n;

	for (n = 0; !sharing || slot_of(sharing) != slot_of(stepped); n++) {
		snprintf(name, sizeof(name), "sharing %u", n);
		sharing = selfmon_region(name);
	}
	SELFMON_REGION_OF(sharing)
	{
	}
}

static void report_work(void)
{
	SELFMON_REGION_OF(stepped)
	{
		selfmon_region_bytes(10);
	}
}

const struct step_scene step_scenes[] = {
	{ .name = "a visit", .visit = pair, .visits = 1, .whole = true },
	{ .name = "a visit whose place is not in its slot",
	  .prepare = take_slot,
	  .visit = pair,
	  .visits = 2 },
	{ .name = "a visit and its work",
	  .visit = report_work,
	  .visits = 1,
	  .bytes = 10 },
	{ .name = "two of one function",
	  .visit = twice_in_one_function,
	  .visits = 2 },
	{ .name = "a region's first",
	  .prepare = new_region,
	  .visit = first_visit,
	  .visits = 1,
	  .many = true },
	{ .name = "spans out of order",
	  .visit = out_of_order,
	  .visits = 2,
	  .spans = true },
	{ .name = "after a jump",
	  .prepare = leave_abandoned_entries,
	  .visit = pair,
	  .visits = 1,
	  .cut_off = 3 },
	{ .name = "around a jump",
	  .visit = over_abandoned_entries,
	  .visits = 1,
	  .cut_off = 3 },
	{ .name = "after a jump from far down",
	  .prepare = leave_abandoned_entries_far_down,
	  .visit = pair,
	  .visits = 1,
	  .cut_off = 3,
	  .far = true },
	{ .name = "around a jump from far down",
	  .visit = over_abandoned_entries_far_down,
	  .visits = 1,
	  .cut_off = 3,
	  .far = true },
	{ .name = "deep",
	  .visit = deepen,
	  .visits = 2 * SELFMON_DEPTH_STEP + 1,
	  .many = true },
	{ .name = "a thread's first",
	  .visit = pair,
	  .visits = 1,
	  .cold = true,
	  .many = true },
	{ .name = "events by read(2)",
	  .counters = STEP_SYSCALL,
	  .visit = pair,
	  .visits = 1,
	  .works = 2 },
	{ .name = "events by read(2), spans out of order",
	  .counters = STEP_SYSCALL,
	  .visit = out_of_order,
	  .visits = 2,
	  .works = 3,
	  .spans = true },
	{ .name = "four counters",
	  .whole = true,
	  .counters = STEP_USER,
	  .members = 4,
	  .visit = pair,
	  .visits = 1,
	  .works = 2 },
	{ .name = "six counters",
	  .counters = STEP_USER,
	  .members = 6,
	  .visit = pair,
	  .visits = 1,
	  .works = 2 },
	{ .name = "four counters, two of one function",
	  .counters = STEP_USER,
	  .members = 4,
	  .visit = twice_in_one_function,
	  .visits = 2,
	  .works = 3 },
	{ .name = "four counters, a span",
	  .counters = STEP_USER,
	  .members = 4,
	  .visit = span,
	  .visits = 1,
	  .works = 2,
	  .spans = true },
	{ .name = "four counters, spans out of order",
	  .counters = STEP_USER,
	  .members = 4,
	  .visit = out_of_order,
	  .visits = 2,
	  .works = 3,
	  .spans = true },
	{ .name = "four counters, after a jump",
	  .whole = true,
	  .counters = STEP_USER,
	  .members = 4,
	  .prepare = leave_abandoned_entries,
	  .visit = pair,
	  .visits = 1,
	  .cut_off = 3,
	  .works = 2 },
	{ .name = "four counters that move in the visit",
	  .counters = STEP_USER,
	  .members = 4,
	  .visit = pair_moved,
	  .visits = 1,
	  .works = 2 },
	{ .name = "four counters that move in its start",
	  .counters = STEP_USER,
	  .members = 4,
	  .visit = pair,
	  .visits = 1,
	  .works = 2,
	  .moved_at = 2 },
	{ .name = "four counters that move in its end",
	  .counters = STEP_USER,
	  .members = 4,
	  .visit = pair,
	  .visits = 1,
	  .works = 2,
	  .moved_at = 6 },
};
const size_t step_scene_count = sizeof(step_scenes) / sizeof(step_scenes[0]);

void step_scenes_prepare(void)
{
	stepped = selfmon_region("stepped");
	other = selfmon_region("other");
}

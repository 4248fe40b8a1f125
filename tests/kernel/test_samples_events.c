/* SPDX-License-Identifier: MIT */
/*
 * Tests samples of page faults and of a breakpoint: the number of samples is
 * known. Also tests which events are refused.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "counters/breakpoints.h"
#include "kernel/samples_wanted.h"
#include "store/ring_state.h"
#include "store/self.h"

#define PAGES 1000

static uint64_t unread_bytes(void)
{
	const struct selfmon_ring *const ring =
		&selfmon_thread_self()->ring->ring;

	return selfmon_ring_head(ring) -
	       __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
}

static char *fresh_memory(void)
{
	const size_t size = PAGES * (size_t)sysconf(_SC_PAGESIZE);
	char *const memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(memory, MAP_FAILED);
	madvise(memory, size, MADV_NOHUGEPAGE);
	return memory;
}

static void touch(char *memory, int pages)
{
	const long size = sysconf(_SC_PAGESIZE);

	for (; pages > 0; pages--, memory += size)
		*(volatile char *)memory = 1;
}

/* A ring of 4 KiB has room for at most about 80 page faults. */
Test(samples, that_a_full_ring_left_out_are_counted_in_their_region)
{
	char *const memory = fresh_memory();
	struct selfmon_report *report;
	const struct selfmon_row *a;
	uint64_t stored;

	SKIP_IF_SANITIZED("deeper stacks, and page faults of its own");
	ask_for("page-faults,ring=4k,drain=border");
	SELFMON_REGION("a")
		touch(memory, PAGES - 1);
	/*
	 * The kernel reports the number of lost samples with the next sample.
	 */
	SELFMON_REGION("b")
		touch(memory + (PAGES - 1) * sysconf(_SC_PAGESIZE), 1);
	report = rows_take();
	a = ROWS_GET(report, "a");
	stored = counts_of(report, "a").samples;
	cr_expect_geq(stored, 20);
	cr_expect_lt(stored, 200);
	cr_expect_geq(a->samples, PAGES - 1);
	cr_expect_lt(a->samples, PAGES + 20);
	cr_expect(rows_say(report, SELFMON_JSON, ",\n    \"lost_more\": 0"));
	cr_expect(!rows_say(report, SELFMON_JSON,
			    "\"lost\": 0,\n    \"lost_more\""));
	selfmon_report_free(report);
}

/* The library's thread reads the samples in time, although no visit ends. */
Test(samples, of_one_long_visit_are_all_there)
{
	char *const memory = fresh_memory();
	struct selfmon_report *report;
	int i;

	ask_for("page-faults,ring=8k");
	SELFMON_REGION("a")
		for (i = 0; i < PAGES / 50; i++) {
			touch(memory + 50 * i * sysconf(_SC_PAGESIZE), 50);
			while (unread_bytes())
				usleep(1000);
		}
	report = rows_take();
	cr_expect_geq(counts_of(report, "a").samples, PAGES);
	if (!SANITIZED)
		cr_expect(rows_say(report, SELFMON_JSON,
				   "\"lost\": 0,\n    \"lost_more\": 0"));
	selfmon_report_free(report);
}

/*
 * The kernel takes a sample of each N faults. It chooses N by the rate of the
 * faults before, so a few milliseconds of faults may be without a sample.
 */
Test(samples, of_page_faults_may_have_a_frequency)
{
	char *const memory = fresh_memory();
	struct selfmon_report *report;
	int i;

	ask_for("page-faults@1000hz");
	SELFMON_REGION("a")
		for (i = 0; i < 50; i++) {
			touch(memory, PAGES);
			madvise(memory, PAGES * (size_t)sysconf(_SC_PAGESIZE),
				MADV_DONTNEED);
		}
	report = rows_take();
	cr_expect_gt(ROWS_GET(report, "a")->samples, 0);
	selfmon_report_free(report);
}

/* ---- addresses ----------------------------------------------------------- */

Test(samples, of_page_faults_have_the_address_that_was_touched)
{
	const uint64_t size = PAGES * (uint64_t)sysconf(_SC_PAGESIZE);
	struct selfmon_call_stack stack = { .size = sizeof(stack) };
	char *const memory = fresh_memory();
	const uint64_t begin = (uint64_t)(uintptr_t)memory;
	struct selfmon_report *report;
	uint64_t faults = 0;
	size_t i;

	ask_for("page-faults");
	SELFMON_REGION("a")
		touch(memory, 100);
	report = rows_take();
	for (i = 0; !selfmon_row_stack(report, 0, i, &stack); i++)
		if (stack.data >= begin && stack.data_end < begin + size)
			faults += stack.count;
	cr_expect_eq(faults, 100);
	selfmon_report_free(report);
}

static volatile uint64_t watched;

Test(samples, of_a_breakpoint_show_who_writes)
{
	char spec[SELFMON_EVENT_NAME_SIZE];
	struct selfmon_report *report;
	struct counts all = { 0 };
	int i;

	if (!selfmon_breakpoints_count())
		cr_skip_test("breakpoints count nothing in this virtual "
			     "machine");
	cr_assert_gt(selfmon_event_watch(spec, sizeof(spec),
					(void *)(uintptr_t)&watched,
					sizeof(watched), "w"), 0);
	ask_for(spec);
	SELFMON_REGION("a")
		for (i = 0; i < 20; i++)
			watched = (uint64_t)i;
	report = rows_take();
	all = counts_of(report, "a");
	cr_expect_eq(all.samples, 20);
	selfmon_report_free(report);
}

/* ---- refusals ------------------------------------------------------------ */

static void assert_refused(const char *sample, const char *why)
{
	struct selfmon_report *report;
	bool said = false;
	size_t i;

	ask_for(sample);
	visit_both();
	report = rows_take();
	for (i = 0; i < selfmon_report_note_count(report); i++)
		said |= strstr(selfmon_report_note(report, i), why) != NULL;
	cr_expect(said, "'%s' is not said of %s", why, sample);
	cr_expect(rows_say(report, SELFMON_JSON, "\"samples\": null"));
	selfmon_report_free(report);
}

Test(samples, of_too_short_a_period_are_refused)
{
	assert_refused("task-clock@199us", "at least 200us");
}

Test(samples, of_unknown_events_are_refused)
{
	assert_refused("bogus", "unknown event 'bogus'");
}

Test(samples, with_unknown_options_are_refused)
{
	assert_refused("task-clock,depth=3", "chain=N, ring=SIZE");
}

Test(samples, of_two_events_are_refused)
{
	assert_refused("@os", "one event can be sampled");
}

/* SPDX-License-Identifier: MIT */
/* Tests regions with software events: real counts of the running kernel. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "no_event.h"
#include "session/thread.h"
#include "store/process.h"
#include "rows.h"
#include "sanitizer.h"

#define PAGES 64

static void configure(const char *events)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
}

/* Touches fresh pages, each of which causes one fault. */
static void touch(size_t pages)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *map = mmap(NULL, pages * size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	cr_assert_neq((void *)(uintptr_t)map, MAP_FAILED);
	madvise((void *)(uintptr_t)map, pages * size, MADV_NOHUGEPAGE);
	SELFMON_REGION("touch")
	{
		for (i = 0; i < pages; i++)
			map[i * size] = 1;
	}
	munmap((void *)(uintptr_t)map, pages * size);
}

static void *touch_pages(void *unused)
{
	touch(PAGES);
	return unused;
}

/* No machine has NO_EVENT, so the first visit fails to open it. */
Test(region_counters, a_first_visit_leaves_errno_alone)
{
	configure("page-faults," NO_EVENT);
	errno = ERANGE;
	SELFMON_REGION("first")
	{
		cr_assert_eq(errno, ERANGE);
		errno = EDOM;
	}
	cr_assert_eq(errno, EDOM);
}

Test(region_counters, page_faults_of_touched_pages_are_exact)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	int i;

	SKIP_IF_SANITIZED("its shadow memory faults too");
	configure("page-faults");
	touch(1); /* maps the code's own pages */
	for (i = 0; i < 10; i++)
		touch(PAGES);
	report = rows_take();
	row = ROWS_GET(report, "touch");
	cr_assert_eq(row->counter[0].verdict, SELFMON_SYSCALL);
	cr_assert_eq(row->counter[0].visits, 11);
	cr_assert_eq(row->counter[0].max, PAGES);
	cr_assert_eq(row->counter[0].sum - 10 * PAGES, row->counter[0].min);
	selfmon_report_free(report);
}

Test(region_counters, an_event_that_cannot_be_opened_has_no_number)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;

	configure("page-faults," NO_EVENT ",task-clock");
	touch(PAGES);
	report = rows_take();
	row = ROWS_GET(report, "touch");
	cr_assert_str_eq(selfmon_report_column(report, 0), NO_EVENT);
	cr_assert_eq(row->counter[0].verdict, SELFMON_NOT_COUNTED);
	cr_assert_eq(row->counter[0].sum, 0);
	cr_assert_eq(row->counter[0].visits, 0);
	cr_assert_eq(row->counter[1].verdict, SELFMON_SYSCALL);
	cr_assert_eq(row->counter[2].verdict, SELFMON_SYSCALL);
	cr_assert_gt(row->counter[2].sum, 0);
	selfmon_report_free(report);
}

Test(region_counters, a_list_that_cannot_be_parsed_leaves_time)
{
	struct selfmon_report *report;

	configure("page-faults,cycels");
	touch(PAGES);
	report = rows_take();
	cr_assert_null(selfmon_report_column(report, 0));
	cr_assert_eq(ROWS_GET(report, "touch")->time.verdict, SELFMON_EXACT);
	cr_assert_eq(selfmon_process()->choice, SELFMON_CHOICE_FAILED);
	cr_assert_str_eq(selfmon_process()->failure.message,
			 "unknown event 'cycels' (did you mean 'cycles'?)");
	selfmon_report_free(report);
}

Test(region_counters, each_thread_counts_its_own)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	pthread_t thread[4];
	size_t i;

	SKIP_IF_SANITIZED("its shadow memory faults too");
	configure("page-faults");
	touch(1);
	for (i = 0; i < 4; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, touch_pages,
					    NULL), 0);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	report = rows_take();
	row = ROWS_GET(report, "touch");
	cr_assert_eq(row->counter[0].visits, 5);
	cr_assert_eq(row->counter[0].max, PAGES);
	cr_assert_eq(row->counter[0].sum - 4 * PAGES, row->counter[0].min);
	selfmon_report_free(report);
}

static size_t open_files(void)
{
	size_t count = 0;
	int fd;

	for (fd = 0; fd < 4096; fd++)
		count += dup2(fd, fd) == fd;
	return count;
}

Test(region_counters, a_thread_that_ends_gives_its_descriptors_back)
{
	pthread_t thread;
	size_t before;
	int i;

	configure("page-faults,task-clock,minor-faults,major-faults");
	touch(PAGES);
	before = open_files();
	for (i = 0; i < 100; i++) {
		cr_assert_eq(pthread_create(&thread, NULL, touch_pages, NULL),
			     0);
		pthread_join(thread, NULL);
	}
	cr_assert_eq(open_files(), before);
}

Test(region_counters, the_fence_may_be_asked_for)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_report *report;

	options.fence = true;
	options.events = "none";
	cr_assert_eq(selfmon_configure(&options), 0);
	touch(PAGES);
	report = rows_take();
	cr_assert_eq(ROWS_GET(report, "touch")->visits, 1);
	cr_assert(selfmon_thread_attach()->set->flags & SELFMON_IMPL_SET_FENCE);
	selfmon_report_free(report);
}

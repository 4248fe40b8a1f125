/* SPDX-License-Identifier: MIT */
/*
 * Tests exceptions and pthread_exit(3) out of nested regions in C++, and
 * regions in the destructors of thread-local objects.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <selfmon.h>

static void thrower(int depth)
{
	SELFMON_SCOPE("thrower");
	SELFMON_REGION("block")
	{
		if (depth == 0)
			throw 1;
		thrower(depth - 1);
	}
}

static void *exit_inside(void *unused)
{
	SELFMON_REGION("exiting")
	{
		pthread_exit(unused);
	}
	return unused;
}

/* ---- objects of a thread --------------------------------------------------- */

#define ENDS 20

static pthread_key_t early, late;
static thread_local int rounds;

/*
 * The object is made before the thread's first visit, and destroyed after all
 * later objects.
 */
static thread_local struct first_object {
	~first_object() { SELFMON_SCOPE("first object"); }
	bool touched = false;
} first;

static thread_local struct second_object {
	~second_object()
	{
		SELFMON_REGION("second object")
		{
			SELFMON_SCOPE("in second object");
		}
	}
	bool touched = false;
} second;

static void visit_early(void *)
{
	SELFMON_SCOPE("early key");
}

/* This destructor runs twice, each time after the library's own destructor. */
static void visit_late(void *left)
{
	SELFMON_SCOPE("late key");
	if (rounds++ == 0)
		pthread_setspecific(late, left);
}

static void *end_with_objects(void *by_exit)
{
	first.touched = true;
	pthread_setspecific(early, &early);
	SELFMON_REGION("with objects")
	{
		second.touched = true;
		pthread_setspecific(late, &late);
		if (by_exit)
			pthread_exit(nullptr);
	}
	return nullptr;
}

static bool end_threads()
{
	pthread_t thread;
	int i;

	for (i = 0; i < ENDS; i++)
		if (pthread_create(&thread, nullptr, end_with_objects,
				   i % 2 ? &early : nullptr) ||
		    pthread_join(thread, nullptr))
			return false;
	return true;
}

/* ---- visits that are counted --------------------------------------------- */

struct sums {
	unsigned long long visits, cut_off, open;
};

static bool is(const struct selfmon_report *report, const char *name,
	       struct sums wanted)
{
	struct sums sums = { 0, 0, 0 };
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++) {
		const struct selfmon_row *row = selfmon_report_row(report, i);

		if (strcmp(row->name, name) != 0)
			continue;
		sums.visits += row->visits;
		sums.cut_off += row->cut_off;
		sums.open += row->open;
	}
	if (!memcmp(&sums, &wanted, sizeof(sums)))
		return true;
	printf("throw: '%s' has %llu visits, %llu cut off, %llu open\n", name,
	       sums.visits, sums.cut_off, sums.open);
	return false;
}

int main()
{
	struct selfmon_report *report;
	bool right = true;
	pthread_t thread;
	int i;

	/*
	 * selfmon_thread_prepare() creates the library's key, between the other
	 * two keys.
	 */
	pthread_key_create(&early, visit_early);
	selfmon_thread_prepare();
	pthread_key_create(&late, visit_late);
	for (i = 0; i < 100; i++) {
		SELFMON_REGION("outer")
		{
			try {
				thrower(3);
			} catch (int) {
				SELFMON_SCOPE("caught");
			}
		}
	}
	if (pthread_create(&thread, nullptr, exit_inside, nullptr) ||
	    pthread_join(thread, nullptr) || !end_threads() ||
	    selfmon_report_take(&report))
		return 2;
	right &= is(report, "outer", { 100, 0, 0 });
	right &= is(report, "thrower", { 400, 0, 0 });
	right &= is(report, "block", { 400, 0, 0 });
	right &= is(report, "caught", { 100, 0, 0 });
	right &= is(report, "exiting", { 1, 0, 0 });
	right &= is(report, "with objects", { ENDS, 0, 0 });
	right &= is(report, "first object", { ENDS, 0, 0 });
	right &= is(report, "second object", { ENDS, 0, 0 });
	right &= is(report, "in second object", { ENDS, 0, 0 });
	right &= is(report, "early key", { ENDS, 0, 0 });
	right &= is(report, "late key", { 2 * ENDS, 0, 0 });
	selfmon_report_free(report);
	if (right)
		printf("throw: exceptions end the regions they pass; "
		       "destructors of a thread's objects may visit\n");
	return !right;
}

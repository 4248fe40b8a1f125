/* SPDX-License-Identifier: MIT */
/* Exceptions, and pthread_exit(3), out of nested regions in C++. */
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

struct sums {
	unsigned long long visits, cut_off, open;
};

static bool is(const struct selfmon_report *report, const char *name,
	       struct sums wanted)
{
	struct sums sums = { 0, 0, 0 };
	size_t i;

	for (i = 0; i < selfmon_report_rows(report); i++) {
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
	    pthread_join(thread, nullptr) || selfmon_report_take(&report))
		return 2;
	right &= is(report, "outer", { 100, 0, 0 });
	right &= is(report, "thrower", { 400, 0, 0 });
	right &= is(report, "block", { 400, 0, 0 });
	right &= is(report, "caught", { 100, 0, 0 });
	right &= is(report, "exiting", { 1, 0, 0 });
	selfmon_report_free(report);
	if (right)
		printf("throw: exceptions end the regions they pass\n");
	return !right;
}

/* SPDX-License-Identifier: MIT */
/*
 * Tests threads that end inside of regions and run cleanups: in C with
 * -fexceptions, and in C++. This file is compiled in both languages. Every
 * region must end exactly once, by pthread_exit(3) as well as by a
 * cancellation.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <selfmon.h>

#include "sanitized.h"

#ifdef __cplusplus
#define LANGUAGE "C++"
#else
#define LANGUAGE "C with -fexceptions"
#endif
#define NOINLINE __attribute__((noinline))

static struct selfmon_region *handle;
static bool exits; /* by pthread_exit(3); false: is cancelled */

static NOINLINE void end_thread(void)
{
	if (exits)
		pthread_exit(NULL);
	pthread_cancel(pthread_self());
	pthread_testcancel();
}

static NOINLINE void in_block(void)
{
	SELFMON_REGION("in_block")
	{
		end_thread();
	}
}

static NOINLINE void in_scope(void)
{
	SELFMON_SCOPE("in_scope");
	end_thread();
}

static NOINLINE void in_function(void)
{
	SELFMON_FUNCTION();
	end_thread();
}

static NOINLINE void in_tagged(void)
{
	SELFMON_BEGIN(tag, "in_tagged");
	end_thread();
	SELFMON_END(tag);
}

/* The visit has ended, so the cleanup must not end a visit. */
static NOINLINE void behind_tagged(void)
{
	SELFMON_BEGIN(tag, "behind_tagged");
	SELFMON_END(tag);
	end_thread();
}

static NOINLINE void in_handle(void)
{
	SELFMON_REGION_OF(handle)
	{
		end_thread();
	}
}

/* The unwinding leaves the outer region as well. */
static NOINLINE void in_nested(void)
{
	SELFMON_REGION("in_nested")
	{
		in_block();
	}
}

static const struct form {
	const char *name;
	void (*visit)(void);
} forms[] = {
	{ "in_block", in_block },	{ "in_scope", in_scope },
	{ "in_function", in_function }, { "in_tagged", in_tagged },
	{ "in_handle", in_handle },	{ "in_nested", in_nested },
	{ "behind_tagged", behind_tagged },
};

static void *visit(void *form)
{
	((const struct form *)form)->visit();
	return NULL;
}

/*
 * Returns true if this region has this number of visits at the top level, and
 * no visit of any region is cut off or open.
 */
static bool has_ended(const char *name, unsigned long long visits)
{
	unsigned long long counted = 0, cut_off = 0, open = 0;
	struct selfmon_report *report;
	size_t i;

	if (selfmon_report_take(&report))
		return false;
	for (i = 0; i < selfmon_report_row_count(report); i++) {
		const struct selfmon_row *row = selfmon_report_row(report, i);

		if (!strcmp(row->name, name) && row->parent < 0)
			counted += row->visits;
		cut_off += row->cut_off;
		open += row->open;
	}
	selfmon_report_free(report);
	if (counted == visits && cut_off == 0 && open == 0)
		return true;
	printf("throw: %s: %s, %s: %llu visits counted of %llu, %llu cut off, "
	       "%llu open\n", LANGUAGE, name, exits ? "exit" : "cancelled",
	       counted, visits, cut_off, open);
	return false;
}

static bool end_in(const struct form *form, unsigned long long visits)
{
	pthread_t thread;
	void *result;

	if (pthread_create(&thread, NULL, visit, (void *)(size_t)form) ||
	    pthread_join(thread, &result))
		return false;
	return result == (exits ? NULL : PTHREAD_CANCELED) &&
	       has_ended(form->name, visits);
}

int main(void)
{
	const size_t count = sizeof(forms) / sizeof(forms[0]);
	bool ended = true;
	size_t i;

	if (SANITIZED) {
		printf("throw: SKIPPED: a sanitizer treats the frames of a "
		       "cancelled thread as live\n");
		return 0;
	}
	handle = selfmon_region("in_handle");
	for (i = 0; i < count; i++) {
		exits = true;
		ended &= end_in(&forms[i], 1);
		exits = false;
		ended &= end_in(&forms[i], 2);
	}
	if (ended)
		printf("throw: %s: %zu forms of regions end by pthread_exit "
		       "and by cancellation\n", LANGUAGE, count);
	return !ended;
}

/* SPDX-License-Identifier: MIT */
/* Every form of region and some calls, in the common part of C11 and C++11. */
#include <errno.h>

#include <selfmon.h>

int uses(const char *name, int n);

static int only_return(void)
{
	SELFMON_FUNCTION();
	SELFMON_REGION("returns")
	{
		return selfmon_prepare();
	}
	return 0;
}

int uses(const char *name, int n)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_region *const handle = selfmon_region(name);
	struct selfmon_failure failure;
	struct selfmon_counters *set;
	struct selfmon_snapshot a, b;
	struct selfmon_delta delta;
	struct selfmon_async_span span;
	struct selfmon_frame frame;
	int i, got = only_return();

	SELFMON_BEGIN(all, "all");
	selfmon_async_begin(handle, &span);
	selfmon_enter(handle, &frame);
	selfmon_configure(&options);
	for (i = 0; i < n; i++) {
		SELFMON_SCOPE("turn");
		if (i == 2)
			SELFMON_REGION("two") continue;
		else
			SELFMON_REGION_OF(handle)
			{
				SELFMON_REGION("inner") got++;
				selfmon_region_bytes(8);
				selfmon_region_items(1);
			}
	}
	if (selfmon_counters_open("cycles", 0, &set, &failure) != -ENOSYS)
		return got;
	selfmon_counters_begin(set, &a);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	selfmon_leave(&frame);
	selfmon_async_bytes(&span, 8);
	selfmon_async_items(&span, 1);
	selfmon_async_end(&span);
	selfmon_frame_mark(name);
	SELFMON_END(all);
	return selfmon_report_print(SELFMON_TEXT, stdout) + got +
	       (int)selfmon_clock_ns(selfmon_clock(), delta.ticks) +
	       (int)selfmon_region_ticks() + selfmon_region_name(handle)[0];
}

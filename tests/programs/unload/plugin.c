/* SPDX-License-Identifier: MIT */
/*
 * A plugin with regions, linked with the static or the shared library. Only its
 * VERSION shows whether a newly built file was loaded.
 */
#include <stdio.h>

#include <selfmon.h>

#ifndef VERSION
#define VERSION 1
#endif

int work(void);

static struct selfmon_region *loaded;
static struct selfmon_frame life, afterlife;

__attribute__((constructor)) static void load(void)
{
	loaded = selfmon_region("plugin is loaded");
	selfmon_enter(loaded, &afterlife);
	selfmon_enter(loaded, &life);
}

/*
 * Visits a region when the plugin is unloaded, and ends a visit that began when
 * the plugin was loaded.
 */
__attribute__((destructor)) static void unload(void)
{
	SELFMON_REGION("unloading")
	{
		selfmon_leave(&life);
	}
}

/*
 * Runs after a static library has ended: nothing is measured, and nothing fails.
 * The shared library still measures.
 */
__attribute__((destructor(101))) static void too_late(void)
{
	struct selfmon_report *report;

	selfmon_leave(&afterlife);
	SELFMON_REGION("too late")
	{
	}
	SELFMON_REGION_OF(loaded)
	{
	}
	selfmon_region("named too late");
	if (!selfmon_report_take(&report))
		selfmon_report_free(report);
	selfmon_thread_prepare();
	selfmon_enable(true);
	SELFMON_REGION_OF(selfmon_region("enabled too late"))
	{
	}
}

int work(void)
{
	char name[32];

	SELFMON_REGION("in plugin")
	{
		snprintf(name, sizeof(name), "%s", "made in plugin");
		SELFMON_REGION_OF(selfmon_region(name))
		{
		}
	}
	return VERSION;
}

/* SPDX-License-Identifier: MIT */
/* Plugins that are loaded and unloaded, reports, and calls that are refused. */
#include <dlfcn.h>
#include <unistd.h>

#include <selfmon.h>

#include "soak.h"

/* ---- plugins ------------------------------------------------------------- */

const char *soak_plugin;

void *soak_load_and_unload(void *unused)
{
	void (*visit)(unsigned int);

	while (soak_goes_on()) {
		void *const plugin = dlopen(soak_plugin, RTLD_NOW | RTLD_LOCAL);

		if (!plugin)
			soak_fail("%s", dlerror());
		*(void **)&visit = dlsym(plugin, "plugin_visit");
		visit(SOAK_VISITS);
		soak_count(SOAK_PLUGIN, SOAK_VISITS);
		dlclose(plugin);
	}
	return unused;
}

/* ---- reports and errors -------------------------------------------------- */

void *soak_report(void *unused)
{
	struct selfmon_report *taken;

	while (soak_goes_on()) {
		if (selfmon_report_take(&taken))
			soak_fail("no report");
		soak_check_report(taken);
		selfmon_report_free(taken);
		usleep(20000);
	}
	return unused;
}

void *soak_fail_often(void *unused)
{
	static const char *const wrong[] = {
		"", "no-such-event", "cycles,,", "{cycles", "r", "cpu/=/",
	};
	struct selfmon_counters *set;
	struct selfmon_failure failure;
	struct selfmon_report *none;
	size_t i = 0;

	while (soak_goes_on()) {
		set = NULL;
		if (selfmon_counters_open("page-faults,task-clock", 0, &set,
					  &failure) > 0)
			selfmon_counters_close(set);
		set = NULL;
		if (selfmon_counters_open(wrong[i++ % 6], 0, &set, &failure) >=
		    0)
			selfmon_counters_close(set);
		if (!selfmon_report_open("/dev/null", &none, &failure) ||
		    !selfmon_report_open(soak_plugin, &none, NULL))
			soak_fail("a report of what is none");
		usleep(1000);
	}
	return unused;
}

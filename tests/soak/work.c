/* SPDX-License-Identifier: MIT */
/* What goes on at the same time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <selfmon.h>

#include "sanitized.h"
#include "soak.h"

#define VISITS 50
#define THREADS 4

/* ---- threads that come and go -------------------------------------------- */

static void *short_thread(void *unused)
{
	int i;

	for (i = 0; i < VISITS; i++) {
		SELFMON_REGION("short")
		{
			SELFMON_REGION("nested")
			{
			}
		}
	}
	soak_count(SOAK_SHORT, VISITS);
	soak_count(SOAK_NESTED, VISITS);
	return unused;
}

static void *come_and_go(void *unused)
{
	pthread_t thread[THREADS];
	int i;

	while (soak_goes_on()) {
		for (i = 0; i < THREADS; i++)
			if (pthread_create(&thread[i], NULL, short_thread,
					   NULL))
				soak_fail("no more threads");
		for (i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
	}
	return unused;
}

/* ---- jumps --------------------------------------------------------------- */

static __thread jmp_buf out;

/* Lower on the stack than what is entered after it. */
static __attribute__((noinline)) void jump(void)
{
	volatile char apart[512];

	apart[0] = 0;
	(void)apart[0];
	SELFMON_REGION("jumped")
	{
		longjmp(out, 1);
	}
}

static __attribute__((noinline)) void jump_once(void)
{
	if (!setjmp(out))
		jump();
}

static void *jump_about(void *unused)
{
	while (soak_goes_on()) {
		jump_once();
		soak_count(SOAK_JUMPED, 1);
	}
	return unused;
}

/* ---- signals ------------------------------------------------------------- */

void soak_handle(int number)
{
	(void)number;
	SELFMON_REGION("signal")
	{
	}
	soak_count(SOAK_SIGNAL, 1);
}

/* To a thread that is in regions all the time, and outlives the signals. */
static void *interrupted(void *over)
{
	while (!__atomic_load_n((bool *)over, __ATOMIC_ACQUIRE))
		short_thread(NULL);
	return NULL;
}

static void *interrupt(void *unused)
{
	static bool over;
	pthread_t thread;

	over = false;
	if (pthread_create(&thread, NULL, interrupted, &over))
		soak_fail("no more threads");
	while (soak_goes_on()) {
		pthread_kill(thread, SIGUSR1);
		usleep(100);
	}
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	return unused;
}

/* ---- children ------------------------------------------------------------ */

/*
 * Its own work alone, whatever its parent's threads were at. A report is made
 * of memory, and a sanitizer's allocator leaves a child the locks that those
 * threads held.
 */
static void child(void)
{
	struct selfmon_report *report;
	uint64_t visits = 0;
	size_t i;

	alarm(300); /* in place of waiting for ever */
	short_thread(NULL);
	if (SANITIZED)
		_exit(0);
	if (selfmon_report_take(&report))
		_exit(1);
	for (i = 0; i < selfmon_report_rows(report); i++)
		visits += selfmon_report_row(report, i)->visits;
	_exit(visits == 2 * VISITS ? 0 : 2);
}

static void *fork_children(void *unused)
{
	int status;
	pid_t pid;

	while (soak_goes_on()) {
		SELFMON_REGION("forked")
		{
			pid = fork();
			if (pid == 0)
				child();
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			soak_fail("a child ended with %#x",
				  (unsigned int)status);
	}
	return unused;
}

/* ---- plugins ------------------------------------------------------------- */

const char *soak_plugin;

/*
 * Not where races are looked for: the loader's own maps are not seen there, and
 * a module's variable is taken for what was mapped at its address before.
 */
static void *load_and_unload(void *unused)
{
	void (*visit)(unsigned int);

	while (soak_goes_on() && !SANITIZED_THREADS) {
		void *const plugin = dlopen(soak_plugin, RTLD_NOW | RTLD_LOCAL);

		if (!plugin)
			soak_fail("%s", dlerror());
		*(void **)&visit = dlsym(plugin, "plugin_visit");
		visit(VISITS);
		soak_count(SOAK_PLUGIN, VISITS);
		dlclose(plugin);
	}
	return unused;
}

/* ---- reports and errors -------------------------------------------------- */

static void *report(void *unused)
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

static void *fail_often(void *unused)
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

/*
 * Names made at run time, again and again. Each thread's state comes to have
 * places for all of them, as it goes from thread to thread.
 */
#define NAMES 40

static void *name_many(void *unused)
{
	unsigned int n = 0;
	char name[32];

	while (soak_goes_on()) {
		snprintf(name, sizeof(name), "many %u", n++ % NAMES);
		SELFMON_REGION_OF(selfmon_region(name))
		{
		}
		soak_count(SOAK_MANY, 1);
	}
	return unused;
}

soak_worker *const soak_workers[] = {
	come_and_go, jump_about, interrupt,  fork_children,
	load_and_unload, report, fail_often, name_many,
};
const unsigned int soak_worker_count =
	sizeof(soak_workers) / sizeof(soak_workers[0]);

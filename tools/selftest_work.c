/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "selftest_work.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/kernel.h"
#include "selftest_interrupts.h"
#include "selftest_row.h"

uint64_t selftest_now_ns(void)
{
	return selfmon_kernel_monotonic_ns();
}

struct selftest_timer selftest_timer(const struct selftest_case *from,
				     unsigned int share)
{
	return (struct selftest_timer){ selftest_now_ns() +
					from->budget_ns / 1000 * share };
}

bool selftest_is_over(const struct selftest_timer *timer)
{
	return selftest_now_ns() >= timer->end_ns;
}

bool selftest_pin(int cpu)
{
	cpu_set_t cpus;

	if (cpu < 0)
		cpu = sched_getcpu();
	CPU_ZERO(&cpus);
	CPU_SET((size_t)cpu, &cpus);
	return cpu >= 0 && !sched_setaffinity(0, sizeof(cpus), &cpus);
}

uint64_t selftest_causes(void)
{
	FILE *const file = fopen("/proc/interrupts", "re");
	struct rusage usage;
	uint64_t sum = 0;

	if (file) {
		sum = selftest_interrupts(file, sched_getcpu());
		fclose(file);
	}
	if (!getrusage(RUSAGE_THREAD, &usage))
		sum += (uint64_t)(usage.ru_minflt + usage.ru_majflt +
				  usage.ru_nvcsw + usage.ru_nivcsw);
	return sum;
}

/*
 * Returns true if at least as many events were opened as `spec` names. With
 * several core types, a name opens an event for each type.
 */
static bool all_count(const char *spec, int count)
{
	int events = 1;

	for (; *spec; spec++)
		events += *spec == ',';
	return count >= events;
}

/*
 * Writes `EVENT: cause`. The remedy is left out, since selfmon doctor prints
 * it.
 */
static void explain(const struct selfmon_failure *failure, const char *spec,
		    char *text, size_t size)
{
	char *end;

	if (!failure->error) {
		snprintf(text, size, "%s: not counted on this CPU", spec);
		return;
	}
	selfmon_explain(failure, text, size);
	end = strstr(text, ". ");
	if (end)
		*end = '\0';
}

bool selftest_open(const char *spec, unsigned int flags,
		   struct selfmon_counters **set, struct selftest_row *row)
{
	const char *const guard = getenv("SELFMON_GUARD");
	struct selfmon_failure failure;
	char text[256];
	int count;

	if (guard && !strcmp(guard, "1"))
		flags |= SELFMON_COUNTERS_GUARD;
	count = selfmon_counters_open(spec, flags, set, &failure);
	if (all_count(spec, count))
		return true;
	explain(&failure, spec, text, sizeof(text));
	if (count >= 0)
		selfmon_counters_close(*set);
	if (failure.error == EBUSY)
		selftest_busy(row, "%s", text);
	else
		selftest_absent(row, "%s", text);
	return false;
}

const char *selftest_four_events(void)
{
	static const char *const specs[] = {
		"cycles,instructions,branch-misses,cache-misses",
		"cycles,instructions,instructions,instructions",
	};
	struct selfmon_counters *set;
	size_t i;

	for (i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		const int count = selfmon_counters_open(
			specs[i], SELFMON_COUNTERS_STRICT, &set, NULL);

		selfmon_counters_close(set);
		if (count > 0)
			return specs[i];
	}
	return NULL;
}

void selftest_explain(const struct selfmon_failure *failure,
		      struct selftest_row *row)
{
	char text[256];

	explain(failure, failure->event, text, sizeof(text));
	selftest_absent(row, "%s", text);
}

bool selftest_configure(const char *events, struct selftest_row *row)
{
	return selftest_configure_sampling(events, NULL, row);
}

bool selftest_configure_sampling(const char *events, const char *sample,
				 struct selftest_row *row)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	int error;

	options.events = events;
	options.output = NULL;
	options.sample = sample;
	error = selfmon_configure(&options);
	if (error)
		selftest_absent(row, "regions: %s", strerror(-error));
	return !error;
}

const struct selfmon_quantity *
selftest_instructions(const struct selfmon_report *report,
		      const struct selfmon_row *of, struct selftest_row *row)
{
	const char *name;
	size_t i;

	for (i = 0; of && (name = selfmon_report_column(report, i)); i++)
		if (strstr(name, "instructions") &&
		    of->counter[i].verdict != SELFMON_NOT_COUNTED)
			return &of->counter[i];
	selftest_busy(row, "regions have no count of instructions");
	return NULL;
}

SELFTEST_NOINLINE void selftest_visit(struct selfmon_counters *set, uint64_t n,
				      struct selfmon_delta *delta)
{
	struct selfmon_snapshot a, b;

	selfmon_counters_begin(set, &a);
	selftest_loop(n);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, delta);
}

SELFTEST_NOINLINE void selftest_visit_region(struct selfmon_region *region,
					     uint64_t n)
{
	SELFTEST_KEPT(left) = n;

	SELFMON_REGION_OF(region)
		SELFTEST_LOOP(left);
}

struct selftest_sample selftest_sample(const struct selfmon_counters *set,
				       const struct selfmon_delta *delta)
{
	struct selftest_sample sample = { delta->value[0].count,
					  delta->value[0].verdict, delta->flags,
					  delta->moved };
	size_t i;

	if (!(set->flags & SELFMON_IMPL_SET_CORES))
		return sample;
	for (i = 1; i < set->count; i++) {
		sample.count += delta->value[i].count;
		if (delta->value[i].verdict == SELFMON_NOT_COUNTED)
			sample.verdict = SELFMON_NOT_COUNTED;
	}
	return sample;
}

bool selftest_is_counted(const struct selftest_sample *sample)
{
	return sample->verdict == SELFMON_EXACT ||
	       sample->verdict == SELFMON_SYSCALL;
}

uint64_t selftest_constant(struct selfmon_counters *set, int visits)
{
	uint64_t least = UINT64_MAX;
	struct selfmon_delta delta;

	while (visits-- > 0) {
		struct selftest_sample sample;

		selftest_visit(set, 1, &delta);
		sample = selftest_sample(set, &delta);
		if (selftest_is_counted(&sample) && sample.count - 2 < least)
			least = sample.count - 2;
	}
	return least;
}

struct selftest_counts selftest_visits(struct selfmon_counters *set,
				       const struct selftest_case *from,
				       uint64_t size, uint64_t constant,
				       size_t visits, unsigned int share)
{
	struct selftest_counts to = { .size = size,
				      .expected = size + constant,
				      .hypervisor = from->hypervisor };
	const struct selftest_timer timer = selftest_timer(from, share);
	struct selfmon_delta delta;
	uint64_t began;

	to.sample = calloc(visits, sizeof(*to.sample));
	to.causes = selftest_causes();
	began = selftest_now_ns();
	while (to.sample && to.count < visits && !selftest_is_over(&timer)) {
		selftest_visit(set, size / 2, &delta);
		to.sample[to.count++] = selftest_sample(set, &delta);
	}
	to.ns = selftest_now_ns() - began;
	to.causes = selftest_causes() - to.causes;
	return to;
}

void selftest_visits_free(struct selftest_counts *counts)
{
	free(counts->sample);
	counts->sample = NULL;
}

pid_t selftest_spinner(void)
{
	const pid_t parent = getpid();
	const pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		selftest_loop(1 << 20);
	_exit(1);
}

void selftest_end(pid_t pid)
{
	if (pid > 0 && !kill(pid, SIGKILL))
		waitpid(pid, NULL, 0);
}

/* SPDX-License-Identifier: MIT */
/*
 * Tests a live file after each instruction of visits, or in long scenes after
 * some instructions: see stride(). The child is stepped by ptrace(2). Whenever
 * it is stopped, its file is the same as if SIGKILL had ended it there.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "form.h"
#include "store/process.h"
#include "store/self.h"
#include "rows.h"
#include "sanitizer.h"
#include "stepped_pmu.h"

/*
 * Counts of the child's visits in shared memory: begun is incremented before
 * each visit, and ended after each visit that no jump left.
 */
struct outcome {
	uint64_t begun, ended;
	bool stepped, done;
	bool cannot; /* the events cannot be used here */
	struct stepped_pmu pmu;
};

/*
 * Any four events, which give the thread four columns. The simulated PMU of
 * stepped_pmu.h then replaces the events.
 */
#define MODEL "page-faults,task-clock,minor-faults,context-switches"
#define MODEL_MEMBERS 4

static char path[64];
static struct outcome *outcome;

static void setup(void)
{
	snprintf(path, sizeof(path), "/dev/shm/selfmon-step-%d", getpid());
	outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(outcome, MAP_FAILED);
#if !defined(__x86_64__)
	cr_skip_test("stepped on x86-64 alone: elsewhere an atomic operation "
		     "is a loop that no step gets out of, or nothing steps");
#endif
	setenv("SELFMON_OUTPUT", "none", 1);
	setenv("SELFMON_LIVE", path, 1);
}

static void teardown(void)
{
	unlink(path);
}

TestSuite(live_step, .init = setup, .fini = teardown, .timeout = 900);

/* ---- the child ----------------------------------------------------------- */

#define VISIT(once, name)                                                      \
	for (int once = (outcome->begun++, 1); once; once = (outcome->ended++, 0))   \
		SELFMON_REGION(name)

static __attribute__((noinline)) void nested(void)
{
	VISIT(once_1, "outer")
	{
		VISIT(once_2, "inner")
		{
		}
		VISIT(once_3, "inner too")
		{
		}
	}
}

/*
 * Two visits inside of a third count events. "outer" and "inner too" begin and
 * end with different registers.
 */
static void nested_counted(void)
{
	VISIT(once_6, "outer")
	{
		VISIT(once_7, "inner")
		{
			stepped_pmu_count(&outcome->pmu, 10);
		}
		VISIT(once_8, "inner too")
		{
			stepped_pmu_move(&outcome->pmu);
			stepped_pmu_count(&outcome->pmu, 20);
		}
	}
}

static jmp_buf out;

/*
 * Jumps out of a frame that is lower on the stack than the frames of later
 * regions.
 */
static __attribute__((noinline)) void jump(void)
{
	volatile char apart[512];

	apart[0] = 0;
	(void)apart[0];
	VISIT(once_4, "jumped")
	{
		longjmp(out, 1);
	}
}

static void cut_off(void)
{
	VISIT(once_5, "around")
	{
		if (!setjmp(out))
			jump();
		nested();
	}
}

static void out_of_order(void)
{
	struct selfmon_frame a, b;

	outcome->begun++;
	selfmon_enter(selfmon_region("a"), &a);
	outcome->begun++;
	selfmon_enter(selfmon_region("b"), &b);
	selfmon_leave(&a);
	outcome->ended++;
	selfmon_leave(&b);
	outcome->ended++;
}

/*
 * A stepped visit takes longer than all earlier visits, so leave would take the
 * path of a longest visit. Sets the longest visit of every node to a long time,
 * so that leave takes its usual path.
 */
static void make_usual(void)
{
	struct selfmon_node *node = selfmon_thread_self()->root;

	for (; node; node = node->next) {
		node->stats->unusual = SELFMON_TICKS_LONG;
		node->stats->ticks.max = SELFMON_TICKS_LONG;
	}
}

/*
 * Replaces the events, which are read by read(2), by the events of the
 * simulated PMU, which are read in user space.
 */
static void take_model(void)
{
	const struct selfmon_thread *thread;

	selfmon_prepare();
	thread = selfmon_thread_self();
	outcome->cannot = !thread->set || thread->set->count != MODEL_MEMBERS;
	if (outcome->cannot)
		_exit(1);
	stepped_pmu_attach(&outcome->pmu, MODEL_MEMBERS);
	if (thread->mode != SELFMON_MODE_USER)
		_exit(2);
}

static void play(const char *events, void (*what)(void), bool warm)
{
	setenv("SELFMON_EVENTS", events, 1);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	if (what == nested_counted)
		take_model();
	if (warm) {
		what();
		what();
		make_usual();
	}
	raise(SIGSTOP);
	selfmon_store_once(&outcome->stepped, true);
	what();
	what();
	selfmon_store_once(&outcome->stepped, false);
	selfmon_store_once(&outcome->done, true);
	for (;;)
		pause();
}

/* ---- parent -------------------------------------------------------------- */

static void check_counters(const struct selfmon_row *row)
{
	size_t i;

	for (i = 0; i < MODEL_MEMBERS; i++) {
		const struct selfmon_quantity *const count = &row->counter[i];

		cr_assert_leq(count->visits * count->min, count->sum);
		cr_assert_geq(count->visits * count->max, count->sum);
		cr_assert_leq(count->visits, row->visits);
	}
}

/*
 * Expects all visits that have ended, and none that has not begun. If must_be
 * is false, the file may be unreadable until a visit has ended.
 */
static void check(bool must_be)
{
	struct selfmon_report *report;
	struct selfmon_failure failure;
	uint64_t visits = 0, open = 0, cut = 0;
	size_t i;

	if (selfmon_report_open(path, &report, &failure)) {
		cr_assert(!must_be && !outcome->ended, "%s", failure.message);
		return;
	}
	rows_check(report);
	for (i = 0; i < selfmon_report_row_count(report); i++) {
		const struct selfmon_row *const row =
			selfmon_report_row(report, i);

		check_counters(row);
		visits += row->visits;
		open += row->open;
		cut += row->cut_off;
	}
	cr_assert(visits >= outcome->ended && visits + cut <= outcome->begun &&
			  (visits + open + cut <= outcome->begun),
		  "%llu visits, %llu open, %llu cut off; %llu to %llu",
		  (unsigned long long)visits, (unsigned long long)open,
		  (unsigned long long)cut, (unsigned long long)outcome->ended,
		  (unsigned long long)outcome->begun);
	selfmon_report_free(report);
}

/*
 * Continues the child until it stops with the signal `wanted`. At a read of a
 * counter the child stops with SIGSEGV instead. Emulates this read, which
 * counts as one step.
 */
static void go(enum __ptrace_request request, pid_t child, int wanted)
{
	int status;

	cr_assert_eq(ptrace(request, child, NULL, NULL), 0);
	cr_assert_eq(waitpid(child, &status, 0), child);
	if (outcome->cannot)
		cr_skip_test("the kernel counts no events here");
	cr_assert(WIFSTOPPED(status), "status %#x", (unsigned int)status);
	if (WSTOPSIG(status) == wanted)
		return;
	cr_assert(WSTOPSIG(status) == SIGSEGV &&
			  stepped_pmu_answer(&outcome->pmu, child),
		  "signal %d", WSTOPSIG(status));
	if (request == PTRACE_CONT)
		go(request, child, wanted);
}

static void step(pid_t child)
{
	go(PTRACE_SINGLESTEP, child, SIGTRAP);
}

static uint64_t step_through(pid_t child, int stride, bool warm)
{
	uint64_t steps = 0;

	go(PTRACE_CONT, child, SIGSTOP);
	for (;;) {
		step(child);
		if (outcome->done)
			return steps;
		if (outcome->stepped && steps++ % (unsigned int)stride == 0)
			check(warm);
	}
}

static void run(const char *events, void (*what)(void), bool warm, int stride)
{
	uint64_t steps;
	int status;
	pid_t child;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	memset(outcome, 0, sizeof(*outcome));
	child = fork();
	if (child == 0)
		play(events, what, warm);
	cr_assert_eq(waitpid(child, &status, 0), child);
	if (!WIFSTOPPED(status))
		cr_skip_test("this process may not trace its children");
	steps = step_through(child, stride, warm);
	check(true);
	cr_assert_gt(steps, 150);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
}

Test(live_step, at_each_instruction_of_visits)
{
	run("none", nested, true, 1);
}

/*
 * Distance between checks, in instructions, for scenes that are longer than
 * nested() with time alone. Only `make check` skips instructions here. First
 * visits use another distance: they are so long that no form of the tests
 * (form.h) checks each of their instructions.
 */
static int stride(void)
{
	return quick_or_all(17, 1);
}

Test(live_step, at_each_instruction_with_counters)
{
	run("page-faults,task-clock", nested, true, stride());
}

Test(live_step, at_each_instruction_with_counters_read_in_user_space)
{
	run(MODEL, nested_counted, true, stride());
}

Test(live_step, at_each_instruction_after_a_longjmp)
{
	run("none", cut_off, true, stride());
}

Test(live_step, at_each_instruction_of_spans_out_of_order)
{
	run("none", out_of_order, true, stride());
}

Test(live_step, at_instructions_of_a_processs_first_visits)
{
	run("none", nested, false, by_form(1009, 101, 3));
}

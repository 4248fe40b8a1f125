/* SPDX-License-Identifier: MIT */
/*
 * Tests the slowest visits in a live file after each instruction that records a
 * visit (in the quick form after some instructions). A stopped process has the
 * same file as a process killed by SIGKILL at that instruction.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <signal.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "form.h"
#include "kernel/slow.h"
#include "sanitizer.h"

/*
 * Written by the child. stepped: the child is in a leave that the test checks
 * after each step. done: the child has left its last visit.
 */
static struct outcome {
	bool stepped, done;
} *outcome;

static char path[64];

static void setup(void)
{
	snprintf(path, sizeof(path), "/dev/shm/selfmon-slowest-step-%d",
		 (int)getpid());
	outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(outcome, MAP_FAILED);
#if !defined(__x86_64__)
	cr_skip_test("stepped on x86-64 alone: elsewhere an atomic operation "
		     "is a loop that no step gets out of, or nothing steps");
#endif
}

static void teardown(void)
{
	unlink(path);
}

TestSuite(slowest_step, .init = setup, .fini = teardown, .timeout = 900);

static void visit_a(uint64_t ns, bool stepped)
{
	struct selfmon_frame frame;

	selfmon_enter(selfmon_region("a"), &frame);
	visit("b", ns);
	selfmon_store_once(&outcome->stepped, stepped);
	selfmon_leave(&frame);
	selfmon_store_once(&outcome->stepped, false);
}

/*
 * Fills the slots of the slowest visits of "a". The last two visits are
 * stepped, so they are slower: each step takes microseconds. The first stepped
 * visit is written to an unused slot. The second stepped visit replaces a visit
 * that is no longer one of the slowest.
 */
static _Noreturn void play(void)
{
	struct selfmon_options options = slow_options("none");
	size_t i;

	options.live = path;
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	if (selfmon_configure(&options))
		_exit(1);
	for (i = 0; i < SELFMON_SLOW_VISITS; i++)
		visit_a(1000 * i, false);
	raise(SIGSTOP);
	for (i = 0; i < 2; i++)
		visit_a(1000 * SELFMON_SLOW_VISITS, true);
	selfmon_store_once(&outcome->done, true);
	for (;;)
		pause();
}

static void go(enum __ptrace_request request, pid_t child, int wanted)
{
	int status;

	cr_assert_eq(ptrace(request, child, NULL, NULL), 0);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFSTOPPED(status) && WSTOPSIG(status) == wanted,
		  "status %#x", (unsigned int)status);
}

/*
 * Returns true if the child is about to execute an instruction of the vDSO,
 * which changes no memory of the library. If a timer interrupt updates the
 * clock while the vDSO reads it, the vDSO reads it again. A check after each of
 * these instructions would take longer than a timer tick, so the child would
 * read the clock forever.
 */
static bool is_in_vdso(pid_t child)
{
#if defined(__x86_64__)
	const uintptr_t base = getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *const header = (const ElfW(Ehdr) *)base;
	const ElfW(Phdr) *segment;
	uintptr_t at;
	size_t i;

	if (!base)
		return false; /* a kernel without a vDSO */
	at = (uintptr_t)ptrace(PTRACE_PEEKUSER, child,
			       offsetof(struct user, regs.rip), NULL);
	segment = (const ElfW(Phdr) *)(base + header->e_phoff);
	for (i = 0; i < header->e_phnum; i++)
		if (segment[i].p_type == PT_LOAD)
			return at - base < segment[i].p_memsz;
#else
	(void)child; /* setup() skips the test */
#endif
	return false;
}

static uint64_t check(pid_t child)
{
	struct selfmon_report *report;
	const struct selfmon_slow *visit = NULL;
	uint64_t visits;
	size_t i, k;

	cr_assert_eq(selfmon_report_open(path, &report, NULL), 0);
	visits = ROWS_GET(report, "a")->visits;
	cr_assert_eq(kept(report, "a", &visit), SELFMON_SLOW_VISITS);
	for (i = 0; i < SELFMON_SLOW_VISITS; i++) {
		cr_assert_eq(visit[i].tid, (uint32_t)child);
		cr_assert_eq(visit[i].inner, 1);
		cr_assert_eq(visit[i].parts, 1);
		cr_assert_str_eq(visit[i].part[0].region, "b");
		cr_assert_leq(visit[i].part[0].ns, visit[i].ns + 1);
		for (k = 0; k < i; k++)
			cr_assert_neq(visit[i].begin_ns, visit[k].begin_ns);
	}
	selfmon_report_free(report);
	return visits;
}

static uint64_t slowest_begin(void)
{
	struct selfmon_report *report;
	uint64_t begin;

	cr_assert_eq(selfmon_report_open(path, &report, NULL), 0);
	begin = slowest(report, "a")->begin_ns;
	selfmon_report_free(report);
	return begin;
}

Test(slowest_step, at_each_instruction_of_keeping_a_visit)
{
	const uint64_t stride = (uint64_t)quick_or_all(23, 1);
	uint64_t steps = 0, before;
	int status;
	pid_t child;

	SKIP_IF_SANITIZED("it makes too many steps of one");
	child = fork();
	if (child == 0)
		play();
	cr_assert_eq(waitpid(child, &status, 0), child);
	if (!WIFSTOPPED(status))
		cr_skip_test("this process may not trace its children");
	go(PTRACE_CONT, child, SIGSTOP);
	before = slowest_begin();
	while (!outcome->done) {
		go(PTRACE_SINGLESTEP, child, SIGTRAP);
		if (!outcome->stepped || is_in_vdso(child))
			continue;
		if (steps++ % stride == 0)
			check(child);
	}
	cr_log_info("%lu steps", (unsigned long)steps);
	cr_expect_eq(check(child), SELFMON_SLOW_VISITS + 2);
	cr_expect_gt(slowest_begin(), before);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
}

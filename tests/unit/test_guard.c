/* SPDX-License-Identifier: MIT */
/*
 * Tests the guard with the real machine code and real faults. The counters do
 * not exist, or the program may not read them.
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counters/guard.h"
#include "counters/page_cache.h"
#include "counters/set.h"
#include "platform/fault_step.h"

#if defined(__x86_64__)
#define INDEX(k) (((UINT32_C(1) << 28) | (k)) + 1)
#else
#define INDEX(k) (4 + (k)) /* on riscv64 anyone may read counters 0 and 2 */
#endif

static struct selfmon_page page[3];
static struct selfmon_set set;
static uint32_t cpu;

static void let_pass(int signo)
{
	_exit(signo == SELFMON_FAULT_SIGNAL ? 77 : 1);
}

static void setup(void)
{
	unsigned int k;

	if (!SELFMON_FAULT_SIGNAL)
		cr_skip_test("nothing is read in user space here");
	memset(&set, 0, sizeof(set));
	for (k = 0; k < 3; k++) {
		page[k] = (struct selfmon_page){
			.lock = 4,
			.index = INDEX(k),
			.pmc_width = 48,
			.capabilities = SELFMON_PAGE_CAP_USER_RDPMC,
		};
		set.head.page[k] = set.member[k].page = &page[k];
		set.head.shift[k] = 16;
	}
	set.head.owner = selfmon_arch_thread_pointer();
	set.head.cpu = &cpu;
	set.head.hardware_count = set.head.count = 3;
	set.head.max_per_tick = 16;
	signal(SELFMON_FAULT_SIGNAL, let_pass);
	cr_assert_eq(selfmon_guard_install(), 0);
}

TestSuite(guard, .init = setup);

/*
 * Makes the next group read(2) return first, first + 1 and first + 2, and a
 * time of 1 us.
 */
static void serve(uint64_t first)
{
	const uint64_t answer[] = { 3,	       1000, 1000,      first, 0,
				    first + 1, 0,    first + 2, 0 };
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], answer, sizeof(answer)),
		     (ssize_t)sizeof(answer));
	set.member[0].fd_plus_1 = ends[0] + 1;
}

static void assert_taken(const struct selfmon_snapshot *at)
{
	cr_assert_eq(at->flags, SELFMON_SNAPSHOT_SLOW);
	cr_assert_eq(at->value[0], 500);
	cr_assert_eq(at->value[1], 501);
	cr_assert_eq(at->value[2], 502);
	cr_assert_eq(at->lock, 4, "of the kernel's page");
	cr_assert(set.head.flags & SELFMON_IMPL_SET_SYSCALL);
	cr_assert_eq(selfmon_guard_taken(), 1);
}

Test(guard, a_start_that_faults_comes_by_read_2)
{
	struct selfmon_snapshot at;

	serve(500);
	selfmon_counters_begin(&set.head, &at);
	assert_taken(&at);
}

Test(guard, an_end_that_faults_comes_by_read_2)
{
	struct selfmon_snapshot at;

	serve(500);
	selfmon_counters_end(&set.head, &at);
	assert_taken(&at);
}

/*
 * The faulting member is the last one, so only the check of the leader's lock
 * follows its read.
 */
Test(guard, a_fault_of_a_single_member_is_seen)
{
	struct selfmon_snapshot at;
	const uint64_t answer[] = { 1, 1000, 1000, 500, 0 };
	int ends[2];

	set.head.hardware_count = set.head.count = 1;
	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], answer, sizeof(answer)),
		     (ssize_t)sizeof(answer));
	set.member[0].fd_plus_1 = ends[0] + 1;
	selfmon_counters_end(&set.head, &at);
	cr_assert_eq(at.flags, SELFMON_SNAPSHOT_SLOW);
	cr_assert_eq(at.value[0], 500);
}

Test(guard, no_counter_is_read_a_second_time)
{
	struct selfmon_snapshot at;

	serve(500);
	selfmon_counters_begin(&set.head, &at);
	signal(SELFMON_FAULT_SIGNAL, let_pass); /* no guard any more */
	serve(600);
	selfmon_counters_end(&set.head, &at);
	cr_assert_eq(at.flags, SELFMON_SNAPSHOT_SLOW);
	cr_assert_eq(at.value[1], 601);
}

Test(guard, without_read_2_the_values_are_lost_and_said_to_be)
{
	struct selfmon_snapshot a, b;
	struct selfmon_delta delta;

	selfmon_counters_begin(&set.head, &a);
	selfmon_counters_end(&set.head, &b);
	selfmon_counters_delta(&set.head, &a, &b, &delta);
	cr_assert(delta.flags & SELFMON_DELTA_LOST);
	cr_assert_eq(delta.value[0].verdict, SELFMON_NOT_COUNTED);
}

Test(guard, a_set_that_was_taken_keeps_nothing_of_its_pages)
{
	struct selfmon_snapshot at, times;
	struct selfmon_page_cache known;
	struct selfmon_page_cache_rest rest;

	cr_assert(selfmon_set_keep(&set, &known, &rest, &times));
	serve(500);
	selfmon_counters_begin(&set.head, &at);
	cr_assert_not(selfmon_set_keep(&set, &known, &rest, &times));
	cr_assert(known.locks & 1);
}

/*
 * After a fault, the sum of locks is odd, for any number of counters. A
 * successful read never stores an odd sum.
 */
Test(guard, the_locks_of_a_set_that_was_taken_have_a_sum_never_kept)
{
	struct selfmon_snapshot at;
	unsigned int count;

	serve(500);
	selfmon_counters_begin(&set.head, &at);
	for (count = 1; count <= SELFMON_MAX_COUNTERS; count++)
		cr_assert(selfmon_set_locks(&set.head, count) & 1);
}

Test(guard, a_set_that_was_taken_has_the_reason)
{
	struct selfmon_counter_info info = { .size = sizeof(info) };
	struct selfmon_snapshot at;

	set.pid = getpid();
	set.asked = 3;
	serve(500);
	selfmon_counters_begin(&set.head, &at);
	cr_assert_eq(selfmon_counters_info(&set.head, 0, &info), 0);
	cr_assert_eq(info.verdict, SELFMON_SYSCALL);
	cr_assert_not_null(info.why_syscall);
}

Test(guard, every_set_is_taken_by_itself)
{
	struct selfmon_set other = set;
	struct selfmon_snapshot at;

	serve(500);
	selfmon_counters_begin(&set.head, &at);
	cr_assert_not(other.head.flags & SELFMON_IMPL_SET_SYSCALL);
	cr_assert_eq(other.head.page[0], &page[0]);
}

/* ---- faults outside of a set's read -------------------------------------- */

static int status_of(void (*body)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		body();
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? 256 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

static void read_without_a_set(void)
{
	uint64_t value;
	uint32_t moved = 0;

	selfmon_page_read(&page[0], 16, &value, &moved);
}

static void read_without_the_mark(void)
{
#if defined(__x86_64__)
	__asm__ __volatile__("rdpmc\n\tnop" : : "c"(INDEX(0) - 1)
			     : "rax", "rdx");
#elif defined(__aarch64__)
	__asm__ __volatile__("mrs x0, pmevcntr4_el0\n\tb 1f\n1:\tnop"
			     : : : "x0");
#elif defined(__riscv)
	__asm__ __volatile__("csrr t0, hpmcounter5\n\tnop" : : : "t0");
#endif
}

static void read_with_another_mark(void)
{
#if defined(__x86_64__)
	__asm__ __volatile__("rdpmc\n\tnopl 0x12345678(%0)"
			     : : "r"(&set), "c"(INDEX(0) - 1)
			     : "rax", "rdx");
#elif defined(__aarch64__)
	__asm__ __volatile__("mrs x0, pmevcntr4_el0\n\tb 1f\n"
			     "1:\tubfm xzr, %0, #42, #23" : : "r"(&set)
			     : "x0");
#elif defined(__riscv)
	__asm__ __volatile__("csrr t0, hpmcounter5\n\tj 1f\n"
			     "1:\tslti zero, %0, 0x5f2" : : "r"(&set) : "t0");
#endif
}

Test(guard, only_marked_reads_of_a_set_are_stepped_over)
{
	cr_assert_eq(status_of(read_without_a_set), 77);
	cr_assert_eq(status_of(read_without_the_mark), 77);
	cr_assert_eq(status_of(read_with_another_mark), 77);
}

/* One case for each register that the compiler may choose for the set. */
#if defined(__x86_64__)
#define IN(register)                                                           \
	Test(guard, the_set_is_found_in_##register)                            \
	{                                                                      \
		__asm__ __volatile__("push %%rbx\n\tpush %%rbp\n\t"            \
				     "mov %0, %%" #register "\n\t"             \
				     "rdpmc\n\t"                               \
				     "nopl 0x53466d01(%%" #register ")\n\t"    \
				     "pop %%rbp\n\tpop %%rbx"                  \
				     : : "D"(&set), "c"(INDEX(0) - 1)          \
				     : "rax", "rdx", "rsi", "r8", "r9", "r10", \
				       "r11", "r12", "r13", "r14", "r15",      \
				       "memory");                              \
		cr_assert(set.head.flags & SELFMON_IMPL_SET_TAKEN);            \
	}
IN(rbx) IN(rbp) IN(rsi) IN(rdi) IN(r8) IN(r9) IN(r10) IN(r11) IN(r12) IN(r13)
IN(r14) IN(r15)
#endif

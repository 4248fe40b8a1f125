/* SPDX-License-Identifier: MIT */
/*
 * Tests the installed header for this machine. On arm64 each entry of the table
 * of counter readers is executed. If user reads are off, the read faults, and
 * the handler decodes the register of the faulting instruction.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#include <selfmon/page.h>

Test(arch, time_does_not_go_back)
{
	uint64_t before = selfmon_arch_timestamp();
	int i;

	for (i = 0; i < 100000; i++) {
		const uint64_t now = selfmon_arch_timestamp();

		cr_assert_geq(now, before);
		before = now;
		selfmon_arch_fence();
	}
}

static void *thread_pointer(void *arg)
{
	(void)arg;
	return selfmon_arch_thread_pointer();
}

Test(arch, threads_have_pointers_of_their_own)
{
	pthread_t thread;
	void *other;

	cr_assert_eq(pthread_create(&thread, NULL, thread_pointer, NULL), 0);
	pthread_join(thread, &other);
	cr_assert_eq(selfmon_arch_thread_pointer(), thread_pointer(NULL));
	cr_assert_neq(other, thread_pointer(NULL));
}

static uint64_t word;
static volatile uint64_t handled;

static void add_in_handler(int signal)
{
	(void)signal;
	selfmon_arch_add(&word, 1);
	handled++;
}

#define ADD_ROUNDS 100000
#define ADD_SECONDS 1

/*
 * qemu-user delivers signals only between blocks of instructions, so this test
 * cannot fail there. Under system emulation with -icount, qemu also interrupts
 * inside of blocks.
 */
Test(arch, a_handler_that_adds_to_the_same_word_loses_nothing)
{
	const struct itimerval often = { { 0, 200 }, { 0, 200 } },
			       never = { 0 };
	const time_t start = time(NULL);
	uint64_t rounds = 0;
	int i;

	if (!SELFMON_ARCH_USER_READ)
		cr_skip_test("the portable add is not atomic");
	signal(SIGALRM, add_in_handler);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; time(NULL) <= start + ADD_SECONDS; rounds += ADD_ROUNDS)
		for (i = 0; i < ADD_ROUNDS; i++)
			selfmon_arch_add(&word, 3);
	setitimer(ITIMER_REAL, &never, NULL);
	cr_assert_gt(handled, 0);
	cr_assert_eq(word, 3 * rounds + handled);
}

#if defined(__aarch64__)

/* MRS with op0 3 and op1 3. The other bits are Rt and the register's number. */
#define MRS_EL0 0xd53b0000u
#define MRS_MASK 0xffff0000u
#define ENCODED(n, m, op2) ((uint32_t)(n) << 12 | (uint32_t)(m) << 8 | (op2) << 5)

static volatile uint32_t seen; /* the register's number, as encoded */

static void look(int signal, siginfo_t *info, void *context)
{
	mcontext_t *const cpu = &((ucontext_t *)context)->uc_mcontext;
	const uint32_t insn = *(const uint32_t *)(uintptr_t)cpu->pc;

	(void)signal;
	(void)info;
	seen = (insn & MRS_MASK) == MRS_EL0 ? insn & 0xffe0 : 0;
	cpu->regs[insn & 31] = UINT64_C(0x1234567890) + seen;
	cpu->pc += 4;
}

/* PMEVCNTR<i>_EL0 begins at S3_3_C14_C8_0; PMCCNTR_EL0 is S3_3_C9_C13_0. */
static uint32_t encoding_of(uint32_t counter)
{
	return counter == 31 ? ENCODED(9, 13, 0u)
			     : ENCODED(14, 8 | counter >> 3, counter & 7);
}

static void look_at_faults(void)
{
	struct sigaction action = { .sa_sigaction = look,
				    .sa_flags = SA_SIGINFO };

	sigaction(SIGILL, &action, NULL);
	seen = 0;
	selfmon_arch_read_counter(0, NULL);
	if (seen == 0)
		cr_skip_test("this machine lets anyone read counters");
}

Test(arch, entry_i_reads_register_i)
{
	uint32_t i;

	look_at_faults();
	for (i = 0; i < SELFMON_ARCH_COUNTERS; i++) {
		const uint64_t raw = selfmon_arch_read_counter(i, NULL);

		cr_assert_eq(seen, encoding_of(i), "entry %u", i);
		cr_assert_eq(raw, UINT64_C(0x1234567890) + seen);
	}
}

Test(arch, an_index_without_a_register_reads_none)
{
	static const uint32_t index[] = { 0, 33, 34, 64, 1u << 30, UINT32_MAX };
	struct selfmon_page page = { .lock = 2, .pmc_width = 64 };
	uint32_t moved = 0;
	uint64_t value;
	size_t i;

	look_at_faults();
	seen = 0;
	for (i = 0; i < sizeof(index) / sizeof(index[0]); i++) {
		page.index = index[i];
		cr_assert_not(selfmon_page_read(&page, 0, &value, &moved));
	}
	cr_assert_eq(seen, 0);
	page.index = 32;
	cr_assert(selfmon_page_read(&page, 0, &value, &moved));
	cr_assert_eq(seen, encoding_of(31));
}

#endif

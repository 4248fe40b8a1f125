/* SPDX-License-Identifier: MIT */
/*
 * Tests signals that are not the guard's. They must go to the program's own
 * handler, or to the kernel's default, as if there were no guard.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "counters/guard.h"
#include "counters/set.h"
#include "no_timestamp.h"
#include "platform/fault_step.h"

#define SIGNAL SELFMON_FAULT_SIGNAL

/*
 * Runs body in a child. Returns the child's exit status, or 256 plus the signal
 * that ended it.
 */
static int status_of(void (*body)(void))
{
	int status;
	pid_t pid;

	if (!SIGNAL)
		cr_skip_test("nothing is read in user space here");
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		const struct rlimit none = { 0, 0 };

		setrlimit(RLIMIT_CORE, &none);
		alarm(10);
		body();
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? 256 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

/* Causes a fault in the program's own code that raises the guard's signal. */
static void fault(void)
{
#if defined(__x86_64__)
	volatile char *volatile nowhere = (volatile char *)16;

	*nowhere = 1;
#elif defined(__aarch64__)
	__asm__ __volatile__("udf #0");
#elif defined(__riscv)
	__asm__ __volatile__("unimp");
#endif
}

static void guard_over(const struct sigaction *action)
{
	sigaction(SIGNAL, action, NULL);
	if (selfmon_guard_install())
		_exit(2);
}

static void guard_over_default(void)
{
	guard_over(&(struct sigaction){ .sa_handler = SIG_DFL });
}

/* ---- the default ---------------------------------------------------------- */

static void fault_by_default(void)
{
	guard_over_default();
	fault();
}

static void sent_by_default(void)
{
	guard_over_default();
	kill(getpid(), SIGNAL);
	for (;;)
		pause();
}

Test(guard_chain, the_default_ends_the_program_by_the_signal)
{
	cr_assert_eq(status_of(fault_by_default), 256 + SIGNAL);
	cr_assert_eq(status_of(sent_by_default), 256 + SIGNAL);
}

static void fault_ignored(void)
{
	guard_over(&(struct sigaction){ .sa_handler = SIG_IGN });
	fault();
}

static void sent_ignored(void)
{
	guard_over(&(struct sigaction){ .sa_handler = SIG_IGN });
	raise(SIGNAL);
	if (selfmon_guard_check())
		_exit(3);
	_exit(5);
}

Test(guard_chain, what_is_ignored_is_a_signal_sent_and_never_a_fault)
{
	cr_assert_eq(status_of(fault_ignored), 256 + SIGNAL);
	cr_assert_eq(status_of(sent_ignored), 5);
}

/* ---- handlers ------------------------------------------------------------- */

static void plain(int signo)
{
	_exit(signo == SIGNAL ? 7 : 1);
}

static void fault_plain(void)
{
	guard_over(&(struct sigaction){ .sa_handler = plain });
	fault();
}

Test(guard_chain, a_plain_handler_is_called)
{
	cr_assert_eq(status_of(fault_plain), 7);
}

static void fault_blocked(void)
{
	sigset_t mask;

	guard_over(&(struct sigaction){ .sa_handler = plain });
	sigemptyset(&mask);
	sigaddset(&mask, SIGNAL);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	fault();
}

/*
 * Without the guard, the kernel also ends a program that blocks the signal of a
 * fault (kernel/signal.c, force_sig_info_to_task).
 */
Test(guard_chain, one_whose_signal_is_blocked_ends_the_program)
{
	cr_assert_eq(status_of(fault_blocked), 256 + SIGNAL);
}

/*
 * A signal stack is installed. The handler must run on it if it has SA_ONSTACK,
 * and only then.
 */
static char signal_stack[1 << 16];

static void where(int signo)
{
	const char *const here = __builtin_frame_address(0);

	(void)signo;
	_exit(here >= signal_stack &&
	      here < signal_stack + sizeof(signal_stack) ? 8 : 9);
}

static void fault_with_stack(int flags)
{
	const stack_t stack = { .ss_sp = signal_stack,
				.ss_size = sizeof(signal_stack) };

	sigaltstack(&stack, NULL);
	guard_over(&(struct sigaction){ .sa_handler = where,
					.sa_flags = flags });
	fault();
}

static void fault_on_own_stack(void)
{
	fault_with_stack(0);
}

static void fault_on_signal_stack(void)
{
	fault_with_stack(SA_ONSTACK);
}

Test(guard_chain, a_handler_is_called_on_the_stack_that_it_asked_for)
{
	cr_assert_eq(status_of(fault_on_own_stack), 9);
	cr_assert_eq(status_of(fault_on_signal_stack), 8);
}

static void with_info(int signo, siginfo_t *info, void *context)
{
	ucontext_t *const user = context;

	if (signo != SIGNAL || !user)
		_exit(1);
#if defined(__x86_64__)
	_exit(info->si_addr == (void *)16 && user->uc_mcontext.gregs[REG_RIP]
		      ? 8
		      : 1);
#else
	_exit(info->si_code > 0 ? 8 : 1);
#endif
}

static void fault_with_info(void)
{
	guard_over(&(struct sigaction){ .sa_sigaction = with_info,
					.sa_flags = SA_SIGINFO });
	fault();
}

Test(guard_chain, a_handler_with_info_gets_address_and_context)
{
	cr_assert_eq(status_of(fault_with_info), 8);
}

static void say_mask(int signo)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	_exit(sigismember(&now, SIGUSR1) | sigismember(&now, SIGUSR2) << 1 |
	      sigismember(&now, SIGTERM) << 2 | sigismember(&now, signo) << 3);
}

static void fault_masked(int flags)
{
	struct sigaction action = { .sa_handler = say_mask, .sa_flags = flags };
	sigset_t own;

	sigaddset(&action.sa_mask, SIGUSR2);
	sigemptyset(&own);
	sigaddset(&own, SIGUSR1);
	sigprocmask(SIG_BLOCK, &own, NULL);
	guard_over(&action);
	fault();
}

static void fault_deferred(void)
{
	fault_masked(0);
}

static void fault_not_deferred(void)
{
	fault_masked((int)SA_NODEFER);
}

Test(guard_chain, the_handlers_own_mask_is_in_force)
{
	cr_assert_eq(status_of(fault_deferred), 1 | 2 | 8);
	cr_assert_eq(status_of(fault_not_deferred), 1 | 2);
}

static sigjmp_buf back;
static volatile sig_atomic_t caught;

static void jump_back(int signo)
{
	(void)signo;
	caught++;
	siglongjmp(back, 1);
}

static void fault_thrice(void)
{
	guard_over(&(struct sigaction){ .sa_handler = jump_back });
	sigsetjmp(back, 1);
	if (caught < 3)
		fault();
	_exit(caught == 3 && !selfmon_guard_check() ? 9 : 1);
}

Test(guard_chain, a_handler_may_jump_out_again_and_again)
{
	cr_assert_eq(status_of(fault_thrice), 9);
}

static void fault_once(void)
{
	guard_over(&(struct sigaction){ .sa_handler = jump_back,
					.sa_flags = (int)SA_RESETHAND });
	sigsetjmp(back, 1);
	if (caught < 3)
		fault();
	_exit(1);
}

Test(guard_chain, a_handler_for_once_is_called_once)
{
	cr_assert_eq(status_of(fault_once), 256 + SIGNAL);
}

/* ---- unreadable code ----------------------------------------------------- */

static void to_nowhere(int signo, siginfo_t *info, void *context)
{
	(void)context;
	_exit(signo == SIGSEGV && info->si_addr == (void *)64 ? 10 : 1);
}

static void jump_to_nowhere(void)
{
	struct sigaction action = { .sa_sigaction = to_nowhere,
				    .sa_flags = SA_SIGINFO };
	void (*volatile nowhere)(void) = (void (*)(void))64;

	sigaction(SIGSEGV, &action, NULL);
	guard_over(&action);
	nowhere();
}

Test(guard_chain, a_jump_to_nowhere_reaches_the_programs_handler)
{
	cr_assert_eq(status_of(jump_to_nowhere), 10);
}

#if defined(__x86_64__)
static void says_rip(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)info;
	(void)context;
	_exit(11);
}

static void return_beyond(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)info;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] =
		(greg_t)0x8000000000001000;
}

/*
 * Causes a general protection fault at an address where no code can be. On some
 * CPUs a jump to this address does not cause the fault. The kernel's iret,
 * which returns from the handler to this address, does.
 */
static void jump_beyond(void)
{
	const struct sigaction beyond = { .sa_sigaction = return_beyond,
					  .sa_flags = SA_SIGINFO };

	guard_over(&(struct sigaction){ .sa_sigaction = says_rip,
					.sa_flags = SA_SIGINFO });
	sigaction(SIGUSR1, &beyond, NULL);
	raise(SIGUSR1);
}

Test(guard_chain, so_does_one_to_an_address_that_is_none)
{
	cr_assert_eq(status_of(jump_beyond), 11);
}

static void no_timestamps(void)
{
	guard_over(&(struct sigaction){ .sa_sigaction = says_rip,
					.sa_flags = SA_SIGINFO });
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	selfmon_arch_timestamp();
}

Test(guard_chain, so_does_a_forbidden_timestamp)
{
	SKIP_IF_TIMESTAMPS_CANNOT_BE_FORBIDDEN();
	cr_assert_eq(status_of(no_timestamps), 11);
}
#endif

/*
 * ---- selfmon_guard_check() --------------------------------------------------
 */

static void check_all(void)
{
	if (selfmon_guard_check() != -ENOENT)
		_exit(1);
	guard_over_default();
	if (selfmon_guard_check() != 0)
		_exit(2);
	signal(SIGNAL, plain);
	if (selfmon_guard_check() != -ESRCH)
		_exit(3);
	if (selfmon_guard_install() || selfmon_guard_check() != -ESRCH)
		_exit(4); /* the program's handler stays */
	_exit(12);
}

Test(guard_chain, the_check_tells_never_there_there_and_replaced)
{
	cr_assert_eq(status_of(check_all), 12);
}

static void set_errno(int signo)
{
	(void)signo;
	errno = EINTR;
}

static void errno_kept(void)
{
	guard_over(&(struct sigaction){ .sa_handler = set_errno });
	errno = 4711;
	kill(getpid(), SIGNAL);
	_exit(errno == 4711 ? 13 : 1);
}

Test(guard_chain, errno_is_left_alone)
{
	cr_assert_eq(status_of(errno_kept), 13);
}

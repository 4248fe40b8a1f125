/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "platform/fault.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <selfmon/arch.h>

#include "platform/fault_step.h"
#include "platform/once.h"

static struct selfmon_once turn;
static bool installed;
static selfmon_fault_fn on_taken; /* NULL: not installed */
static struct sigaction before;   /* the replaced handler */

/*
 * Restores the default action, so that the signal kills the program as it would
 * without a handler.
 */
static void end(int signo, siginfo_t *info)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	sigaction(signo, &action, NULL);
	/*
	 * A fault repeats by itself when the handler returns and the
	 * instruction is executed again. A signal that was sent must be sent
	 * again.
	 */
	if (info->si_code <= 0)
		syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid),
			signo, info);
}

/*
 * Calls the previous handler as the kernel would, with the signals blocked that
 * its sa_mask requests.
 */
static void call(const struct sigaction *action, int signo, siginfo_t *info,
		 void *context)
{
	sigset_t mask;
	int i;

	mask = ((ucontext_t *)context)->uc_sigmask;
	for (i = 1; i < NSIG; i++)
		if (sigismember(&action->sa_mask, i) == 1)
			sigaddset(&mask, i);
	if (!(action->sa_flags & SA_NODEFER))
		sigaddset(&mask, signo);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (action->sa_flags & SA_SIGINFO)
		action->sa_sigaction(signo, info, context);
	else
		action->sa_handler(signo);
}

static void hand_on(int signo, siginfo_t *info, void *context)
{
	const struct sigaction action = before;

	if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN) {
		/*
		 * The kernel kills a process that ignores the signal of a
		 * fault, so this does the same.
		 */
		if (info->si_code > 0)
			end(signo, info);
		return;
	}
	if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL) {
		end(signo, info);
		return;
	}
	if (action.sa_flags & (int)SA_RESETHAND) {
		before.sa_flags = 0;
		before.sa_handler = SIG_DFL;
	}
	call(&action, signo, info, context);
}

static void on_fault(int signo, siginfo_t *info, void *context)
{
	const selfmon_fault_fn taken = selfmon_load_once(&on_taken);
	const int error = errno;
	void *set;

	/* `taken` is NULL only if the library was ended meanwhile. */
	if (taken && selfmon_fault_step(info, context, &set))
		taken(set);
	else
		hand_on(signo, info, context);
	errno = error;
}

static bool is_ours(const struct sigaction *action)
{
	return action->sa_flags & SA_SIGINFO &&
	       action->sa_sigaction == on_fault;
}

/*
 * Returns SA_ONSTACK if the previous handler wants to run on the signal stack,
 * or if there is no previous handler.
 */
static int stack_of(const struct sigaction *action)
{
	const bool none = !(action->sa_flags & SA_SIGINFO) &&
			  (action->sa_handler == SIG_DFL ||
			   action->sa_handler == SIG_IGN);

	return none ? SA_ONSTACK : action->sa_flags & SA_ONSTACK;
}

/*
 * Installs the handler. A child that was forked during this call may find the
 * handler already installed. The child must not save it as the program's
 * handler.
 */
static int install(selfmon_fault_fn taken)
{
	struct sigaction action = { .sa_sigaction = on_fault };
	struct sigaction now;

	if (sigaction(SELFMON_FAULT_SIGNAL, NULL, &now))
		return -errno;
	/*
	 * Save the old handler before it is replaced: a fault may come in
	 * between.
	 */
	if (!is_ours(&now))
		before = now;
	on_taken = taken;
	action.sa_flags = SA_SIGINFO | SA_RESTART | stack_of(&before);
	if (is_ours(&now) ||
	    !sigaction(SELFMON_FAULT_SIGNAL, &action, &before))
		return 0;
	on_taken = NULL;
	return -errno;
}

int selfmon_fault_catch(selfmon_fault_fn taken)
{
	struct selfmon_critical holder;
	int error;

	if (!SELFMON_FAULT_SIGNAL)
		return -ENOSYS;
	error = selfmon_once_begin(&turn, &holder);
	if (error <= 0)
		return error;
	if (!installed)
		error = install(taken);
	installed = error == 0;
	selfmon_once_end(&turn, &holder, installed);
	return error;
}

int selfmon_fault_check(void)
{
	struct sigaction now;

	if (!SELFMON_FAULT_SIGNAL)
		return -ENOSYS;
	if (!on_taken)
		return -ENOENT;
	if (sigaction(SELFMON_FAULT_SIGNAL, NULL, &now))
		return -errno;
	return is_ours(&now) ? 0 : -ESRCH;
}

void selfmon_fault_release(void)
{
	if (SELFMON_FAULT_SIGNAL && selfmon_fault_check() == 0)
		sigaction(SELFMON_FAULT_SIGNAL, &before, NULL);
	selfmon_store_once(&on_taken, NULL);
	installed = false;
	selfmon_once_reset(&turn);
}

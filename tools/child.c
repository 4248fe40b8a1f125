/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool.h"

static const int forwarded[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
				 SIGUSR1, SIGUSR2, SIGWINCH, SIGALRM };

#define FORWARDED (sizeof(forwarded) / sizeof(forwarded[0]))

static volatile sig_atomic_t child_pid;

/*
 * Forwards a signal to the child. Signals from the terminal driver (SI_KERNEL)
 * reach the child directly, so they are not forwarded.
 */
static void forward(int number, siginfo_t *info, void *context)
{
	const int error = errno;

	(void)context;
	if (child_pid > 0 && info->si_code != SI_KERNEL)
		kill((pid_t)child_pid, number);
	errno = error;
}

/*
 * Blocks the signals that are forwarded, so that none is lost before the child
 * exists.
 */
static void hold_signals(sigset_t *before)
{
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < FORWARDED; i++)
		sigaddset(&set, forwarded[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

/*
 * Installs the handlers. A signal that is ignored, as under nohup(1), stays
 * ignored here and in the child.
 */
static void forward_signals(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction before;
	size_t i;

	action.sa_sigaction = forward;
	sigemptyset(&action.sa_mask);
	for (i = 0; i < FORWARDED; i++)
		if (!sigaction(forwarded[i], NULL, &before) &&
		    before.sa_handler != SIG_IGN)
			sigaction(forwarded[i], &action, NULL);
}

/* Runs in the child. If execvp(3) fails, sends its errno through the pipe. */
static void become(char **argv, int pipe_end, const sigset_t *signals)
{
	int error;

	sigprocmask(SIG_SETMASK, signals, NULL);
	execvp(argv[0], argv);
	error = errno;
	if (write(pipe_end, &error, sizeof(error)) < 0)
		_exit(CHILD_NOT_RUN);
	_exit(error == ENOENT ? CHILD_NOT_FOUND : CHILD_NOT_RUN);
}

/*
 * Returns the errno of execvp(3), or 0 if execvp(3) succeeded. Success closes
 * the pipe without writing to it.
 */
static int read_error(int pipe_end)
{
	int error = 0;
	ssize_t n;

	do {
		n = read(pipe_end, &error, sizeof(error));
	} while (n < 0 && errno == EINTR);
	close(pipe_end);
	return n == (ssize_t)sizeof(error) ? error : 0;
}

static int wait_for(struct child *child)
{
	int status;

	while (waitpid(child->pid, &status, 0) < 0)
		if (errno != EINTR)
			return tool_fail("run", "%s", strerror(errno));
	child_pid = 0;
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	child->signal = WTERMSIG(status);
	return 128 + child->signal;
}

int child_run(struct child *child, char **argv)
{
	sigset_t before;
	int end[2], error, status;

	memset(child, 0, sizeof(*child));
	if (pipe2(end, O_CLOEXEC)) {
		tool_fail("run", "cannot create a pipe: %s", strerror(errno));
		return CHILD_NOT_RUN;
	}
	hold_signals(&before);
	child->pid = fork();
	if (child->pid == 0)
		become(argv, end[1], &before);
	error = child->pid < 0 ? errno : 0;
	child_pid = child->pid;
	close(end[1]);
	if (!error)
		forward_signals();
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (error) {
		close(end[0]);
		tool_fail("run", "cannot create a process: %s",
			  strerror(error));
		return CHILD_NOT_RUN;
	}
	error = read_error(end[0]);
	status = wait_for(child);
	child->began = !error;
	if (error)
		tool_fail("run", "%s: %s", argv[0],
			  error == ENOENT ? "no such program"
					  : strerror(error));
	return status;
}

int child_exit(const struct child *child, int status)
{
	const struct rlimit none = { .rlim_cur = 0, .rlim_max = 0 };

	if (!child->signal)
		return status;
	/*
	 * Disables the core dump of this process, since the child has dumped
	 * its own.
	 */
	setrlimit(RLIMIT_CORE, &none);
	fflush(stdout);
	signal(child->signal, SIG_DFL);
	raise(child->signal);
	return status;
}

/* SPDX-License-Identifier: MIT */
/*
 * Tests a host that blocks in system calls while its threads are sampled and
 * their context switches are recorded: no signal is delivered, no call returns
 * EINTR, and handlers and signal masks stay as they were.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "kernel/sampled.h"

/* ---- signals ------------------------------------------------------------- */

static int delivered[NSIG];
static struct sigaction installed[NSIG];

static void count(int signal)
{
	__atomic_add_fetch(&delivered[signal], 1, __ATOMIC_RELAXED);
}

static bool is_counted(int signal)
{
	return signal != SIGSEGV && signal != SIGABRT && signal != SIGKILL &&
	       signal != SIGSTOP && (signal < 32 || signal >= SIGRTMIN);
}

/* Installs the handler without SA_RESTART, so that it interrupts each call. */
static void count_signals(void)
{
	struct sigaction action = { .sa_handler = count };
	int i;

	for (i = 1; i < NSIG; i++) {
		if (!is_counted(i))
			continue;
		cr_assert_eq(sigaction(i, &action, NULL), 0);
		cr_assert_eq(sigaction(i, NULL, &installed[i]), 0);
	}
}

static void expect_handlers(void)
{
	struct sigaction now;
	int i;

	for (i = 1; i < NSIG; i++) {
		if (!is_counted(i))
			continue;
		cr_assert_eq(sigaction(i, NULL, &now), 0);
		cr_expect(now.sa_handler == count &&
				  now.sa_flags == installed[i].sa_flags,
			  "the handler of signal %d was changed", i);
	}
}

static void expect_same_mask(const sigset_t *before)
{
	sigset_t now;
	int i;

	cr_assert_eq(pthread_sigmask(SIG_BLOCK, NULL, &now), 0);
	for (i = 1; i < NSIG; i++)
		cr_expect_eq(sigismember(&now, i), sigismember(before, i),
			     "signal %d", i);
}

static void expect_no_signal(void)
{
	int i;

	for (i = 1; i < NSIG; i++)
		cr_expect_eq(delivered[i], 0, "signal %d: %d times", i,
			     delivered[i]);
}

/* ---- calls that block ---------------------------------------------------- */

/*
 * Timeout of each call. The test makes at least 30 calls of each kind, so that
 * a signal would interrupt some of them.
 */
static const struct timespec brief = { .tv_nsec = 1000000 };
static const struct timeval brief_too = { .tv_usec = 1000 };

/*
 * Each function returns true if its call ended by its timeout or by its event.
 */

static bool in_nanosleep(void)
{
	return nanosleep(&brief, NULL) == 0;
}

static bool in_clock_nanosleep(void)
{
	return clock_nanosleep(CLOCK_MONOTONIC, 0, &brief, NULL) == 0;
}

static bool in_poll(void)
{
	return poll(NULL, 0, 1) == 0;
}

static bool in_select(void)
{
	struct timeval time = brief_too;

	return select(0, NULL, NULL, NULL, &time) == 0;
}

static bool in_epoll(void)
{
	const int fd = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event;
	const bool good = epoll_wait(fd, &event, 1, 1) == 0;
	const int error = errno;

	close(fd);
	errno = error;
	return good;
}

static bool in_futex(void)
{
	uint32_t word = 0;

	return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &brief, NULL,
		       0) < 0 && errno == ETIMEDOUT;
}

static bool in_semaphore(void)
{
	struct timespec end;
	sem_t semaphore;

	sem_init(&semaphore, 0, 0);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_nsec += brief.tv_nsec;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	return sem_timedwait(&semaphore, &end) < 0 && errno == ETIMEDOUT;
}

static bool in_sigtimedwait(void)
{
	sigset_t none;

	sigemptyset(&none);
	return sigtimedwait(&none, NULL, &brief) < 0 && errno == EAGAIN;
}

/*
 * The socket has a timeout, so the call is not restarted after a handler:
 * signal(7).
 */
static bool in_recv(void)
{
	int pair[2], error;
	bool good;
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return false;
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &brief_too,
		   sizeof(brief_too));
	good = recv(pair[0], &byte, 1, 0) < 0 && errno == EAGAIN;
	error = errno;
	close(pair[0]);
	close(pair[1]);
	errno = error;
	return good;
}

/* Like recv(2), the call is not restarted, because of the timeout. */
static bool in_accept(void)
{
	const struct sockaddr_un any = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool good;
	int error;

	/* Without a path, the kernel chooses an abstract address. */
	if (bind(fd, (const struct sockaddr *)&any, sizeof(any.sun_family)) ||
	    listen(fd, 1))
		return false;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &brief_too, sizeof(brief_too));
	good = accept4(fd, NULL, NULL, SOCK_CLOEXEC) < 0 && errno == EAGAIN;
	error = errno;
	close(fd);
	errno = error;
	return good;
}

static int feed[2]; /* a pipe that the test's own thread writes to */

static bool in_read(void)
{
	char byte;

	return read(feed[0], &byte, 1) == 1;
}

static const struct call {
	const char *name;
	bool (*run)(void);
} calls[] = {
	{ "nanosleep", in_nanosleep },
	{ "clock_nanosleep", in_clock_nanosleep },
	{ "poll", in_poll },
	{ "select", in_select },
	{ "epoll_wait", in_epoll },
	{ "futex", in_futex },
	{ "sem_timedwait", in_semaphore },
	{ "sigtimedwait", in_sigtimedwait },
	{ "recv", in_recv },
	{ "accept", in_accept },
	{ "read", in_read },
};

#define CALLS (sizeof(calls) / sizeof(calls[0]))

/* ---- threads ------------------------------------------------------------- */

static uint64_t returned[CALLS];
static int stop;

static bool is_stopped(void)
{
	return __atomic_load_n(&stop, __ATOMIC_ACQUIRE);
}

/* The work before the call is sampled, and the call causes a switch. */
static void *block_until_stopped(void *which)
{
	const size_t i = (size_t)(uintptr_t)which;
	struct selfmon_region *const region = selfmon_region(calls[i].name);
	bool good = true;
	sigset_t mask;
	int error = 0;

	/* The masks differ, so a mask of another thread is noticed. */
	sigemptyset(&mask);
	sigaddset(&mask, SIGRTMIN + (int)i);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	while (good && !is_stopped()) {
		SELFMON_REGION_OF(region) {
			work_a(20 * SHORT);
			good = calls[i].run();
			error = errno;
		}
		__atomic_add_fetch(&returned[i], 1, __ATOMIC_RELAXED);
	}
	cr_expect(good, "%s: %s", calls[i].name, strerror(error));
	expect_same_mask(&mask);
	__atomic_store_n(&returned[i], UINT64_MAX, __ATOMIC_RELAXED);
	return NULL;
}

static void *work_until_stopped(void *unused)
{
	(void)unused;
	while (!is_stopped())
		visit_both();
	return NULL;
}

static bool is_enough(uint64_t samples)
{
	size_t i;

	for (i = 0; i < CALLS; i++)
		if (__atomic_load_n(&returned[i], __ATOMIC_RELAXED) < 30)
			return false;
	return samples_of("a") + samples_of("b") >= samples;
}

static void block_in_each_call(void)
{
	pthread_t thread[CALLS], worker;
	unsigned int interrupted = 0;
	size_t i;

	cr_assert_eq(pipe(feed), 0);
	for (i = 0; i < CALLS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL,
					    block_until_stopped,
					    (void *)(uintptr_t)i), 0);
	cr_assert_eq(pthread_create(&worker, NULL, work_until_stopped, NULL),
		     0);
	while (!is_enough(50)) {
		cr_assert_eq(write(feed[1], "", 1), 1);
		interrupted += nanosleep(&brief, NULL) != 0;
	}
	cr_expect_eq(interrupted, 0);
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	cr_assert_eq(write(feed[1], "", 1), 1); /* wakes in_read() */
	for (i = 0; i < CALLS; i++)
		pthread_join(thread[i], NULL);
	pthread_join(worker, NULL);
}

static void expect_uninterrupted(const char *events, const char *sample)
{
	struct selfmon_report *report;
	uint64_t switches = 0, blocked = 0, samples = 0;
	size_t i;

	count_signals();
	ask_with(events, sample);
	block_in_each_call();
	expect_no_signal();
	expect_handlers();
	report = rows_take();
	for (i = 0; i < CALLS; i++) {
		const char *const path[] = { calls[i].name };
		const struct selfmon_row *const row =
			selfmon_report_find(report, path, 1);

		cr_assert_not_null(row, "no row %s", calls[i].name);
		switches += row->switches;
		blocked += row->switches - row->preemptions;
		samples += row->samples;
	}
	/*
	 * On one busy CPU, the timeout or event of a call may come before the
	 * thread blocks. So only some of the calls block.
	 */
	if (strcmp(events, "none") != 0)
		cr_expect_geq(blocked, CALLS);
	cr_log_info("%s: %lu switches and %lu samples of threads that block",
		    sample, (unsigned long)switches, (unsigned long)samples);
	cr_expect_gt(samples, 0);
	selfmon_report_free(report);
}

Test(host_blocked, sees_no_signal_where_visits_read_the_samples)
{
	expect_uninterrupted("@offcpu", OFTEN ",drain=border");
}

/* The library's thread does not read rings that record context switches. */
Test(host_blocked, sees_no_signal_where_a_thread_reads_the_samples)
{
	expect_uninterrupted("none", OFTEN ",ring=4k,drain=thread");
}

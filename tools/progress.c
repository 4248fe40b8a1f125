/* SPDX-License-Identifier: MIT */
/*
 * Shows the progress of a long task. A separate thread updates the line,
 * because a task may consist of a single call, such as parsing a large file or
 * opening a pipe.
 */
#include "progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define TENTH 100000000L

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed; /* uses the monotonic clock */
static pthread_t thread;
static bool runs;              /* the thread exists */
/* The lock protects these variables: */
static bool ending, shown;
static const char *task;
static size_t done_so_far, all;

static void clear(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}

static void show(void)
{
	fprintf(stderr, "\r%s: %zu of %zu", task, done_so_far, all);
	fflush(stderr);
	shown = true;
}

/* Updates ten times per second, after the first second. */
static void *show_until_end(void *unused)
{
	struct timespec next;

	clock_gettime(CLOCK_MONOTONIC, &next);
	next.tv_sec++;
	pthread_mutex_lock(&lock);
	while (!ending) {
		if (pthread_cond_timedwait(&changed, &lock, &next) != ETIMEDOUT)
			continue;
		show();
		next.tv_nsec += TENTH;
		next.tv_sec += next.tv_nsec / (10 * TENTH);
		next.tv_nsec %= 10 * TENTH;
	}
	clear();
	pthread_mutex_unlock(&lock);
	return unused;
}

void progress_begin(const char *what, size_t total)
{
	pthread_condattr_t steady;

	if (!isatty(STDERR_FILENO))
		return;
	task = what;
	all = total;
	done_so_far = 0;
	ending = false;
	pthread_condattr_init(&steady);
	pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
	pthread_cond_init(&changed, &steady);
	pthread_condattr_destroy(&steady);
	runs = !pthread_create(&thread, NULL, show_until_end, NULL);
}

void progress_at(size_t done)
{
	pthread_mutex_lock(&lock);
	done_so_far = done;
	pthread_mutex_unlock(&lock);
}

void progress_clear(void)
{
	pthread_mutex_lock(&lock);
	clear();
	pthread_mutex_unlock(&lock);
}

void progress_end(void)
{
	if (!runs)
		return;
	pthread_mutex_lock(&lock);
	ending = true;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	pthread_cond_destroy(&changed);
	runs = false;
}

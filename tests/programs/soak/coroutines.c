/* SPDX-License-Identifier: MIT */
/*
 * Coroutines that alternate inside of regions: on one thread, and on threads
 * that hand the coroutines on and end.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <ucontext.h>

#include <selfmon.h>

#include "soak.h"

#define STACK ((size_t)64 << 10)
/*
 * There are only a few coroutines, because each order in which they begin and
 * end makes new nodes in the state of each thread.
 */
#define COROUTINES 2

struct coroutine {
	ucontext_t self;
	ucontext_t *back; /* context of the thread that runs it */
	void (*body)(struct coroutine *coroutine);
	bool ended;
	char stack[STACK] __attribute__((aligned(64)));
};

static __attribute__((noinline)) void yield(struct coroutine *coroutine)
{
	swapcontext(&coroutine->self, coroutine->back);
}

static __attribute__((noinline)) void resume(struct coroutine *coroutine)
{
	ucontext_t here;

	coroutine->back = &here;
	swapcontext(&here, &coroutine->self);
}

static void begin(unsigned int high, unsigned int low)
{
	struct coroutine *const coroutine =
		(void *)((uintptr_t)high << 32 | (uintptr_t)low);

	coroutine->body(coroutine);
	coroutine->ended = true;
	yield(coroutine);
}

/*
 * makecontext(3) passes arguments of type int, so the pointer is passed in
 * halves.
 */
static void make(struct coroutine *coroutine,
		 void (*body)(struct coroutine *coroutine))
{
	const uint64_t address = (uintptr_t)coroutine;

	coroutine->body = body;
	coroutine->ended = false;
	getcontext(&coroutine->self);
	coroutine->self.uc_stack.ss_sp = coroutine->stack;
	coroutine->self.uc_stack.ss_size = STACK;
	coroutine->self.uc_link = NULL;
	makecontext(&coroutine->self, (void (*)(void))begin, 2,
		    (unsigned int)(address >> 32), (unsigned int)address);
}

/* ---- on one thread ------------------------------------------------------ */

static void take_turns(struct coroutine *coroutine)
{
	while (soak_goes_on()) {
		SELFMON_REGION("turn")
		{
			yield(coroutine);
			SELFMON_REGION("turn below")
			{
				yield(coroutine);
			}
		}
		soak_count(SOAK_TURN, 2);
	}
}

static bool resume_all(struct coroutine *coroutine)
{
	bool more = false;
	int i;

	for (i = 0; i < COROUTINES; i++) {
		if (!coroutine[i].ended)
			resume(&coroutine[i]);
		more |= !coroutine[i].ended;
	}
	return more;
}

void *soak_take_turns(void *unused)
{
	static struct coroutine coroutine[COROUTINES];
	bool more = true;
	int i;

	for (i = 0; i < COROUTINES; i++)
		make(&coroutine[i], take_turns);
	while (more) {
		SELFMON_REGION("turn of all")
		{
			more = resume_all(coroutine);
		}
		soak_count(SOAK_TURN, 1);
	}
	return unused;
}

/* ---- coroutines that change threads ------------------------------------- */

#define THREADS 2
/*
 * A thread exits after at most this number of resumes, with coroutines in
 * regions. An attempt that finds no coroutine counts, too.
 */
#define RESUMES 50

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct coroutine *waiting[COROUTINES];
static int waiting_count, alive;

static void move_about(struct coroutine *coroutine)
{
	while (soak_goes_on()) {
		SELFMON_REGION("moved")
		{
			yield(coroutine);
			SELFMON_REGION("moved below")
			{
				yield(coroutine);
			}
		}
		soak_count(SOAK_MOVED, 2);
	}
}

/* Takes the coroutine that has waited longest. Returns NULL if none waits. */
static struct coroutine *take_one(void)
{
	struct coroutine *one = NULL;
	int i;

	pthread_mutex_lock(&lock);
	if (waiting_count > 0) {
		one = waiting[0];
		waiting_count--;
		for (i = 0; i < waiting_count; i++)
			waiting[i] = waiting[i + 1];
	}
	pthread_mutex_unlock(&lock);
	return one;
}

static void give_back(struct coroutine *one)
{
	pthread_mutex_lock(&lock);
	if (one->ended)
		alive--;
	else
		waiting[waiting_count++] = one;
	pthread_mutex_unlock(&lock);
}

static void *run_some(void *unused)
{
	struct coroutine *one;
	int i;

	for (i = 0; i < RESUMES; i++) {
		one = take_one();
		if (!one) {
			sched_yield();
			continue;
		}
		resume(one);
		give_back(one);
	}
	return unused;
}

void *soak_move_about(void *unused)
{
	static struct coroutine coroutine[COROUTINES];
	pthread_t thread[THREADS];
	int i;

	for (i = 0; i < COROUTINES; i++) {
		make(&coroutine[i], move_about);
		waiting[i] = &coroutine[i];
	}
	waiting_count = alive = COROUTINES;
	while (alive > 0) {
		for (i = 0; i < THREADS; i++)
			thread[i] = soak_start(run_some, NULL);
		for (i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
	}
	return unused;
}

/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "session/drain.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "event/sample_spec.h"
#include "platform/kernel.h"
#include "session/thread_ring.h"

/*
 * Time between two rounds over all rings. A ring of 64 KiB has room for 200
 * samples; by default a thread has one sample per millisecond. At exit the
 * process may have to wait for this time.
 */
#define DRAIN_NS 10000000
#define DRAIN_STACK ((size_t)128 << 10)

static struct {
	pthread_t thread;
	/*
	 * Id of the process that started the thread; 0: there is no thread. In
	 * a forked child it is the parent's id.
	 */
	int32_t pid;
	bool stop;
} drain;

static void read_all_rings(void)
{
	struct selfmon_process *const process = selfmon_process_made();
	struct selfmon_thread *thread;

	if (!process || !selfmon_load_once(&process->sampling_chosen))
		return;
	thread = __atomic_load_n(&process->threads, __ATOMIC_ACQUIRE);
	for (; thread; thread = thread->next)
		selfmon_thread_ring_read_other(thread);
}

static void *run_drain(void *unused)
{
	(void)unused;
	while (!__atomic_load_n(&drain.stop, __ATOMIC_ACQUIRE)) {
		selfmon_kernel_sleep_ns(DRAIN_NS);
		read_all_rings();
	}
	return NULL;
}

static bool wants_thread(const char *sample)
{
	struct selfmon_sample_spec spec;
	char why[SELFMON_MESSAGE_SIZE];

	return !selfmon_sample_spec_parse(sample, &spec, why, sizeof(why)) &&
	       spec.event[0] && !spec.at_borders;
}

/*
 * If the thread cannot be started, samples of a long visit may be lost, as with
 * drain=border.
 */
static void start_thread(void)
{
	struct selfmon_signals signals;
	pthread_attr_t attr;

	if (pthread_attr_init(&attr))
		return;
	pthread_attr_setstacksize(&attr, DRAIN_STACK);
	selfmon_kernel_block_signals(&signals);
	if (!pthread_create(&drain.thread, &attr, run_drain, NULL)) {
		pthread_setname_np(drain.thread, "selfmon-samples");
		drain.pid = (int32_t)selfmon_kernel_pid();
	}
	selfmon_kernel_restore_signals(&signals);
	pthread_attr_destroy(&attr);
}

void selfmon_drain_begin(const char *sample)
{
	if (sample && drain.pid != (int32_t)selfmon_kernel_pid() &&
	    wants_thread(sample))
		start_thread();
}

void selfmon_drain_end(void)
{
	if (drain.pid != (int32_t)selfmon_kernel_pid())
		return;
	__atomic_store_n(&drain.stop, true, __ATOMIC_RELEASE);
	pthread_join(drain.thread, NULL);
	drain.pid = 0;
	drain.stop = false;
}

__attribute__((constructor)) static void begin_by_environment(void)
{
	const char *const enable = secure_getenv("SELFMON_ENABLE");

	if (!enable || strcmp(enable, "0") != 0)
		selfmon_drain_begin(secure_getenv("SELFMON_SAMPLE"));
}

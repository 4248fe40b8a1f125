/* SPDX-License-Identifier: MIT */
/*
 * The writer of a trace. Threads write their rings without waiting for the
 * writer. If a thread is faster than the writer, it overwrites entries that are
 * not yet in the file; these are counted as lost.
 */
#define _GNU_SOURCE
#include "session/trace_writer.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/futex.h"
#include "platform/kernel.h"
#include "platform/path.h"
#include "session/trace_bursts.h"
#include "session/trace_limits.h"
#include "session/trace_owners.h"
#include "session/trace_rings.h"
#include "store/trace_file.h"

/*
 * At 6 million visits per second, a thread fills a quarter of the default ring
 * within 10 ms.
 */
#define PAUSE_NS 10000000
#define WRITER_STACK ((size_t)256 << 10)
/*
 * At the end of the process, other threads may have reserved entries that they
 * have not written yet. The last reading tries again at most this many times,
 * SELFMON_TRACE_SHORT_PAUSE_NS / 10 apart.
 */
#define SETTLE_PAUSES 100

static struct {
	pthread_t thread;
	int32_t pid; /* of the traced process, maybe a parent; 0: no trace */
	bool stop;
} writer;

static void *run_writer(void *unused)
{
	struct selfmon_process *const process = selfmon_process();
	uint64_t pause = SELFMON_TRACE_LIMITS_NS;

	(void)unused;
	while (selfmon_trace.bursts && process &&
	       !__atomic_load_n(&writer.stop, __ATOMIC_ACQUIRE)) {
		selfmon_futex_wait(&process->triggered, pause);
		pause = selfmon_trace_answer(process);
	}
	while (!__atomic_load_n(&writer.stop, __ATOMIC_ACQUIRE))
		selfmon_kernel_sleep_ns(selfmon_trace_read_rings() > 64
						? SELFMON_TRACE_SHORT_PAUSE_NS
						: PAUSE_NS);
	return NULL;
}

static bool start_writer(void)
{
	struct selfmon_signals signals;
	pthread_attr_t attr;
	int error;

	if (pthread_attr_init(&attr))
		return false;
	pthread_attr_setstacksize(&attr, WRITER_STACK);
	selfmon_kernel_block_signals(&signals);
	error = pthread_create(&writer.thread, &attr, run_writer, NULL);
	if (!error)
		pthread_setname_np(writer.thread, "selfmon-trace");
	selfmon_kernel_restore_signals(&signals);
	pthread_attr_destroy(&attr);
	return !error;
}

static bool take_regions(void)
{
	char why[SELFMON_MESSAGE_SIZE];
	int error;

	if (!selfmon_trace.spec.regions)
		return true;
	error = regcomp(&selfmon_trace.regions, selfmon_trace.spec.regions,
			REG_EXTENDED | REG_NOSUB);
	if (!error)
		return true;
	regerror(error, &selfmon_trace.regions, why, sizeof(why));
	selfmon_trace_note("regions= is not a regular expression; no trace is "
			   "written: ", why);
	return false;
}

static const char *why_no_trace(int error)
{
	switch (error) {
	case -EEXIST: return "the existing file is not a trace";
	case -EBUSY:
		return "another process is writing it; put %p, the process id, "
		       "in the name";
	case -ELOOP: return "symbolic links are not followed";
	case -EINVAL: return "it is not a regular file";
	case -ENAMETOOLONG: return "the name is too long";
	case -EPERM:
		if (selfmon_kernel_is_secure())
			return "the program has more privileges than its "
			       "caller";
		break;
	}
	return strerror(-error);
}

static int begin_file(void)
{
	char path[SELFMON_PATH_SIZE];
	bool names_process;
	void *memory;
	int error;

	if (!selfmon_path_expand(selfmon_config()->trace,
				 selfmon_trace.spec.file_length, path,
				 &names_process))
		return -ENAMETOOLONG;
	error = selfmon_kernel_map_memory(SELFMON_TRACE_REGIONS_MAX, false,
					  &memory);
	if (error)
		return error;
	selfmon_trace.region = memory;
	error = selfmon_trace_file_begin(path);
	if (error)
		selfmon_kernel_unmap_memory(memory, SELFMON_TRACE_REGIONS_MAX);
	return error;
}

void selfmon_trace_begin(void)
{
	const char *const text = selfmon_config()->trace;
	const int32_t pid = (int32_t)selfmon_kernel_pid();
	char why[SELFMON_MESSAGE_SIZE];
	int error;

	if (!*text || !strcmp(text, "none") || writer.pid == pid)
		return;
	memset(&writer, 0, sizeof(writer));
	memset(&selfmon_trace, 0, sizeof(selfmon_trace));
	if (selfmon_trace_spec_parse(text, &selfmon_trace.spec, why,
				     sizeof(why))) {
		selfmon_trace_note("no trace is written: ", why);
		return;
	}
	if (!take_regions())
		return;
	selfmon_trace.bursts =
		selfmon_trace.spec.longer_ns || selfmon_trace.spec.above_ppm;
	error = begin_file();
	if (error) {
		selfmon_trace_note("no trace is written: ",
				   why_no_trace(error));
		return;
	}
	selfmon_trace_limits_begin(&selfmon_trace.spec);
	selfmon_trace_write_clock();
	if (!start_writer()) {
		selfmon_trace_file_end();
		selfmon_trace_note("no trace is written: ",
				   "no thread could be started");
		return;
	}
	writer.pid = pid;
	selfmon_config()->traced = true;
}

size_t selfmon_trace_ring(void)
{
	return selfmon_config()->traced ? selfmon_trace.spec.ring : 0;
}

static void take_last_names(struct selfmon_process *process)
{
	struct selfmon_thread *thread =
		__atomic_load_n(&process->threads, __ATOMIC_ACQUIRE);

	for (; thread; thread = thread->next)
		if (thread->recorder && thread->recorder->trace)
			selfmon_trace_take_last_name(thread->recorder);
}

/*
 * Reads all rings to their ends, or with `longer=` to the last visit that
 * triggered. Waits a short time for threads that have reserved an entry but not
 * yet written it.
 */
static void read_the_rest(void)
{
	struct selfmon_process *const process = selfmon_process_made();
	struct selfmon_thread *thread;
	int i;

	if (!process)
		return;
	if (selfmon_trace.bursts) {
		for (i = 0;
		     i < SETTLE_PAUSES && selfmon_trace_read_bursts(process) ==
						  SELFMON_TRACE_SHORT_PAUSE_NS;
		     i++)
			selfmon_kernel_sleep_ns(SELFMON_TRACE_SHORT_PAUSE_NS /
						10);
		take_last_names(process);
		selfmon_trace_write_names(process);
		return;
	}
	selfmon_trace_read_rings();
	thread = __atomic_load_n(&process->threads, __ATOMIC_ACQUIRE);
	for (; thread; thread = thread->next) {
		const struct selfmon_recorder *const recorder = thread->recorder;

		if (!recorder || !recorder->trace)
			continue;
		for (i = 0; i < SETTLE_PAUSES &&
			    recorder->trace->read <
				    selfmon_load_once(&recorder->position);
		     i++) {
			selfmon_trace_read_ring(thread);
			selfmon_kernel_sleep_ns(SELFMON_TRACE_SHORT_PAUSE_NS /
						10);
		}
	}
	selfmon_trace_write_names(process);
}

static void say_what_is_lost(void)
{
	const uint64_t all = selfmon_trace.lost + selfmon_trace.entries;
	char text[SELFMON_MESSAGE_SIZE];

	if (!selfmon_trace.lost)
		return;
	snprintf(text, sizeof(text),
		 "%llu of %llu entries were overwritten before they were "
		 "written to the file; a larger ring=SIZE (now %zuk), or fewer "
		 "regions, may help",
		 (unsigned long long)selfmon_trace.lost,
		 (unsigned long long)all, selfmon_trace.spec.ring >> 10);
	selfmon_trace_note(text, "");
}

void selfmon_trace_end(void)
{
	const struct selfmon_trace_block end = { SELFMON_TRACE_END,
						 sizeof(end) };
	struct selfmon_process *const process = selfmon_process_made();

	if (writer.pid != (int32_t)selfmon_kernel_pid())
		return;
	__atomic_store_n(&writer.stop, true, __ATOMIC_RELEASE);
	if (process && selfmon_trace.bursts) {
		__atomic_store_n(&process->triggered, 1, __ATOMIC_RELEASE);
		selfmon_futex_wake(&process->triggered);
	}
	pthread_join(writer.thread, NULL);
	read_the_rest();
	selfmon_trace_write_clock();
	selfmon_trace_add(&end);
	selfmon_trace_file_end();
	writer.pid = 0;
	say_what_is_lost();
	if (process && selfmon_trace.bursts)
		selfmon_trace_say_left_out(process);
}

__attribute__((constructor)) static void begin_trace_by_environment(void)
{
	const char *const enable = secure_getenv("SELFMON_ENABLE");
	const char *const text = secure_getenv("SELFMON_TRACE");

	if (text && *text && (!enable || strcmp(enable, "0") != 0) &&
	    selfmon_process())
		selfmon_trace_begin();
}

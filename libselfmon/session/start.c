/* SPDX-License-Identifier: MIT */
/*
 * Functions that a program may call before it measures: they set options,
 * switch regions on and off, and prepare threads.
 */
#include <errno.h>

#include <selfmon/version.h>

#include "session/drain.h"
#include "session/thread.h"
#include "session/trace_writer.h"
#include "store/config.h"
#include "store/lock.h"
#include "store/process.h"
#include "store/watch.h"

/* Returns true if the program requests reports of long visits. */
static bool has_longer(const struct selfmon_options *options)
{
	return options && options->size >= sizeof(*options) && options->longer;
}

int selfmon_configure(const struct selfmon_options *options)
{
	struct selfmon_process *const process = selfmon_process();
	struct selfmon_config *const config = selfmon_config();
	int error = -EBUSY;

	if (!process)
		return -ENOMEM;
	if (has_longer(options))
		selfmon_watch_clock();
	selfmon_process_lock(process);
	if (process->choice == SELFMON_CHOICE_NONE && !process->threads)
		error = selfmon_config_take(options);
	if (!error)
		config->longer_ticks = has_longer(options)
					       ? selfmon_watch_ticks(
							 config->longer_ns)
					       : 0;
	selfmon_process_unlock(process);
	if (!error) {
		selfmon_drain_begin(selfmon_config()->sample);
		selfmon_trace_begin();
	}
	return error;
}

const char *selfmon_version(void)
{
	return SELFMON_VERSION;
}

bool selfmon_enable(bool on)
{
	if (!on)
		__atomic_add_fetch(&selfmon_config_offs, 1, __ATOMIC_RELAXED);
	return __atomic_exchange_n(&selfmon_impl_on, on, __ATOMIC_RELAXED);
}

int selfmon_prepare(void)
{
	/*
	 * Opens the thread's counter set. The first thread of the process also
	 * chooses the events of the process.
	 */
	return selfmon_thread_prepare();
}

int selfmon_thread_prepare(void)
{
	struct selfmon_process *process = selfmon_process();

	if (!process)
		return -ENOMEM;
	if (!selfmon_load_once(&selfmon_impl_on))
		return -ENOSYS;
	return selfmon_thread_attach() ? 0 : -ENOMEM;
}

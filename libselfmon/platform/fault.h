/* SPDX-License-Identifier: MIT */
/*
 * The guard's signal handler. Recognises faults of counter reads by the mark
 * after the instruction (include/selfmon/arch.h), and passes all others on.
 */
#ifndef SELFMON_PLATFORM_FAULT_H
#define SELFMON_PLATFORM_FAULT_H

/*
 * Ends the user reads of a set after one of its counter reads faulted. Called
 * in the handler.
 */
typedef void (*selfmon_fault_fn)(void *set);

/*
 * Installs the handler. Later calls do nothing, so that a handler that the
 * program installed afterwards stays. Returns 0 or -errno.
 */
int selfmon_fault_catch(selfmon_fault_fn taken);

/*
 * Restores the handler that was replaced. The library ends and may be unmapped,
 * so no signal may reach its code. A handler installed on top must be removed
 * before.
 */
void selfmon_fault_release(void);

/* Returns 0, -ENOENT (not installed), -ESRCH (replaced) or -ENOSYS. */
int selfmon_fault_check(void);

#endif

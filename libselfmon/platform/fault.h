/* SPDX-License-Identifier: MIT */
/*
 * The guard's signal handler: knows faults of counter reads by the mark behind
 * them (include/selfmon/arch.h), and hands all else on.
 */
#ifndef SELFMON_PLATFORM_FAULT_H
#define SELFMON_PLATFORM_FAULT_H

/*
 * Takes a set out of user reads: a counter read of it has faulted. Called in
 * the handler.
 */
typedef void (*selfmon_fault_fn)(void *set);

/*
 * Installs the handler; the second call and later ones do nothing, so that a
 * handler of the program's that came later stays. 0 or -errno.
 */
int selfmon_fault_catch(selfmon_fault_fn taken);

/*
 * Puts back what the handler replaced: the library ends, and may be unmapped,
 * so no signal must lead here. A handler that was installed over it has to be
 * removed before.
 */
void selfmon_fault_release(void);

/* 0, -ENOENT (not installed), -ESRCH (replaced) or -ENOSYS. */
int selfmon_fault_check(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The guard's signal handler. It recognises faults of counter reads by a mark
 * after the instruction (include/selfmon/arch.h), and passes all other signals
 * to the previous handler.
 */
#ifndef SELFMON_PLATFORM_FAULT_H
#define SELFMON_PLATFORM_FAULT_H

/*
 * Type of the function that ends the user reads of a set after one of its
 * counter reads faulted. The signal handler calls it.
 */
typedef void (*selfmon_fault_fn)(void *set);

/*
 * Installs the handler. Later calls do nothing, so that a handler that the
 * program installs afterwards stays in place. Returns 0 or -errno.
 */
int selfmon_fault_catch(selfmon_fault_fn taken);

/*
 * Restores the handler that was replaced. Called when the library ends and may
 * be unmapped: afterwards no signal must reach its code. A program that
 * installed a handler later must remove it first.
 */
void selfmon_fault_release(void);

/* Returns 0, -ENOENT (not installed), -ESRCH (replaced) or -ENOSYS. */
int selfmon_fault_check(void);

#endif

/* SPDX-License-Identifier: MIT */
#include "platform/once.h"

#include <errno.h>
#include <stddef.h>

/*
 * A waiting thread sleeps for this time. If it only yielded, and had a higher
 * priority, it would starve the thread that does the work.
 */
#define WAIT_NS 50000

enum state { STATE_FREE = 0, STATE_TAKEN, STATE_DONE };

static uint32_t *word_of(struct selfmon_once *turn)
{
	uint32_t *word = __atomic_load_n(&turn->word, __ATOMIC_ACQUIRE);
	void *memory = NULL;

	if (word || selfmon_kernel_map_memory(sizeof(*word), true, &memory))
		return word;
	if (__atomic_compare_exchange_n(&turn->word, &word, memory, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return memory;
	selfmon_kernel_unmap_memory(memory, sizeof(*word));
	return word;
}

/*
 * Tries to become the thread that does the work. Leaves signals blocked only if
 * this succeeds, so that handlers run while the thread waits.
 */
static bool take_turn(uint32_t *word, struct selfmon_critical *holder)
{
	uint32_t state = STATE_FREE;

	selfmon_kernel_block_signals(&holder->signals);
	if (__atomic_compare_exchange_n(word, &state, STATE_TAKEN, false,
					__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return true;
	selfmon_kernel_restore_signals(&holder->signals);
	return false;
}

int selfmon_once_begin(struct selfmon_once *turn,
		       struct selfmon_critical *holder)
{
	uint32_t *const word = word_of(turn);
	const int before = errno;
	struct selfmon_cancel cancel;

	if (!word)
		return -ENOMEM;
	if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == STATE_DONE)
		return 0;
	selfmon_cancel_off(&cancel); /* sleeping is a cancellation point */
	while (!take_turn(word, holder)) {
		if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == STATE_DONE) {
			errno = before;
			selfmon_cancel_restore(&cancel);
			return 0;
		}
		selfmon_kernel_sleep_ns(WAIT_NS);
	}
	holder->cancel = cancel;
	holder->signals.error = before;
	return 1;
}

void selfmon_once_end(struct selfmon_once *turn,
		      const struct selfmon_critical *holder, bool done)
{
	__atomic_store_n(turn->word, done ? STATE_DONE : STATE_FREE,
			 __ATOMIC_RELEASE);
	selfmon_critical_end(holder);
}

bool selfmon_once_is_done(const struct selfmon_once *turn)
{
	const uint32_t *const word =
		__atomic_load_n(&turn->word, __ATOMIC_ACQUIRE);

	return word && __atomic_load_n(word, __ATOMIC_ACQUIRE) == STATE_DONE;
}

void selfmon_once_reset(struct selfmon_once *turn)
{
	if (turn->word)
		__atomic_store_n(turn->word, STATE_FREE, __ATOMIC_RELEASE);
}

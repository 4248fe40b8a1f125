/* SPDX-License-Identifier: MIT */
/* See turn.h. */
#include "platform/turn.h"

#include <errno.h>
#include <stddef.h>

/* A thread of higher priority that only gave way would keep the other out. */
#define WAIT_NS 50000

enum state { STATE_FREE = 0, STATE_TAKEN, STATE_DONE };

static uint32_t *word_of(struct selfmon_turn *turn)
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

/* A thread that has to wait has its handlers meanwhile. */
static bool take_turn(uint32_t *word, struct selfmon_aside *holder)
{
	uint32_t state = STATE_FREE;

	selfmon_kernel_block_signals(&holder->signals);
	if (__atomic_compare_exchange_n(word, &state, STATE_TAKEN, false,
					__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return true;
	selfmon_kernel_restore_signals(&holder->signals);
	return false;
}

int selfmon_turn_begin(struct selfmon_turn *turn,
		       struct selfmon_aside *holder)
{
	uint32_t *const word = word_of(turn);
	const int before = errno;
	struct selfmon_cancel cancel;

	if (!word)
		return -ENOMEM;
	if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == STATE_DONE)
		return 0;
	selfmon_cancel_off(&cancel); /* to sleep is a cancellation point */
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

void selfmon_turn_end(struct selfmon_turn *turn,
		      const struct selfmon_aside *holder, bool done)
{
	__atomic_store_n(turn->word, done ? STATE_DONE : STATE_FREE,
			 __ATOMIC_RELEASE);
	selfmon_aside_end(holder);
}

bool selfmon_turn_is_done(const struct selfmon_turn *turn)
{
	const uint32_t *const word =
		__atomic_load_n(&turn->word, __ATOMIC_ACQUIRE);

	return word && __atomic_load_n(word, __ATOMIC_ACQUIRE) == STATE_DONE;
}

void selfmon_turn_reset(struct selfmon_turn *turn)
{
	if (turn->word)
		__atomic_store_n(turn->word, STATE_FREE, __ATOMIC_RELEASE);
}

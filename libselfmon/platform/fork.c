/* SPDX-License-Identifier: MIT */
/*
 * Tokens of processes. The token is in memory that the kernel wipes in a forked
 * child. The number of the last token, fork_last, is copied to the child, which
 * takes the next number as its own token. This code uses atomic operations
 * instead of a lock. A fork() in another thread may happen while a lock is
 * held, and in the child the lock would stay held for ever.
 */
#include "platform/fork.h"

#include <stddef.h>

#include "platform/kernel.h"

/* fork_word points here if the kernel cannot wipe memory at fork(). */
static int32_t no_word;
static int32_t *fork_word; /* NULL: not yet allocated */
static int32_t fork_last;

/*
 * Returns the word that has the token, or &no_word. All threads must use the
 * same token, so they all use the word that was stored first.
 */
static int32_t *token_word(void)
{
	int32_t *word = __atomic_load_n(&fork_word, __ATOMIC_ACQUIRE);
	void *memory = NULL;

	if (word)
		return word;
	if (selfmon_kernel_map_memory(sizeof(*word), true, &memory))
		memory = &no_word;
	if (__atomic_compare_exchange_n(&fork_word, &word, memory, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return memory;
	if (memory != &no_word)
		selfmon_kernel_unmap_memory(memory, sizeof(*word));
	return word;
}

int32_t selfmon_fork_token(void)
{
	int32_t *const word = token_word();
	int32_t seen, mine;

	if (word == &no_word)
		return (int32_t)selfmon_kernel_pid();
	seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
	if (seen)
		return seen;
	mine = __atomic_add_fetch(&fork_last, 1, __ATOMIC_RELAXED);
	if (__atomic_compare_exchange_n(word, &seen, mine, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return mine;
	return seen;
}

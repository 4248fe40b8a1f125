/* SPDX-License-Identifier: MIT */
/*
 * The sums of all backends: a table in shared memory, whose size is fixed when
 * the server starts. Functions that add values raise no ERROR, since they are
 * also called while a transaction aborts.
 */
#include "selfmon_pg.h"

#include <miscadmin.h>
#include <storage/ipc.h>
#include <storage/proc.h>
#include <storage/shmem.h>
#include <utils/timestamp.h>

struct sm_shared *sm_shared;
HTAB *sm_table;

void sm_store_request(void)
{
	RequestAddinShmemSpace(add_size(
		MAXALIGN(sizeof(struct sm_shared)),
		hash_estimate_size(sm_max, sizeof(struct sm_entry))));
	RequestNamedLWLockTranche("selfmon", 1);
}

void sm_store_attach(void)
{
	HASHCTL control = { .keysize = sizeof(struct sm_key),
			    .entrysize = sizeof(struct sm_entry) };
	bool found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	sm_shared = ShmemInitStruct("selfmon", sizeof(*sm_shared), &found);
	if (!found) {
		memset(sm_shared, 0, sizeof(*sm_shared));
		sm_shared->lock = &GetNamedLWLockTranche("selfmon")->lock;
		sm_shared->since = GetCurrentTimestamp();
	}
	sm_table = ShmemInitHash("selfmon table", sm_max, sm_max, &control,
				 HASH_ELEM | HASH_BLOBS);
	LWLockRelease(AddinShmemInitLock);
}

/*
 * Returns the key's entry, or NULL if there is no room. In both cases returns
 * with the lock held: shared if the entry was found at once, otherwise
 * exclusively.
 */
static struct sm_entry *find(const struct sm_key *key)
{
	struct sm_entry *entry;
	bool found = true;

	LWLockAcquire(sm_shared->lock, LW_SHARED);
	entry = hash_search(sm_table, key, HASH_FIND, NULL);
	if (entry)
		return entry;
	LWLockRelease(sm_shared->lock);
	LWLockAcquire(sm_shared->lock, LW_EXCLUSIVE);
	if (hash_get_num_entries(sm_table) < sm_max)
		entry = hash_search(sm_table, key, HASH_ENTER_NULL, &found);
	else /* another backend may have created it */
		entry = hash_search(sm_table, key, HASH_FIND, NULL);
	if (!found && entry) {
		memset((char *)entry + sizeof(*key), 0,
		       sizeof(*entry) - sizeof(*key));
		SpinLockInit(&entry->mutex);
	}
	return entry;
}

static void add_values(struct sm_entry *entry, const struct sm_values *values)
{
	for (size_t i = 0; i < sm_events.count; i++) {
		if (!(values->counted & 1u << i))
			continue;
		entry->count[i] += values->count[i];
		entry->counted[i]++;
	}
	entry->by_read |= values->by_read & values->counted;
	entry->scaled |= values->scaled & values->counted;
}

static void add(struct sm_entry *entry, enum sm_how how,
		const struct sm_values *values, uint64 runs)
{
	switch (how) {
	case SM_CALL:
		entry->calls++;
		entry->ticks += values->ticks;
		entry->max_ticks = Max(entry->max_ticks, values->ticks);
		entry->runs += runs;
		add_values(entry, values);
		break;
	case SM_WORKER:
		entry->workers++;
		add_values(entry, values);
		break;
	case SM_ERROR:
		entry->errors++;
		break;
	case SM_CUT_OFF:
		entry->cut_off++;
		break;
	}
}

void sm_store_add(const struct sm_key *key, enum sm_how how,
		  const struct sm_values *values, uint64 runs)
{
	struct sm_entry *entry;

	if (!MyProc) /* the backend is exiting and cannot wait for a lock */
		return;
	entry = find(key);
	if (entry) {
		SpinLockAcquire(&entry->mutex);
		add(entry, how, values, runs);
		SpinLockRelease(&entry->mutex);
	} else { /* the lock is held exclusively */
		sm_shared->dropped++;
	}
	LWLockRelease(sm_shared->lock);
}

void sm_store_drop(void)
{
	LWLockAcquire(sm_shared->lock, LW_EXCLUSIVE);
	sm_shared->dropped++;
	LWLockRelease(sm_shared->lock);
}

void sm_store_reset(void)
{
	HASH_SEQ_STATUS all;
	struct sm_entry *entry;

	LWLockAcquire(sm_shared->lock, LW_EXCLUSIVE);
	hash_seq_init(&all, sm_table);
	while ((entry = hash_seq_search(&all)))
		hash_search(sm_table, &entry->key, HASH_REMOVE, NULL);
	sm_shared->dropped = 0;
	sm_shared->since = GetCurrentTimestamp();
	LWLockRelease(sm_shared->lock);
}

void sm_store_reason(size_t i, const char *reason)
{
	LWLockAcquire(sm_shared->lock, LW_EXCLUSIVE);
	strlcpy(sm_shared->reason[i], reason, SM_REASON_SIZE);
	LWLockRelease(sm_shared->lock);
}

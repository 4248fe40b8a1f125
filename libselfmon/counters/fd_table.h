/* SPDX-License-Identifier: MIT */
/* The descriptors of all events that the library has open in this process. */
#ifndef SELFMON_COUNTERS_FD_TABLE_H
#define SELFMON_COUNTERS_FD_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <selfmon/error.h>

/*
 * Call before opening events. The first call in a forked child closes the
 * descriptors of its parent's events, including the clock's.
 */
void selfmon_fd_table_begin(void);

/*
 * Stores the descriptor of an event that was just opened. Returns the kernel's
 * id of the event, or 0 if unknown.
 */
uint64_t selfmon_fd_table_add(int fd);

/*
 * Returns true if the descriptor still belongs to the event with this id. Also
 * returns true if the id is unknown, or if the kernel refuses the query.
 */
bool selfmon_fd_table_is(int fd, uint64_t id);

/*
 * Closes the descriptor if it still belongs to the event with this id: the
 * program may have closed all descriptors and reused the number.
 */
void selfmon_fd_table_close(int fd, uint64_t id);

/*
 * Closes a descriptor that this thread has just opened. Needs no check, since
 * the number cannot have been reused yet.
 */
void selfmon_fd_table_drop(int fd);

/*
 * Both return true if the library's share of a resource is used up: half of
 * RLIMIT_NOFILE, or half of vm.max_map_count. The program needs the other half.
 * In that case *failure has the step SELFMON_STEP_POLICY and names the limit to
 * raise.
 */
bool selfmon_fd_table_all_fds(struct selfmon_failure *failure);
bool selfmon_fd_table_all_maps(struct selfmon_failure *failure);

/*
 * Returns true if the library uses less than a quarter of RLIMIT_NOFILE, so
 * that opening a few more descriptors does no harm.
 */
bool selfmon_fd_table_few_fds(void);

/* Adds to the library's count of mapped pages. `pages` may be negative. */
void selfmon_fd_table_map(int pages);

/*
 * Disables all events of this process in the table. Their descriptors stay
 * open: a thread may be about to read an event, and must not read a file that
 * has reused the descriptor's number.
 */
void selfmon_fd_table_disable(void);

#endif

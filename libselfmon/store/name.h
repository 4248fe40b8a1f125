/* SPDX-License-Identifier: MIT */
/* The regions of the process by name, file and line. */
#ifndef SELFMON_STORE_NAME_H
#define SELFMON_STORE_NAME_H

#include <selfmon/region.h>

/* A region. Ids start at 1. */
struct selfmon_region {
	/* Must be first: the handle of a region is used as a site. */
	struct selfmon_site site;
	uint64_t hash;
	size_t length;            /* of the name */
};

/*
 * Returns the region's id. Returns 0 if out of memory, or if there are too many
 * regions. Takes the process lock.
 */
uint32_t selfmon_name_register(const char *name, const char *file,
			       uint32_t line);
/* Registers the region of a site, and stores the id in the site. */
uint32_t selfmon_name_register_site(struct selfmon_site *site);
const struct selfmon_region *selfmon_name_of(uint32_t id);

/* Writes all regions to a new live file. The caller holds the process lock. */
struct selfmon_process;
void selfmon_name_publish(const struct selfmon_process *process);

#endif

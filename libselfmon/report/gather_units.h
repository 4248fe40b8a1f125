/* SPDX-License-Identifier: MIT */
/* Adds up the units that the visits of nodes counted. */
#ifndef SELFMON_REPORT_GATHER_UNITS_H
#define SELFMON_REPORT_GATHER_UNITS_H

#include "report/gather.h"
#include "report/gather_tree.h"
#include "store/work.h"

/*
 * Adds a copy of a node's counts to its row. The tree must already contain the
 * node. Returns 0 or -ENOMEM.
 */
int selfmon_gather_work(struct selfmon_gather *gather,
			const struct selfmon_gather_tree *tree,
			const struct selfmon_work *work);
/* Returns a row's counts of a unit, or NULL if it counted nothing. */
const struct selfmon_gathered_unit *
selfmon_gathered_unit(const struct selfmon_gather *gather, size_t row,
		      size_t unit);
/*
 * Copies all units: the rows of a copied gather refer to them. Returns 0 or
 * -ENOMEM.
 */
int selfmon_gather_units_copy(struct selfmon_gather *to,
			      const struct selfmon_gather *from);
/*
 * Subtracts, from the counts of the row, its counts when the interval began:
 * the counts of row `before` in `from`.
 */
void selfmon_gather_units_since(struct selfmon_gather *to, size_t row,
				const struct selfmon_gather *from,
				size_t before);

#endif

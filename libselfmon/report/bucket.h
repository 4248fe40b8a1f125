/* SPDX-License-Identifier: MIT */
/* Buckets of the histogram of ticks. */
#ifndef SELFMON_REPORT_BUCKET_H
#define SELFMON_REPORT_BUCKET_H

#include "report/model.h"
#include "store/statistics.h"

/* Returns the lower bound of a bucket, in ticks. */
uint64_t selfmon_gather_low(unsigned int bucket);
/*
 * Returns the middle of a bucket in ticks. The last bucket has no upper bound:
 * for it, returns `most`, the longest visit.
 */
double selfmon_bucket_middle(unsigned int bucket, uint64_t most);
/* Copies all buckets of a node's or a row's times. */
void selfmon_buckets_copy(uint64_t histogram[SELFMON_BUCKETS],
			  const struct selfmon_stats *stats);
/*
 * Finds the first bucket with visits, and the bucket after the last bucket with
 * visits. Without visits *first is the last bucket, and *last is *first + 1.
 */
void selfmon_buckets_range(const uint64_t histogram[SELFMON_BUCKETS],
			   unsigned int *first, unsigned int *last);
/*
 * Returns the middle of the bucket that contains the visit at quantile q, as in
 * selfmon_row_bucket.ns. Returns 0 if there are no buckets.
 */
double selfmon_buckets_quantile(const struct selfmon_row_bucket *bucket,
				size_t buckets, double q);

/*
 * Merges two lists of buckets into the first one, in rising order. Returns 0 or
 * -ENOMEM.
 */
int selfmon_buckets_add(struct selfmon_row_bucket **to, size_t *buckets,
			const struct selfmon_row_bucket *from, size_t count);

#endif

/* SPDX-License-Identifier: MIT */
#include "report/bucket.h"

#include <errno.h>
#include <stdlib.h>

uint64_t selfmon_gather_low(unsigned int bucket)
{
	return selfmon_bucket_low(bucket);
}

double selfmon_bucket_middle(unsigned int bucket, uint64_t most)
{
	if (bucket >= SELFMON_BUCKETS - 1)
		return (double)most;
	return (double)(selfmon_gather_low(bucket) +
			selfmon_gather_low(bucket + 1) - 1) / 2;
}

void selfmon_buckets_copy(uint64_t histogram[SELFMON_BUCKETS],
			  const struct selfmon_stats *stats)
{
	unsigned int b;

	for (b = 0; b < SELFMON_BUCKETS; b++)
		histogram[b] = selfmon_stats_bucket(stats, b);
}

void selfmon_buckets_range(const uint64_t histogram[SELFMON_BUCKETS],
			   unsigned int *first, unsigned int *last)
{
	*first = 0;
	*last = SELFMON_BUCKETS;
	while (*first < SELFMON_BUCKETS - 1 && !histogram[*first])
		++*first;
	while (*last > *first + 1 && !histogram[*last - 1])
		--*last;
}

/*
 * Returns the rank of the visit at quantile q. The shortest visit has rank 1.
 */
static uint64_t visit_rank(double q, uint64_t visits)
{
	/*
	 * Compensates the rounding of q and of the product: for example, the
	 * 0.99 quantile of 100 visits must be visit 99.
	 */
	const double rank = q * (double)visits * (1 - 1e-15);
	const uint64_t below = (uint64_t)rank;

	return below + ((double)below < rank);
}

double selfmon_buckets_quantile(const struct selfmon_row_bucket *bucket,
				size_t buckets, double q)
{
	uint64_t total = 0, below = 0, rank;
	size_t b;

	for (b = 0; b < buckets; b++)
		total += bucket[b].visits;
	rank = visit_rank(q, total);
	for (b = 0; b + 1 < buckets; b++) {
		below += bucket[b].visits;
		if (below >= rank)
			break;
	}
	return buckets ? bucket[b].ns : 0;
}

int selfmon_buckets_add(struct selfmon_row_bucket **to, size_t *buckets,
			const struct selfmon_row_bucket *from, size_t count)
{
	struct selfmon_row_bucket *const both =
		calloc(*buckets + count + 1, sizeof(*both));
	size_t a = 0, b = 0, n = 0;

	if (!both)
		return -ENOMEM;
	while (a < *buckets || b < count) {
		const bool second = a == *buckets ||
				    (b < count && from[b].ns < (*to)[a].ns);
		const struct selfmon_row_bucket *next =
			second ? &from[b++] : &(*to)[a++];

		if (n && !(both[n - 1].ns < next->ns))
			both[n - 1].visits += next->visits;
		else
			both[n++] = *next;
	}
	free(*to);
	*to = both;
	*buckets = n;
	return 0;
}

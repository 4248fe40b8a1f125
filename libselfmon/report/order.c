/* SPDX-License-Identifier: MIT */
#include "report/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/model.h"

struct key {
	const struct selfmon_row *row;
	double value;
	int32_t index;  /* original index */
	int32_t parent;
};

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int names;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->value > y->value || x->value < y->value)
		return x->value > y->value ? -1 : 1;
	names = strcmp(x->row->name, y->row->name);
	if (names)
		return names;
	return x->index < y->index ? -1 : 1;
}

struct order {
	const struct selfmon_row *from; /* original order */
	const double *value; /* value of each row; NULL: sort by time */
	size_t rows;
	struct key *key;  /* sorted, so that siblings are adjacent */
	/* [row + 1]: next child of the row in key[]; [0]: of the top level. */
	size_t *next;
	struct selfmon_row *to;
	const struct selfmon_row_detail *detail_from; /* NULL: none */
	struct selfmon_row_detail *detail_to;
	int32_t *place;   /* for each row: its index in to[] */
	size_t done;
};

static void put(struct order *order, int32_t index)
{
	struct selfmon_row *to = &order->to[order->done];
	const int32_t parent = order->from[index].parent;

	*to = order->from[index];
	to->parent = parent < 0 ? -1 : order->place[parent];
	to->depth = parent < 0 ? 0 : order->to[to->parent].depth + 1;
	if (order->detail_from)
		order->detail_to[order->done] = order->detail_from[index];
	order->place[index] = (int32_t)order->done++;
}

/*
 * Walks the tree depth first, without recursion: a tree may be as deep as its
 * program recurses.
 */
static void put_all(struct order *order)
{
	int32_t at = -1;

	while (order->done < order->rows) {
		const size_t next = order->next[at + 1];

		if (next < order->rows && order->key[next].parent == at) {
			order->next[at + 1]++;
			at = order->key[next].index;
			put(order, at);
		} else {
			at = order->from[at].parent;
		}
	}
}

static void sort_keys(struct order *order)
{
	size_t i;

	for (i = 0; i < order->rows; i++) {
		order->key[i].row = &order->from[i];
		order->key[i].value = order->value ? order->value[i]
						   : order->from[i].time.net;
		order->key[i].index = (int32_t)i;
		order->key[i].parent = order->from[i].parent;
	}
	qsort(order->key, order->rows, sizeof(*order->key), compare_keys);
	for (i = 0; i <= order->rows; i++)
		order->next[i] = order->rows;
	for (i = order->rows; i-- > 0;)
		order->next[order->key[i].parent + 1] = i;
}

int selfmon_report_order(struct selfmon_report *report)
{
	return selfmon_report_order_by(report, NULL);
}

int selfmon_report_order_by(struct selfmon_report *report, const double *key)
{
	struct order order = { .from = report->row,
			       .value = key,
			       .detail_from = report->detail,
			       .rows = report->rows };
	int error = -ENOMEM;

	order.key = calloc(order.rows, sizeof(*order.key));
	order.next = calloc(order.rows + 1, sizeof(*order.next));
	order.to = calloc(order.rows, sizeof(*order.to));
	order.detail_to = calloc(order.rows, sizeof(*order.detail_to));
	order.place = calloc(order.rows, sizeof(*order.place));
	if (order.key && order.next && order.to && order.detail_to &&
	    order.place) {
		sort_keys(&order);
		put_all(&order);
		free(report->row);
		report->row = order.to;
		order.to = NULL;
		if (order.detail_from) {
			free(report->detail);
			report->detail = order.detail_to;
			order.detail_to = NULL;
		}
		error = 0;
	}
	free(order.key);
	free(order.next);
	free(order.place);
	free(order.to);
	free(order.detail_to);
	return error;
}

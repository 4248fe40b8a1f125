/* SPDX-License-Identifier: MIT */
#include "report/text_cell.h"

#include <string.h>

#include "report/text.h"

static void cell_unit(struct selfmon_cell *cell, const char *text,
		      unsigned int bytes, unsigned int columns)
{
	if (cell->columns + columns > SELFMON_CELL_COLUMNS)
		return;
	memcpy(cell->text + cell->bytes, text, bytes);
	cell->bytes += bytes;
	cell->columns += columns;
	cell->text[cell->bytes] = '\0';
}

void selfmon_cell_add(struct selfmon_cell *cell, const char *s,
		      unsigned int columns)
{
	const size_t total = selfmon_columns_of(s);
	const size_t head = columns / 2;
	const size_t tail = columns ? columns - 1 - head : 0;
	struct selfmon_glyph unit;
	size_t at = 0;
	bool cut = false;

	if (!columns)
		return;
	for (; selfmon_glyph_next(SELFMON_FOR_TEXT, &s, &unit);
	     at += unit.columns) {
		if (total <= columns || at + unit.columns <= head ||
		    (cut && at >= total - tail)) {
			cell_unit(cell, unit.text, unit.bytes, unit.columns);
		} else if (!cut) {
			cell_unit(cell, "\xe2\x80\xa6", 3, 1);
			cut = true;
		}
	}
}

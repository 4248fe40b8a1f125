/* The table of regions: sorted, filtered, drawn only in the visible part. */

const LINE = 28;  /* pixels of a row, its border included */
const MARGIN = 20; /* rows drawn above and below the visible ones */

function timeColumn(key, title, of, more = {}) {
	return { key, title, of, text: time, ...more };
}

function columnsOf(view) {
	const unsure = key => row => row.unsure & UNSURE[key] ? '?' : '';
	const columns = [
		{ key: 'name', title: 'region', text: String, of: row => row.name },
		{ key: 'visits', title: 'visits', text: count, of: row => row.visits, mark: row => row.mark },
		timeColumn('total', 'total', row => row.time.net, { mark: row => row.time.mark }),
		{ key: 'share', title: 'share', text: share, meter: true,
		  of: row => row.time.net === null ? null : row.time.net / view.model.total },
		timeColumn('self', 'self', row => row.time.self, { mark: row => row.selfKnown ? '' : '^' }),
		timeColumn('mean', 'mean', row => row.time.mean),
		timeColumn('p50', 'p50', row => row.p50, { mark: unsure('p50') }),
		timeColumn('p99', 'p99', row => row.p99, { mark: unsure('p99') }),
		timeColumn('max', 'max', row => row.max, { mark: unsure('max') }),
	];
	view.model.columns.forEach((column, i) => {
		if (column.verdict !== 'not counted')
			columns.push({ key: 'c' + i, title: column.name, text: column.isTime ? time : count,
				of: row => row.counters[i].net, mark: row => row.counters[i].mark });
	});
	columns.push(...samplesColumns(view));
	view.model.metrics.forEach((metric, i) => {
		if (view.model.rows.some(row => row.metrics[i] && row.metrics[i].value !== null))
			columns.push({ key: 'm' + i, title: metric.name, text: count,
				of: row => row.metrics[i] ? row.metrics[i].value : null });
	});
	columns.push(...offCpuColumns(view));
	for (const name of view.model.units)
		for (const [key, title] of [[ 'sum', name ],
					    [ 'mean', name + '/visit' ],
					    [ 'p99', name + ' p99' ],
					    [ 'max', name + ' max' ]])
			columns.push({
				key : `u${name}.${key}`,
				title,
				text : count,
				of : row => row.units.has(name)
						    ? row.units.get(name)[key]
						    : null
			});
	if (view.changes)
		columns.push({ key: 'change', title: 'B to A', text: change, found: true,
			of: row => { const f = view.changes.get(row.path); return f ? f.ratio : null; } });
	return columns;
}

/* Sorts siblings below their parent if the tree is sorted by descending totals. Otherwise sorts all rows as one list. */
function ordered(view, rows) {
	const column = view.tableColumns.find(c => c.key === view.sort) || view.tableColumns[2];
	const value = row => { const v = column.of(row); return v === null || v === undefined ? -Infinity : v; };
	const compare = (a, b) => {
		const x = value(a), y = value(b);
		return (x < y ? 1 : x > y ? -1 : a.index - b.index) * (view.rising ? -1 : 1);
	};
	const list = [...rows].sort(compare);
	if (view.flat || view.sort !== 'total' || view.rising) return list;
	const out = [];
	const walk = row => { out.push(row); [...row.children].sort(compare).forEach(walk); };
	list.filter(row => row.parent === null).forEach(walk);
	return out;
}

function fillTable(view) {
	view.tableColumns = columnsOf(view);
	const rows = view.flat ? view.flatRows : view.model.rows;
	view.lines = ordered(view, rows).filter(row => view.found === null || view.found.has(row));
	view.isTree = !view.flat && view.sort === 'total' && !view.rising;
	byId('count').textContent = view.lines.length === rows.length ? `${rows.length} rows`
		: `${view.lines.length} of ${rows.length} rows`;
	const head = make('tr', {}, ...view.tableColumns.map(column => {
		const cell = make('th', { 'data-key': column.key, scope: 'col',
			'aria-sort': column.key === view.sort ? (view.rising ? 'ascending' : 'descending') : null });
		cell.textContent = shown(column.title, 40);
		return cell;
	}));
	byId('table').tHead.replaceChildren(head);
	drawLines(view);
}

function cellOf(view, column, row) {
	const value = column.of(row);
	const cell = make('td');
	if (column.key === 'name') {
		if (view.isTree) cell.style.paddingLeft = 12 + 16 * Math.min(row.depth, 14) + 'px';
		cell.append(make('bdi', {}, shown(row.name)));
		return cell;
	}
	cell.append(column.text(value === undefined ? null : value));
	if (value === null || value === undefined) cell.className = 'none';
	const mark = column.mark && value !== null ? column.mark(row) : '';
	if (mark) cell.append(make('span', { class: 'mark', title: MARKS[mark] }, ' ' + mark));
	if (column.meter) {
		const meter = make('span', { class: 'meter' });
		meter.style.width = Math.min(1, value || 0) * 70 + 'px';
		const holder = make('span');
		holder.style.cssText = 'display:inline-block;width:74px;text-align:left';
		holder.append(meter);
		cell.append(holder);
	}
	if (column.found) markChange(cell, view.changes.get(row.path));
	return cell;
}

function markChange(cell, found) {
	if (!found) return;
	if (found.verdict === 'regression' || found.verdict === 'more') cell.classList.add('worse');
	if (found.verdict === 'less') cell.classList.add('better');
	cell.append(make('span', { class: 'quiet' }, ' ' + found.verdict));
}

function drawLines(view) {
	const scroll = byId('scroll');
	const first = Math.max(0, Math.floor(scroll.scrollTop / LINE) - MARGIN);
	const last = Math.min(view.lines.length, first + Math.ceil((scroll.clientHeight || 600) / LINE) + 2 * MARGIN);
	const space = rows => {
		const line = make('tr', { 'aria-hidden': 'true' });
		const cell = make('td', { colspan: view.tableColumns.length });
		cell.style.cssText = `height:${rows * LINE}px;padding:0;border:0`;
		line.append(cell);
		return rows > 0 ? [line] : [];
	};
	const lines = view.lines.slice(first, last).map(row => {
		const line = make('tr', { 'data-row': row.index });
		if (view.picked === row || (view.flat && view.picked && view.picked.name === row.name)) line.className = 'picked';
		line.append(...view.tableColumns.map(column => cellOf(view, column, row)));
		return line;
	});
	byId('table').tBodies[0].replaceChildren(...space(first), ...lines, ...space(view.lines.length - last));
}

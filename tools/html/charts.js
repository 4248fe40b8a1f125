/* The distribution of a region's visits, with uPlot. */

const CHART_HEIGHT = 230;
const DIGIT_WIDTH = 7; /* of an axis, in pixels */
const charts = [];

function axisLook(more) {
	return { stroke: cssColour('--quiet'), grid: { stroke: cssColour('--line'), width: 1 },
		ticks: { stroke: cssColour('--line'), width: 1 }, font: '11px system-ui, sans-serif', ...more };
}

function withAlpha(colour, alpha) {
	return colour + Math.round(alpha * 255).toString(16).padStart(2, '0');
}

const decade = value => timeTick(10 ** value);

/* Rounds times to powers of 2^(1/4), so that reports with different clocks have the same buckets. The powers are about
 * as far apart as the library's buckets. */
function sharesOf(histogram) {
	const total = histogram.reduce((sum, bin) => sum + bin[1], 0);
	const shares = new Map();
	for (const [ns, visits] of histogram) {
		const x = Math.round(Math.log2(Math.max(1, ns)) * 4) / 4 * Math.log10(2);
		shares.set(x, (shares.get(x) || 0) + visits / total);
	}
	return shares;
}

/* Puts the series on common x values. A series has null at an x value that it lacks. */
function joined(lists) {
	const x = [...new Set(lists.flatMap(list => [...list.keys()]))].sort((a, b) => a - b);
	return [x, ...lists.map(list => x.map(v => list.has(v) ? list.get(v) : null))];
}

function drawHistogram(lists) {
	const data = joined(lists.map(sharesOf));
	const names = ['A', 'B'];
	charts.push(new uPlot({
		width: byId('histogram').clientWidth, height: CHART_HEIGHT,
		legend: { show: false }, cursor: { drag: { x: false, y: false } },
		scales: { x: { time: false, range: (u, min, max) => [Math.min(min - 0.1, (min + max) / 2 - 0.5),
			Math.max(max + 0.1, (min + max) / 2 + 0.5)] },
			y: { range: (u, min, max) => [0, max * 1.08] } },
		axes: [axisLook({ values: (u, splits) => splits.map(decade) }),
			axisLook({ size: 56, values: (u, splits) => splits.map(v => (100 * v).toFixed(v < 0.02 ? 1 : 0) + ' %') })],
		series: [{}, ...lists.map((list, i) => ({
			label: names[i], stroke: cssColour(i ? '--series-b' : '--series-a'), width: 1,
			fill: withAlpha(cssColour(i ? '--series-b' : '--series-a'), i ? 0.3 : 0.45),
			paths: uPlot.paths.bars({ size: [i ? 0.6 : 0.95, 26, 2] }), points: { show: false } }))],
	}, data, byId('histogram')));
}

/* Maps x to the time of a visit. x is -log10 of the share of slower visits, so that p90, p99 and p99.9 are equally far
 * apart. */
function curveOf(histogram) {
	const total = histogram.reduce((sum, bin) => sum + bin[1], 0);
	const curve = new Map();
	let below = 0;
	for (const [ns, visits] of histogram) {
		const from = below / total;
		below += visits;
		const end = Math.min(below / total, 1 - 0.5 / total);
		for (const q of [from + 1e-12, end])
			curve.set(-Math.log10(1 - Math.min(q, 1 - 1e-9)), Math.max(1, ns));
	}
	return curve;
}

/* Ticks at powers of ten, at most eight. */
function decades(min, max) {
	const first = Math.ceil(Math.log10(min) - 1e-9), last = Math.floor(Math.log10(max) + 1e-9);
	const step = Math.max(1, Math.ceil((last - first + 1) / 8));
	const list = [];
	for (let i = first; i <= last; i += step) list.push(10 ** i);
	return list;
}

function percentileName(x) {
	if (x === 0) return '0';
	if (Math.abs(x - 0.30103) < 0.01) return 'p50';
	return Number.isInteger(x) ? 'p' + (100 * (1 - 10 ** -x)).toFixed(Math.max(0, x - 2)) : '';
}

/* The names of ticks. A name that would overlap the one before it is left out. */
function percentileNames(chart, ticks) {
	let end = -Infinity;
	return ticks.map(tick => {
		const name = percentileName(tick), half = name.length * DIGIT_WIDTH / 2;
		const middle = chart.valToPos(tick, 'x');
		if (middle - half < end) return '';
		end = middle + half + DIGIT_WIDTH;
		return name;
	});
}

function drawCurve(lists) {
	const data = joined(lists.map(curveOf));
	const most = Math.max(1, Math.ceil(data[0][data[0].length - 1] || 1));
	const splits = [0, 0.30103];
	for (let nine = 1; nine <= most; nine++) splits.push(nine);
	charts.push(new uPlot({
		width: byId('curve').clientWidth, height: CHART_HEIGHT, padding: [null, 24, null, null],
		legend: { show: false }, cursor: { drag: { x: false, y: false } },
		scales: { x: { time: false, range: [0, most] }, y: { distr: 3 } },
		axes: [axisLook({ splits: () => splits, values: percentileNames }),
			axisLook({ size: 66, splits: (u, axis, min, max) => decades(min, max), filter: (u, s) => s, values: (u, s) => s.map(timeTick) })],
		series: [{}, ...lists.map((list, i) => ({
			stroke: cssColour(i ? '--series-b' : '--series-a'), width: 2, spanGaps: true,
			points: { show: false } }))],
	}, data, byId('curve')));
}

function drawCharts(view) {
	charts.splice(0).forEach(chart => chart.destroy());
	const lists = [];
	if (view.picked) lists.push(view.picked.histogram);
	const other = view.picked && view.other && view.other.byPath.get(view.picked.path);
	if (other) lists.push(other.histogram);
	for (const id of ['histogram', 'curve']) byId(id).replaceChildren();
	if (!lists.length || !lists.some(list => list.reduce((sum, bin) => sum + bin[1], 0) > 1)) {
		for (const id of ['histogram', 'curve'])
			byId(id).replaceChildren(make('p', { class: 'quiet' }, view.picked && view.picked.visits === 1
				? 'One visit has no distribution.' : 'No histogram.'));
		return;
	}
	byId('sides').replaceChildren(...(other ? [make('span', { class: 'side-a' }, 'A'), ' ', make('span', { class: 'side-b' }, 'B')] : []));
	drawHistogram(lists.filter(list => list.length));
	drawCurve(lists.filter(list => list.length));
}

/* ---- facts ---------------------------------------------------------------- */

const EVENTS = {
	open : 'open, not included',
	cut_off : 'cut off',
	migrated : 'ended on another CPU',
	disturbed : 'descheduled, or counters reprogrammed',
	retried : 'ends with a repeated counter read',
	slow : 'with values by read(2)',
	repaired : 'with a repaired value',
	impossible : 'with an impossible value, left out',
	refused : 'off the PMU for too long, left out',
	lost : 'lost',
	overlapped : 'overlap others',
	switched : 'across a switch of stacks',
};

function fact(list, name, value) {
	list.append(make('dt', {}, name), make('dd', {}, value));
}

function quantityFact(list, name, quantity, text) {
	const noise = quantity.noise ? `, noise ${text(quantity.noise)}` : '';
	const share = quantity.verdict === 'scaled' ? `, on a counter ${(100 * quantity.share).toFixed(1)} % of the time` : '';
	fact(list, name, quantity.there
		? `${text(quantity.net)} in all, ${text(quantity.mean)} a visit: ${quantity.verdict}${share}${noise}`
		: 'not counted');
}

function drawFacts(view) {
	const row = view.picked;
	if (!row) {
		byId('facts').replaceChildren(make('p', { class: 'quiet' }, 'No region is selected.'));
		return;
	}
	const list = make('dl');
	if (row.file) fact(list, 'where', `${shown(row.file)}:${row.line}`);
	fact(list, 'visits', count(row.visits) + (row.measured < row.visits ? `, ${count(row.measured)} measured` : ''));
	quantityFact(list, 'time', row.time, time);
	if (row.min !== null) fact(list, 'one visit', `${time(row.min)} to ${time(row.max)}`);
	if (row.p50 !== null) fact(list, 'percentiles', `p50 ${time(row.p50)}, p90 ${time(row.p90)}, p99 ${time(row.p99)}`);
	offCpuFact(list, row);
	samplesFact(list, row, view);
	view.model.columns.forEach((column, i) =>
		quantityFact(list, shown(column.name, 40), row.counters[i], column.isTime ? time : count));
	for (const unit of row.units.values())
		fact(list, unit.unit,
		     `${count(unit.sum)}; a visit ${count(unit.min)} to ${
			     count(unit.max)}, ` +
			     `p50 ${count(unit.p50)}, p99 ${count(unit.p99)}`);
	for (const [key, text] of Object.entries(EVENTS))
		if (row.raw[key]) fact(list, 'visits ' + text, count(row.raw[key]));
	const found = view.changes && view.changes.get(row.path);
	if (found) fact(list, 'B to A', change(found.ratio) +
		(found.low > 0 && found.high ? ` (95 %: ${change(found.low)} to ${change(found.high)})` : '') + `: ${found.verdict}`);
	byId('facts').replaceChildren(make('h3', {}, make('bdi', {}, shown(row.name))), list);
}

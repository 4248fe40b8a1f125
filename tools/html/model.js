/* Turns a report in JSON (docs/REPORT.md) into the page's model. */

class BadReport extends Error {}

function need(condition, text) {
	if (!condition) throw new BadReport(text);
}

function isTimeEvent(name) {
	return /^(task-clock|cpu-clock)\b/.test(name);
}

/* A name that is not UTF-8 has its bytes in name_hex. */
function nameOf(row, key = 'name') {
	const hex = row[key + '_hex'];
	if (!hex) return String(row[key]);
	return hex.match(/../g).map(two => {
		const byte = parseInt(two, 16);
		return byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '\\x' + two.toUpperCase();
	}).join('');
}

function markOf(verdict, net, noise) {
	if (verdict === 'scaled') return '~';
	if (noise !== null && net !== null && noise > 0 && Math.abs(net) <= noise) return '?';
	return verdict === 'syscall' ? 's' : '';
}

function quantityOf(from, visits, measured) {
	if (!from || from.verdict === 'not counted' || from.net === null)
		return { there: false, net: null, self: null, mean: null, mark: '', noise: null, verdict: 'not counted' };
	return {
		there: true,
		verdict: from.verdict,
		net: Math.max(0, from.net),
		self: from.net_exclusive === null || from.net_exclusive === undefined
			? null : Math.max(0, from.net_exclusive),
		mean: Math.max(0, from.net) / from.visits,
		noise: from.noise,
		share: from.share_on_pmu,
		mark: markOf(from.verdict, from.net, from.noise) || (from.visits < measured ? '!' : ''),
	};
}

const UNSURE = { p50: 1, p90: 2, p99: 4, min: 8, max: 16 };

function rowOf(from, index) {
	const t = from.time_ns;
	const row = {
		index,
		name : nameOf(from),
		file : from.file,
		line : from.line,
		parent : from.parent,
		depth : from.depth,
		children : [],
		visits : from.visits,
		measured : from.measured,
		raw : from,
		time : quantityOf(t, from.visits, from.measured),
		counters : from.counters.map(
			c => quantityOf(c, from.visits, from.measured)),
		metrics : from.metrics || [],
		histogram : (t && t.histogram) || [],
		units : new Map(
			(from.units || []).map(unit => [unit.unit, unit])),
		offCpu : offCpuOf(from),
		samples : samplesOf(from),
		unsure : (t && t.unsure) || 0,
		selfKnown : from.exclusive_valid,
		mark : from.open      ? '*'
		       : from.cut_off ? 'x'
				      : '',
	};
	const percentiles = row.time.there && from.visits > 1;
	row.p50 = percentiles ? t.p50 : null;
	row.p90 = percentiles ? t.p90 : null;
	row.p99 = percentiles ? t.p99 : null;
	row.min = row.time.there ? (t.shortest ?? t.min) : null;
	row.max = row.time.there ? (t.longest ?? t.max) : null;
	return row;
}

function checkRow(row, index) {
	need(row && typeof row === 'object' && row.time_ns && Array.isArray(row.counters),
	     `rows[${index}] is not a region`);
	need(row.parent === null || (Number.isInteger(row.parent) && row.parent >= 0 && row.parent < index),
	     `rows[${index}].parent: an earlier row was expected`);
}

function modelOf(report) {
	need(report && report.schema === 'selfmon-report',
	     'schema: "selfmon-report" was expected');
	need(report.version === 1, `version: 1 was expected, not ${report.version}`);
	need(Array.isArray(report.rows) && Array.isArray(report.columns), 'rows and columns were expected');
	report.rows.forEach(checkRow);
	const rows = report.rows.map(rowOf);
	const taken = new Map();
	for (const row of rows) {
		const parent = row.parent === null ? null : rows[row.parent];
		if (parent) parent.children.push(row);
		row.path = (parent ? parent.path : '') + '\u001f' + row.name;
		const turn = (taken.get(row.path) || 0) + 1;
		taken.set(row.path, turn);
		if (turn > 1) row.path += '#' + turn;
	}
	return {
		report,
		rows,
		roots : rows.filter(row => row.parent === null),
		columns : report.columns.map(
			c => ({...c, isTime : isTimeEvent(c.name) })),
		metrics : report.metrics || [],
		units : (report.units || [])
				.filter(name => rows.some(
						row => row.units.has(name))),
		total : report.total_ns,
		byPath : new Map(rows.map(row => [row.path, row])),
	};
}

/* Merges rows with the same name. A row inside a row of the same name does not count in totals. */
function flatten(model) {
	const byName = new Map();
	for (const row of model.rows) {
		let inside = false;
		for (let at = row; at.parent !== null && !inside;) {
			at = model.rows[at.parent];
			inside = at.name === row.name;
		}
		let flat = byName.get(row.name);
		if (!flat) {
			flat = {
				...row,
				depth : 0,
				children : [],
				parts : [],
				visits : 0,
				measured : 0,
				histogram : [],
				units : new Map(),
				offCpu : row.offCpu && {
					blocked : 0,
					preempted : 0,
					switches : 0,
					preemptions : 0
				},
				samples : row.samples === null ? null : 0,
				p50 : null,
				p90 : null,
				p99 : null,
				metrics : [],
				time : {...row.time, net : 0, self : 0 },
				counters : row.counters.map(
					c => ({
						...c,
						net : c.there ? 0 : null,
						self : c.there ? 0 : null
					}))
			};
			byName.set(row.name, flat);
		}
		add(flat, row, inside);
	}
	for (const flat of byName.values())
		finish(flat);
	return [...byName.values()];
}

function add(flat, row, inside) {
	flat.parts.push(row);
	flat.visits += row.visits;
	flat.measured += row.measured;
	flat.selfKnown = flat.selfKnown && row.selfKnown;
	flat.min = least(flat.min, row.min);
	flat.max = most(flat.max, row.max);
	for (const unit of row.units.values())
		flat.units.set(unit.unit,
			       unitsOf(flat.units.get(unit.unit), unit));
	if (flat.samples !== null) flat.samples += row.samples || 0;
	if (flat.offCpu && row.offCpu && !inside)
		addOffCpu(flat.offCpu, row.offCpu);
	const pairs = [[flat.time, row.time], ...flat.counters.map((c, i) => [c, row.counters[i]])];
	for (const [to, from] of pairs) {
		if (!from.there) continue;
		to.there = true;
		to.net = (to.net || 0) + (inside ? 0 : from.net);
		to.self = to.self === null || from.self === null ? null : to.self + from.self;
		to.mark = to.mark || from.mark;
	}
}

/* Adds the units of two rows; a may be missing. Each visit has its own units, so nested rows are added, too. */
function unitsOf(a, b)
{
	if (!a)
		return b;
	const bins = new Map(a.histogram);
	for (const [n, visits] of b.histogram)
		bins.set(n, (bins.get(n) || 0) + visits);
	const histogram = [...bins ].sort((x, y) => x[0] - y[0]);
	return {
		unit : a.unit,
		sum : a.sum + b.sum,
		visits : a.visits + b.visits,
		mean : (a.sum + b.sum) / (a.visits + b.visits),
		min : Math.min(a.min, b.min),
		max : Math.max(a.max, b.max),
		histogram,
		p50 : quantile(histogram, 0.5),
		p90 : quantile(histogram, 0.9),
		p99 : quantile(histogram, 0.99)
	};
}

const least = (a, b) => a === null ? b : b === null ? a : Math.min(a, b);
const most = (a, b) => a === null ? b : b === null ? a : Math.max(a, b);

function finish(flat) {
	const bins = new Map();
	for (const part of flat.parts)
		for (const [ns, visits] of part.histogram)
			bins.set(ns, (bins.get(ns) || 0) + visits);
	flat.histogram = [...bins].sort((a, b) => a[0] - b[0]);
	if (flat.parts.length === 1) {
		Object.assign(flat, { p50: flat.parts[0].p50, p90: flat.parts[0].p90,
			p99: flat.parts[0].p99, metrics: flat.parts[0].metrics });
	} else if (flat.visits > 1) {
		flat.p50 = quantile(flat.histogram, 0.5);
		flat.p90 = quantile(flat.histogram, 0.9);
		flat.p99 = quantile(flat.histogram, 0.99);
	}
	if (flat.time.there) flat.time.mean = flat.time.net / Math.max(1, flat.measured);
}

function quantile(histogram, q) {
	const total = histogram.reduce((sum, bin) => sum + bin[1], 0);
	let below = 0;
	for (const [ns, visits] of histogram) {
		below += visits;
		if (below >= q * total) return ns;
	}
	return null;
}

/* ---- two reports --------------------------------------------------------- */

/* Warnings for reports that differ in more than the code. */
function differences(a, b) {
	const said = [];
	for (const [key, text] of [['cpu', 'CPU'], ['hypervisor', 'hypervisor'], ['kernel', 'kernel'],
				   ['clock', 'clock'], ['every', 'SELFMON_EVERY']])
		if (a.report[key] !== b.report[key])
			said.push(`the ${text} differs: ${a.report[key] || 'none'} and ${b.report[key] || 'none'}`);
	const names = model => model.columns.filter(c => c.verdict !== 'not counted').map(c => c.name);
	const only = names(a).filter(n => !names(b).includes(n)).concat(names(b).filter(n => !names(a).includes(n)));
	if (only.length) said.push(`counted in one of them only: ${only.join(', ')}`);
	return said;
}

/* Compares B with A, by path. If there are verdicts, they are from a comparison of many runs. */
function compareModels(a, b, verdicts) {
	const byPath = new Map();
	if (verdicts)
		for (const region of verdicts.regions) {
			const cell = region.cells.find(c => c.column === verdicts.by);
			byPath.set('\u001f' + region.path.join('\u001f'), {
				verdict: region.verdict, ratio: cell ? cell.ratio : null,
				low: cell ? cell.low : null, high: cell ? cell.high : null,
				p: region.p_adjusted });
		}
	else
		for (const row of a.rows) {
			const other = b.byPath.get(row.path);
			if (other && row.time.there && other.time.there && row.time.mean > 0)
				byPath.set(row.path, { verdict: 'no test', ratio: other.time.mean / row.time.mean });
			else if (!other)
				byPath.set(row.path, { verdict: 'only in A', ratio: null });
		}
	return byPath;
}

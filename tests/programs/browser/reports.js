// SPDX-License-Identifier: MIT
// Makes reports like those of real programs from the first row of a real report.
'use strict';

// A small random number generator with a seed, so that the report is the same each time.
function random(seed) {
	let state = seed >>> 0 || 1;
	return () => {
		state ^= state << 13; state >>>= 0;
		state ^= state >>> 17;
		state ^= state << 5; state >>>= 0;
		return state / 4294967296;
	};
}

// Pairs of a visit's time, as a multiple of the mean, and the share of such visits: a long tail, as in services.
const SHAPE = [[0.5, 0.1], [0.7, 0.25], [0.9, 0.35], [1.2, 0.2], [2, 0.08], [6, 0.018], [14, 0.002]];

function fill(template, row, { id, parent, depth, name, visits, total, self }) {
	const mean = total / visits;
	const time = { ...template.time_ns, verdict: 'exact', visits, net: total, net_exclusive: self,
		sum: Math.round(total), exclusive: Math.round(self), noise: 2 * visits,
		min: Math.floor(mean / 2), max: Math.ceil(mean * 14), shortest: Math.floor(mean / 2),
		longest: Math.ceil(mean * 14), p50: Math.round(mean * 0.9), p90: Math.round(mean * 2),
		p99: Math.round(mean * 6), unsure: 0,
		histogram: visits < 10 ? [[mean, visits]]
			: SHAPE.map(([x, part]) => [mean * x, Math.max(1, Math.round(visits * part))]) };
	Object.assign(row, { ...template, id, parent, depth, name, visits, measured: visits, whole: visits,
		line: id + 1,
		time_ns: time, counters: template.counters.map(c => ({ ...c, visits, net: total / 3,
			net_exclusive: self / 3, sum: Math.round(total / 3) })),
		metrics: template.metrics.map(m => ({ ...m })) });
}

// Makes a tree of `count` rows. A few of them have most of the time, as in an interpreter.
function grown(report, count, seed = 1) {
	const next = random(seed);
	const rows = [];
	const template = report.rows[0];
	const add = (parent, depth, name, visits, total) => {
		const row = {};
		const id = rows.length;
		rows.push(row);
		const below = depth > 8 ? 0 : Math.floor(next() * (depth < 3 ? 9 : 5));
		const parts = Array.from({ length: below }, () => next() ** 3 + 0.01);
		const sum = parts.reduce((a, b) => a + b, 0);
		let self = total;
		for (let i = 0; i < below && rows.length < count; i++) {
			const part = (0.75 + 0.2 * next()) * total * parts[i] / sum;
			self -= part;
			add(id, depth + 1, `function ${Math.floor(next() * count / 3)}`,
				Math.ceil(visits * (1 + 4 * next() ** 4)), part);
		}
		fill(template, row, { id, parent, depth, name, visits, total, self });
	};
	while (rows.length < count)
		add(null, 0, rows.length ? `worker ${rows.length}` : 'main', 1 + Math.floor(next() * 400),
			3e8 * (0.2 + next()));
	return { ...report, program: `interpreter of ${count}`, rows,
		total_ns: rows.filter(r => r.parent === null).reduce((sum, r) => sum + r.time_ns.net, 0) };
}

// Makes top-level rows with these names.
function named(report, names) {
	const rows = names.map((name, id) => {
		const row = {};
		fill(report.rows[0], row, { id, parent: null, depth: 0, name, visits: 100, total: 1e6 * (id + 1), self: 1e6 * (id + 1) });
		return row;
	});
	return { ...report, rows, total_ns: rows.reduce((sum, r) => sum + r.time_ns.net, 0) };
}

module.exports = { grown, named, random };

/* Where the samples of the selected region are (SELFMON_SAMPLE): its functions. */

const FUNCTIONS_SHOWN = 12;

/* Returns the number of samples that were taken while the region was the innermost one; null: none were requested. */
const samplesOf = from => from.samples === undefined ? null : from.samples;

/* Lists the functions of the rows: name, samples, file and line. Functions with the same name are one entry. */
function functionsOf(hot, rows) {
	const byName = new Map();
	for (const row of rows)
		for (const [name, samples, file, line, inlined] of hot.rows[row.index] || []) {
			const found = byName.get(name);
			if (!found) byName.set(name, { name, samples, most: samples, file, line, inlined });
			else {
				if (samples > found.most) Object.assign(found, { most: samples, file, line });
				found.samples += samples;
				found.inlined = found.inlined && inlined;
			}
		}
	return [...byName.values()].sort((a, b) => b.samples - a.samples || (a.name < b.name ? -1 : 1));
}

function withInside(row) {
	return [row, ...row.children.flatMap(withInside)];
}

/* Returns true if both the region itself and the regions inside have samples. In this case the user chooses what is
 * shown. A region without samples of its own shows the samples of the regions inside. */
function hasBoth(row) {
	return row.raw.samples > 0 && row.raw.samples_within > row.raw.samples;
}

function sampledRows(row, view) {
	const own = hasBoth(row) ? !view.inside : row.raw.samples || !row.raw.samples_within;
	return own ? [row] : withInside(row);
}

function eventOf(samples) {
	const every = samples.frequency ? `${samples.frequency} a second`
		: `one per ${isTimeEvent(samples.event) ? time(samples.period) : count(samples.period)}`;
	return `${samples.event}, ${every}`;
}

function whereOf(file, line) {
	return shown(line ? `${file}:${line}` : file || '–', 60);
}

/* Returns the share of each function in report B's samples of the selected region, or null if there are none. */
function sampledInB(view) {
	const row = view.hotB && view.other && view.other.byPath.get(view.picked.path);
	if (!row || !row.raw.samples_within) return null;
	const rows = sampledRows(row, view);
	const total = rows.reduce((sum, one) => sum + one.raw.samples, 0);
	return new Map(functionsOf(view.hotB, rows).map(one => [one.name, one.samples / total]));
}

function functionLine(one, total, inB) {
	const name = make('td', { title: shown(one.name, 1000) }, make('bdi', {}, shown(one.name, 100)));
	if (one.inlined) name.append(make('span', { class: 'quiet' }, ' inlined'));
	const bar = make('span', { class: 'meter' });
	bar.style.width = 100 * one.samples / total + '%';
	const cells = [name, make('td', {}, count(one.samples)), make('td', {}, share(one.samples / total)),
		make('td', { class: 'part' }, bar)];
	if (inB) cells.push(make('td', {}, inB.has(one.name) ? share(inB.get(one.name)) : '–'));
	cells.push(make('td', { class: 'where' }, whereOf(one.file, one.line)));
	return make('tr', {}, ...cells);
}

/* Returns the line for all other functions, and for samples without a function. */
function restLine(rest, total, columns) {
	const cells = [make('td', { class: 'quiet' }, rest.text), make('td', {}, count(rest.samples)),
		make('td', {}, share(rest.samples / total))];
	while (cells.length < columns) cells.push(make('td'));
	return make('tr', {}, ...cells);
}

function drawFunctions(view, rows, total) {
	const functions = functionsOf(view.hot, rows);
	const inB = sampledInB(view);
	const first = functions.slice(0, FUNCTIONS_SHOWN);
	const titles = ['function', 'samples', 'share', '', ...(inB ? ['share in B'] : []), 'hottest line'];
	const left = total - first.reduce((sum, one) => sum + one.samples, 0);
	const lines = first.map(one => functionLine(one, total, inB));
	if (left > 0) lines.push(restLine({ text: 'others', samples: left }, total, titles.length));
	const table = byId('hot').querySelector('table');
	table.tHead.replaceChildren(make('tr', {}, ...titles.map(title => make('th', {}, title))));
	table.tBodies[0].replaceChildren(...lines);
}

function drawHot(view) {
	const { samples } = view.model.report;
	byId('hot').hidden = !view.hot || !samples;
	if (byId('hot').hidden) return;
	const row = view.picked;
	const rows = row ? sampledRows(row, view) : [];
	const total = rows.reduce((sum, one) => sum + (one.raw.samples || 0), 0);
	byId('hot-of').replaceChildren(row ? make('bdi', {}, shown(row.name, 80)) : '');
	byId('hot-about').textContent = !total ? 'no samples'
		: `${count(total)} of ${count(samples.taken)} samples, ${share(total / samples.taken)}` +
		(rows.length > 1 ? (hasBoth(row) ? ', with regions inside' : ', in regions inside') : '') + ` · ${eventOf(samples)}`;
	byId('inside-label').hidden = !row || !hasBoth(row);
	byId('inside').checked = view.inside;
	byId('hot').querySelector('.framed').hidden = !total;
	if (total) drawFunctions(view, rows, total);
	byId('hot-unknown').replaceChildren(...view.hot.unknown.map(([module, number, why]) =>
		make('p', {}, `No symbols for ${count(number)} samples in ${shown(module)}: ${shown(why, 300)}`)));
}

function samplesFact(list, row, view) {
	const { samples } = view.model.report;
	if (!samples || row.raw.samples === undefined) return;
	const inside = row.raw.samples_within - row.raw.samples;
	fact(list, 'samples', `${count(row.raw.samples)}, ${share(row.raw.samples / (samples.taken || 1))} of all` +
		(inside ? `; ${count(inside)} in regions inside` : ''));
}

function samplesColumns(view) {
	return view.model.rows.some(row => row.samples !== null)
		? [{ key: 'samples', title: 'samples', text: count, of: row => row.samples }] : [];
}

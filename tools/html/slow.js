/* The slowest visits of a region (SELFMON_RECORD). The selected visit is drawn above the median of the kept visits, to
 * the same scale of time unless the user chooses separate scales. */

const LABEL_LEAST = 30; /* narrower boxes have no name */

/* ---- model ----------------------------------------------------------------- */

function partOf(from) {
	return { name: from.off_cpu || nameOf(from, 'region') || 'unknown region', off: Boolean(from.off_cpu),
		begin: from.begin_ns, ns: from.ns };
}

/* Mean and number of a region's measured visits in the whole call tree, including detached spans. */
function usualOf(report, name) {
	const rows = report.rows.concat(report.async ? report.async.rows : []).filter(row => nameOf(row) === name && row.time_ns);
	const visits = rows.reduce((sum, row) => sum + row.measured, 0);
	return { visits, mean: visits ? rows.reduce((sum, row) => sum + (row.time_ns.net || 0), 0) / visits : 0 };
}

/* Lists the regions that have kept visits. The first has the largest difference between its slowest visit and the
 * mean. */
function slowRegionsOf(report) {
	const byName = new Map();
	for (const from of report.slowest || []) {
		const name = nameOf(from, 'region');
		if (!byName.has(name)) byName.set(name, { name, visits: [] });
		byName.get(name).visits.push({ raw: from, name, ns: from.ns, parts: from.parts.map(partOf) });
	}
	const regions = [...byName.values()];
	for (const region of regions) {
		region.visits.sort((a, b) => b.ns - a.ns);
		region.median = Math.floor(region.visits.length / 2);
		Object.assign(region, { usual: usualOf(report, region.name) });
	}
	const lost = region => region.visits[0].ns - region.usual.mean;
	return regions.sort((a, b) => lost(b) - lost(a));
}

/* ---- drawing --------------------------------------------------------------- */

function placed(element, box, perNs) {
	element.style.left = box.begin * perNs + 'px';
	element.style.width = Math.max(1, box.ns * perNs - 1) + 'px';
}

function stretch(kind, part, box, perNs, least) {
	const element = make('span', { class: kind });
	element.style.left = (part.begin - box.begin) * perNs + 'px';
	element.style.width = Math.max(least, part.ns * perNs) + 'px';
	return element;
}

/* The colour is the least own time that a box has outside of its unknown stretches. The box is grey if nothing is known
 * of its inside, or if parts that are not listed may have most of the own time, and more than a tenth of the visit. */
function ownColour(box, visit) {
	const { raw, ns } = visit;
	const own = Math.max(0, box.own - nsOf(box.unknown));
	const unsure = Math.min(own, missingOf(visit).unlisted);
	return raw.suspended || raw.detached || unsure > Math.max(own / 2, ns / 10) ? mix(GREY, GREY, 0)
		: mix(SAND, EMBER, (own - unsure) / (ns || 1));
}

function visitBox(box, visit, perNs) {
	const element = make('div', { class: box.slice ? `box slice ${box.name}` : 'box' });
	placed(element, box, perNs);
	element.style.top = box.level * ROW_HEIGHT + 1 + 'px';
	if (!box.slice) element.style.background = ownColour(box, visit);
	if (box.ns * perNs >= LABEL_LEAST) element.append(make('bdi', {}, shown(box.name, 80)));
	else element.classList.add('tiny');
	if (box.ns * perNs >= 150) element.append(` ${time(box.ns)}`);
	element.append(...box.unknown.map(part => stretch('unknown', part, box, perNs, 0)),
		...box.off.map(part => stretch('off ' + part.name, part, box, perNs, 1)));
	return element;
}

/* The number of levels that are drawn: down to the first one whose boxes together are too narrow to be seen. So a deep
 * recursion that takes little of the time does not make the picture high. */
function levelsDrawn(boxes, perNs) {
	const widths = [];
	for (const box of boxes) widths[box.level] = (widths[box.level] || 0) + box.ns * perNs;
	const narrow = widths.findIndex((width, level) => level && width < LEAST_WIDTH);
	return { drawn: narrow < 0 ? widths.length : narrow, all: widths.length };
}

/* Returns the number of levels that are not drawn. */
function drawVisit(id, visit, perNs) {
	const nested = nestedBoxes(visit);
	const { drawn, all } = levelsDrawn(nested, perNs);
	const boxes = nested.filter(box => box.level < drawn);
	const holder = byId(id);
	holder.style.height = drawn * ROW_HEIGHT + 1 + 'px';
	holder.replaceChildren(...boxes.map((box, i) => {
		const element = visitBox(box, visit, perNs);
		element.dataset.box = i;
		return element;
	}));
	holder.boxes = boxes;
	holder.visit = visit;
	return all - drawn;
}

function drawRuler(perNs, width) {
	const least = 90 / perNs, power = 10 ** Math.floor(Math.log10(least));
	const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= least);
	const ticks = [];
	for (let at = 0; at * perNs < width - 20; at += step) {
		const tick = make('span', {}, at ? timeTick(at) : '0');
		tick.style.left = at * perNs + 'px';
		ticks.push(tick);
	}
	byId('slow-ruler').replaceChildren(...ticks);
}

/* ---- one visit in words ---------------------------------------------------- */

function offWords(visit, kind) {
	const { ns, times, least } = offOf(visit, kind);
	return times ? `${kind} ${time(ns)}` + (times > 1 ? ` (${least}${times} times)` : '') : '';
}

function reservations(raw) {
	const said = [];
	if (raw.inner > raw.parts.length) said.push(`only the ${raw.parts.length} longest of ${raw.overwritten ? 'more than ' : ''}${count(raw.inner)} parts are known`);
	if (raw.overwritten) said.push(raw.known_from_ns ? `parts that ended in its first ${time(raw.known_from_ns)} are unknown` : 'only the last visits inside are known');
	if (raw.least_part_ns) said.push(`parts shorter than ${time(raw.least_part_ns)} may be missing`);
	if (raw.suspended) said.push('suspended with its fiber: its parts are not known');
	if (raw.detached) said.push('a detached span: its parts are not known');
	return said;
}

function wordsOf(visit, narrow) {
	const { raw } = visit;
	const ended = new Date(raw.ended_ns / 1e6).toISOString().replace('T', ' ').replace('Z', ' UTC');
	const counters = Object.entries(raw.counters || {}).map(([name, value]) =>
		`${shown(name, 40)} ${isTimeEvent(name) ? time(value) : count(value)}`);
	return [offWords(visit, 'blocked'), offWords(visit, 'preempted'),
		`ended ${ended}, began ${time(raw.begin_ns)} after the first use`, `thread ${raw.tid}`,
		raw.cpu === null ? '' : `CPU ${raw.cpu}` + (raw.migrated ? ' at its end, moved' : ''),
		counters.join(', '), ...reservations(raw), narrow ? `levels too narrow to be drawn: ${narrow}` : ''].filter(Boolean).join(' · ');
}

function rankOf(region, i) {
	const { length } = region.visits;
	if (length === 1) return 'the only visit kept';
	const place = i === 0 ? 'the slowest' : `number ${i + 1}`;
	return `${place} of the ${length} kept` + (i === region.median ? ', their median' : '');
}

function caption(id, region, i, narrow) {
	const visit = region.visits[i];
	byId(id).replaceChildren(make('b', {}, time(visit.ns)), ` ${rankOf(region, i)} `,
		make('span', { class: 'quiet' }, '· ' + wordsOf(visit, narrow)));
}

/* ---- the section ----------------------------------------------------------- */

function drawKept(region, chosen) {
	byId('kept').replaceChildren(...region.visits.map((visit, i) => make('button', { type: 'button', role: 'radio',
		'aria-checked': i === chosen, tabindex: i === chosen ? 0 : -1, 'data-kept': i, title: rankOf(region, i) },
		time(visit.ns), ...(i === region.median && region.visits.length > 1 ? [make('span', { class: 'quiet' }, ' median')] : []))));
}

function drawSlow(view) {
	const region = view.slowRegions[view.slow];
	byId('slow').hidden = !region;
	if (!region) return;
	const width = byId('slow-one').clientWidth;
	const one = region.visits[view.kept], median = region.visits[region.median];
	const alone = region.visits.length === 1;
	const scale = view.apart ? Math.max(1, one.ns) : Math.max(1, one.ns, median.ns);
	options(byId('slow-region'), view.slowRegions.map((each, i) => [i, `${shown(each.name, 60)} – ${time(each.visits[0].ns)}`]), view.slow);
	byId('slow-about').textContent = `mean ${time(region.usual.mean)} of ${count(region.usual.visits)} visits`;
	byId('apart').checked = view.apart;
	const off = view.model.report.off_cpu;
	byId('slow-own').textContent = `redder: more own time${off ? ' on the CPU' : ''}, with parts too short to be listed`;
	byId('slow').querySelector('.hatching').hidden = !off;
	byId('slow').querySelector('.unhatched').hidden = off;
	drawKept(region, view.kept);
	caption('slow-facts', region, view.kept, drawVisit('slow-one', one, width / scale));
	byId('slow-below').hidden = alone;
	if (!alone)
		caption('median-facts', region, region.median,
			drawVisit('slow-median', median, view.apart ? width / Math.max(1, median.ns) : width / scale));
	drawRuler(width / scale, width);
	byId('slow-ruler').classList.toggle('apart', view.apart && !alone);
}

/* Selects the region of the row, if it has kept visits. */
function followSlow(view, row) {
	const found = view.slowRegions.findIndex(region => region.name === row.name);
	if (found < 0 || found === view.slow) return;
	view.slow = found;
	view.kept = 0;
}

function slowRow(view) {
	const { name } = view.slowRegions[view.slow];
	return view.model.rows.filter(row => row.name === name)
		.reduce((best, row) => !best || row.time.net > best.time.net ? row : best, null);
}

function keep(view, i) {
	const region = view.slowRegions[view.slow];
	if (!region || !region.visits[i]) return;
	view.kept = i;
	drawSlow(view);
	byId('kept').children[i].focus();
}

function slowTip(event) {
	const element = event.target.closest('[data-box]');
	if (!element) return null;
	const { boxes, visit } = element.parentElement;
	const box = boxes[element.dataset.box];
	const off = box.above ? nsOf(box.off) : offOf(visit, 'blocked').ns + offOf(visit, 'preempted').ns;
	return [make('b', {}, make('bdi', {}, shown(box.name))), make('br'),
		`${time(box.ns)}, ${share(box.ns / (visit.ns || 1))} of the visit, from ${time(box.begin)} on`,
		...(box.slice || visit.raw.suspended || visit.raw.detached ? [] : [make('br'),
			`own time ${ownKnown(box, visit) ? '' : 'at most '}${time(Math.max(0, box.own))}` +
			(off ? ` · off the CPU ${time(off)}` : '')])];
}

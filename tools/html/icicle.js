/* The call tree as boxes; width and colour show two quantities. */

const ROW_HEIGHT = 25;
const LEAST_WIDTH = 3; /* narrower boxes are drawn together as "others" */

function sizeOf(row, width) {
	const value = width === 'time' ? row.time.net : row.counters[width].net;
	return value || 0;
}

function mix(from, to, t) {
	return 'rgb(' + from.map((c, i) => Math.round(c + (to[i] - c) * Math.max(0, Math.min(1, t)))).join(' ') + ')';
}

const SAND = [244, 228, 188], EMBER = [226, 92, 50], GREY = [205, 205, 202];
const GREEN = [116, 196, 150], RED = [232, 108, 104];

/* The range of the coloured quantity over all rows, so that a colour means the same value in the whole tree. */
function scaleFor(view) {
	const { colour, model } = view;
	if (colour === 'self') return { of: row => row.time.self === null ? null : row.time.self / model.total,
		most: Math.max(1e-9, ...model.rows.map(r => (r.time.self || 0) / model.total)), text: share };
	if (colour === 'tail') return { of: row => row.p50 ? Math.log2(row.p99 / row.p50) : null,
		most: Math.max(1, ...model.rows.map(r => r.p50 ? Math.log2(r.p99 / r.p50) : 0)),
		text: v => '× ' + digits(2 ** v, 2) };
	if (colour === 'change') return null;
	const values = model.rows.map(r => r.metrics[colour] && r.metrics[colour].value).filter(v => v !== null && v !== undefined);
	return { of: row => row.metrics[colour] ? row.metrics[colour].value : null,
		most: Math.max(1e-9, ...values), text: count };
}

/* A change has a colour only if it is significant. */
function changeColour(found) {
	if (!found) return mix(GREY, GREY, 0);
	if (found.verdict === 'regression') return mix(RED, RED, 0);
	if (found.verdict === 'more' || found.verdict === 'slower') return mix(GREY, RED, 0.5);
	if (found.verdict === 'less' || found.verdict === 'faster') return mix(GREEN, GREEN, 0);
	return mix(GREY, GREY, 0);
}

function colourOf(view, scale, row) {
	if (view.colour === 'change') return changeColour(view.changes && view.changes.get(row.path));
	const value = scale.of(row);
	return value === null || value === undefined ? mix(GREY, GREY, 0) : mix(SAND, EMBER, value / scale.most);
}

/* Adds the boxes of these rows, left to right by size, and of the rows below them. Very narrow boxes are joined. */
function layOut(rows, left, width, total, level, view, boxes) {
	let at = left, others = 0, othersFrom = left, hidden = 0;
	const flush = () => {
		if (hidden && others >= 0.25) boxes.push({ level, left: othersFrom, width: others, hidden });
		others = hidden = 0;
	};
	const sorted = [...rows].sort((a, b) => sizeOf(b, view.width) - sizeOf(a, view.width));
	for (const row of sorted) {
		const own = total > 0 ? width * sizeOf(row, view.width) / total : 0;
		if (own < LEAST_WIDTH) {
			if (!hidden) othersFrom = at;
			others += own;
			hidden++;
		} else {
			flush();
			boxes.push({ level, left: at, width: own, row });
			layOut(row.children, at, own, Math.max(sizeOf(row, view.width),
				row.children.reduce((sum, c) => sum + sizeOf(c, view.width), 0)), level + 1, view, boxes);
		}
		at += own;
	}
	flush();
}

function boxesOf(view, width) {
	const boxes = [];
	if (view.zoom) {
		const chain = [];
		for (let row = view.zoom; row; row = row.parent === null ? null : view.model.rows[row.parent])
			chain.unshift(row);
		chain.forEach((row, level) => boxes.push({ level, left: 0, width, row }));
		layOut(view.zoom.children, 0, width, sizeOf(view.zoom, view.width), chain.length, view, boxes);
	} else {
		const roots = view.model.roots;
		layOut(roots, 0, width, roots.reduce((sum, r) => sum + sizeOf(r, view.width), 0), 0, view, boxes);
	}
	return boxes;
}

function drawIcicle(view, on) {
	const holder = byId('icicle');
	const boxes = boxesOf(view, holder.clientWidth);
	const scale = scaleFor(view);
	const drawn = boxes.map(box => {
		const element = make('div', { class: 'box' });
		element.style.left = box.left + 'px';
		element.style.top = box.level * ROW_HEIGHT + 1 + 'px';
		element.style.width = Math.max(1, box.width - 1) + 'px';
		if (!box.row) {
			element.classList.add('others');
			element.textContent = box.width > 70 ? `others (${box.hidden})` : '';
			element.title = `${box.hidden} more regions: zoom in, or see the table`;
			return element;
		}
		element.dataset.row = box.row.index;
		element.style.background = colourOf(view, scale, box.row);
		if (box.width > 22) element.textContent = shown(box.row.name, 80);
		else element.classList.add('tiny');
		hatch(element, view, box.row);
		element.classList.toggle('faded', view.found !== null && !view.found.has(box.row));
		element.classList.toggle('picked', view.picked === box.row);
		return element;
	});
	const levels = 1 + boxes.reduce((most, box) => Math.max(most, box.level), 0);
	const filler = make('div');
	filler.style.height = levels * ROW_HEIGHT + 1 + 'px';
	holder.replaceChildren(filler, ...drawn);
	drawScale(view, scale, boxes);
	view.boxes = boxes;
}

function coloursShown(view, scale) {
	const bar = make('i');
	if (!scale) return [view.comparison ? 'red: a regression; green: less; grey: no significant change'
		: 'grey: no test with one run each'];
	bar.style.background = `linear-gradient(90deg, ${mix(SAND, EMBER, 0)}, ${mix(SAND, EMBER, 1)})`;
	return [scale.text(0), bar, scale.text(scale.most)];
}

function drawScale(view, scale, boxes) {
	byId('scale').replaceChildren(...coloursShown(view, scale));
	if (view.width === 'time' && view.model.rows.some(offShare))
		byId('scale').append(make('span', { class: 'off' }), 'off the CPU');
	if (boxes.some(box => !box.row))
		byId('scale').append(make('span', { class: 'others' }), 'others: too narrow to be drawn');
}

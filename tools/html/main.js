/* The page: state, events, and when to redraw what. */

const view = {
	model: null, other: null, comparison: null, changes: null,
	width: 'time', colour: 'self', sort: 'total', rising: false, flat: false, inside: false,
	hot: null, hotB: null,
	slowRegions: [], slow: 0, kept: 0, apart: false,
	zoom: null, picked: null, found: null, find: '', theme: null,
};

/* ---- above the tree ------------------------------------------------------ */

function drawHeader() {
	const r = view.model.report;
	const other = view.other ? view.other.report : null;
	const name = shown(r.program || 'merged report', 80) + (other ? ' → ' + shown(other.program || 'merged report', 80) : '');
	document.title = name + ' · selfmon';
	byId('title').textContent = name;
	const parts = [r.cpu + (r.hypervisor ? `, under ${r.hypervisor}` : ''), r.kernel, r.when,
		r.pid ? `pid ${r.pid}` : `${(r.processes || []).length} processes`, `${r.threads} thread${r.threads === 1 ? '' : 's'}`];
	if (r.since) parts.push(`an interval of ${time(r.elapsed_ns)}, begun ${r.since}`);
	else if (r.elapsed_ns) parts.push(`${time(r.elapsed_ns)} since the first use`);
	if (r.cpu_ns) parts.push(`${time(r.cpu_ns)} of CPU time`);
	byId('machine').textContent = parts.filter(Boolean).map(part => shown(part)).join(' · ');
}

function drawChips() {
	const r = view.model.report;
	const chip = (name, verdict, text, title) => {
		const element = make('span', { class: 'chip ' + verdict, title: title || '' }, name + ' ', make('b', {}, text));
		return element;
	};
	byId('columns').replaceChildren(
		chip('time', 'exact', r.clock ? `${r.clock} clock, ±${r.clock_error_ppm} ppm` : 'exact'),
		...view.model.columns.map(c => chip(shown(c.name, 40),
			c.verdict === 'not counted' ? 'none' : c.verdict, c.verdict, shown(c.reason || '', 400))));
}

function cautionsOf() {
	const r = view.model.report;
	const said = [];
	const off = r.counters_off || '';
	if (off) said.push(`counters off: ${off}`);
	if (r.events_reason && (!off || r.choice === 'list' || (r.processes || []).length)) said.push(r.events_reason);
	for (const c of view.model.columns)
		if (c.reason) said.push(c.reason === off ? `not counted: ${c.name}` : `${c.name}: ${c.reason}`);
	for (const key of ['read_reason', 'slow_path', 'slowed_reason', 'degraded_reason', 'time_alone_reason'])
		if (r[key]) said.push(`${key.replace(/_/g, ' ').replace(' reason', '')}: ${r[key]}`);
	if (r.every > 1) said.push(`one visit in ${r.every} was measured (SELFMON_EVERY)`);
	for (const [key, text] of [
		     [
			     'too_deep',
			     'visits not measured: 256 visits were open in the thread (deep recursion, or jumps out of regions?)'
		     ],
		     [
			     'evicted',
			     'spans never left: the oldest were ended when 256 visits were open in their thread; leave spans on error paths too, or use selfmon_async_begin() for work that does not end in order'
		     ],
		     [ 'unready', 'visits not measured' ],
		     [ 'refused', 'threads not measured: no memory' ],
		     [
			     'stale',
			     'leave() calls not recorded: the visit was already closed, or was entered on another thread'
		     ],
		     [
			     'unread',
			     'regions left out: their thread kept changing them while they were copied'
		     ]])
		if (r[key]) said.push(`${count(r[key])} ${text}`);
	for (const e of r.errata || []) said.push(`${e.name}: ${e.text}`);
	return said.concat(r.notes || []);
}

function drawCautions() {
	const said = cautionsOf();
	if (view.comparison) {
		said.unshift(view.comparison.conclusion);
		said.push(...view.comparison.cautions);
	} else if (view.other) {
		said.unshift('One run each: differences are shown, and no test. selfmon run --compare separates noise from change.');
	}
	if (view.other) said.push(...differences(view.model, view.other));
	byId('cautions').replaceChildren(...[...new Set(said)].map(text => make('p', {}, shown(text, 600))));
}

function options(select, entries, chosen) {
	select.replaceChildren(...entries.map(([value, text]) => {
		const option = make('option', { value }, text);
		option.selected = String(chosen) === String(value);
		return option;
	}));
}

function drawControls() {
	const counted = view.model.columns.map((c, i) => [i, shown(c.name, 40)])
		.filter(([i]) => view.model.rows.some(row => row.counters[i].net > 0));
	options(byId('width'), [['time', 'time'], ...counted], view.width);
	const metrics = view.model.metrics.map((m, i) => [i, m.name])
		.filter(([i]) => view.model.rows.some(row => row.metrics[i] && row.metrics[i].value !== null));
	options(byId('colour'), [['self', 'self time'], ['tail', 'tail: p99 / p50'],
		...(view.changes ? [['change', 'change, B to A']] : []), ...metrics], view.colour);
	byId('flat').checked = view.flat;
	byId('find').value = view.find;
	byId('out').hidden = !view.zoom;
	byId('theme').textContent = isDark() ? 'light' : 'dark';
}

function drawLegend() {
	byId('legend').textContent = 'Times and counts are net of the library’s overhead; percentiles are within 12.5 %. '
		+ Object.entries(MARKS).map(([mark, text]) => `${mark} ${text}`).join('; ') + '. – not counted.';
}

/* ---- state ----------------------------------------------------------------- */

function isDark() {
	return view.theme ? view.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function search() {
	byId('find').classList.remove('wrong');
	view.found = null;
	byId('found').textContent = '';
	if (!view.find) return;
	try {
		const wanted = new RegExp(view.find, 'i');
		const rows = (view.flat ? view.flatRows : view.model.rows).concat(view.model.rows);
		view.found = new Set(rows.filter(row => wanted.test(row.name)));
		const sum = view.model.rows.filter(row => view.found.has(row)).reduce((total, row) => total + (row.time.self || 0), 0);
		byId('found').textContent = `self: ${time(sum)}, ${share(sum / view.model.total)}`;
	} catch (error) {
		byId('find').classList.add('wrong');
		byId('found').textContent = 'not a regular expression';
	}
}

/* Stores the state in the fragment of the page's URL, so that a link shows the same view. */
function saveState() {
	const state = new URLSearchParams();
	for (const key of ['width', 'colour', 'sort', 'find', 'theme'])
		if (view[key] && view[key] !== { width: 'time', colour: 'self', sort: 'total' }[key]) state.set(key, view[key]);
	for (const key of ['rising', 'flat', 'inside', 'apart']) if (view[key]) state.set(key, 1);
	for (const key of ['slow', 'kept']) if (view[key]) state.set(key, view[key]);
	for (const key of ['zoom', 'picked']) if (view[key]) state.set(key, view[key].index);
	history.replaceState(null, '', '#' + state);
}

function loadState() {
	const state = new URLSearchParams(location.hash.slice(1));
	const { model } = view;
	const number = text => /^\d+$/.test(text || '') ? Number(text) : null;
	const width = state.get('width');
	view.width = model.columns[number(width)] ? number(width) : 'time';
	const colour = state.get('colour');
	view.colour = colour === 'tail' || (colour === 'change' && view.changes) ? colour
		: model.metrics[number(colour)] ? number(colour) : view.comparison ? 'change' : 'self';
	view.sort = state.get('sort') || 'total';
	view.rising = state.has('rising');
	view.flat = state.has('flat');
	view.inside = state.has('inside');
	view.apart = state.has('apart');
	view.find = state.get('find') || '';
	view.theme = ['dark', 'light'].includes(state.get('theme')) ? state.get('theme') : null;
	view.zoom = model.rows[number(state.get('zoom'))] || null;
	view.picked = model.rows[number(state.get('picked'))] || hottest(model);
	view.slow = view.slowRegions[number(state.get('slow'))] ? number(state.get('slow')) : 0;
	const slow = view.slowRegions[view.slow];
	view.kept = slow && slow.visits[number(state.get('kept'))] ? number(state.get('kept')) : 0;
}

function hottest(model) {
	return model.rows.reduce((best, row) => !best || (row.time.self || 0) > (best.time.self || 0) ? row : best, null);
}

/* ---- drawing ---------------------------------------------------------------- */

function drawDetail() {
	drawFacts(view);
	drawCharts(view);
	drawHot(view);
}

function draw() {
	document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
	search();
	drawControls();
	drawIcicle(view);
	fillTable(view);
	drawSpans(view);
	drawDetail();
	drawSlow(view);
	saveState();
}

function pick(row) {
	if (!row) return;
	view.picked = row;
	followSlow(view, row);
	for (const box of byId('icicle').children)
		box.classList.toggle('picked', box.dataset.row === String(row.index));
	drawLines(view);
	drawDetail();
	drawSlow(view);
	saveState();
}

function zoom(row) {
	view.zoom = row && row.children.length ? row : null;
	draw();
}

function show(model, other, comparison) {
	view.model = model;
	view.other = other;
	view.comparison = comparison;
	view.changes = other || comparison ? compareModels(model, other, comparison) : null;
	view.flatRows = flatten(model);
	view.slowRegions = slowRegionsOf(model.report);
	loadState();
	drawHeader();
	drawChips();
	drawCautions();
	drawLegend();
	draw();
}

/* ---- user input -------------------------------------------------------------- */

const rowAt = event => {
	const element = event.target.closest('[data-row]');
	return element ? view.model.rows[element.dataset.row] : null;
};

function rowTip(row) {
	if (!row) return null;
	const found = view.changes && view.changes.get(row.path);
	return [make('b', {}, make('bdi', {}, shown(row.name))), make('br'),
		`${count(row.visits)} visits · total ${time(row.time.net)} (${share(row.time.net / view.model.total)}) · self ${time(row.time.self)}`,
		make('br'), `mean ${time(row.time.mean)} · p99 ${time(row.p99)}`,
		...(found ? [make('br'), `B to A: ${change(found.ratio)}, ${found.verdict}`] : [])];
}

function tip(event, children) {
	const box = byId('tip');
	box.hidden = !children;
	if (!children) return;
	box.replaceChildren(...children);
	const width = Math.min(520, box.offsetWidth);
	box.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 10)) + 'px';
	box.style.top = Math.min(event.clientY + 16, innerHeight - box.offsetHeight - 8) + 'px';
}

function stepKept(key) {
	keep(view, view.kept + (key === 'ArrowLeft' || key === 'ArrowUp' ? -1 : 1));
	saveState();
}

/* Arrow keys move in the tree: to a child, the parent, a sibling. */
function step(key) {
	const row = view.picked || view.model.roots[0];
	if (!row) return;
	const siblings = row.parent === null ? view.model.roots : view.model.rows[row.parent].children;
	const at = siblings.indexOf(row);
	pick({ ArrowDown: row.children[0], ArrowUp: row.parent === null ? null : view.model.rows[row.parent],
		ArrowLeft: siblings[at - 1], ArrowRight: siblings[at + 1] }[key]);
}

function onKey(event) {
	if (event.target.matches('input[type="search"]')) {
		if (event.key === 'Escape') event.target.blur();
		return;
	}
	if (event.target.matches('select')) return;
	if (event.key === '/') { event.preventDefault(); byId('find').focus(); }
	else if (event.key === 'Escape') zoom(null);
	else if (event.key === 'Enter' && document.activeElement === byId('icicle')) zoom(view.picked);
	else if (event.key === 'd') byId('theme').click();
	else if (event.key.startsWith('Arrow') && document.activeElement === byId('icicle')) {
		event.preventDefault();
		step(event.key);
	} else if (event.key.startsWith('Arrow') && byId('kept').contains(document.activeElement)) {
		event.preventDefault();
		stepKept(event.key);
	}
}

function refuse(name, error) {
	byId('cautions').prepend(make('p', { role: 'alert' },
		`${shown(name)} is not compared: ${error instanceof BadReport ? error.message : 'it is not JSON'}`));
}

async function takeFile(file) {
	if (!file) return;
	try {
		const model = modelOf(JSON.parse(await file.text()));

		view.hotB = null; /* symbols are not in JSON */
		show(view.model, model, null);
	} catch (error) {
		refuse(file.name, error);
	}
}

function listenSlow() {
	byId('slow-region').addEventListener('change', event => {
		view.slow = Number(event.target.value);
		view.kept = 0;
		drawSlow(view);
		pick(slowRow(view));
		saveState();
	});
	byId('kept').addEventListener('click', event => {
		const button = event.target.closest('[data-kept]');
		if (!button) return;
		keep(view, Number(button.dataset.kept));
		saveState();
	});
	byId('apart').addEventListener('change', event => { view.apart = event.target.checked; drawSlow(view); saveState(); });
	for (const id of ['slow-one', 'slow-median']) {
		byId(id).addEventListener('mousemove', event => tip(event, slowTip(event)));
		byId(id).addEventListener('mouseleave', event => tip(event, null));
	}
}

function listen() {
	const icicle = byId('icicle'), table = byId('table');
	icicle.addEventListener('click', event => pick(rowAt(event)));
	icicle.addEventListener('dblclick', event => zoom(rowAt(event)));
	icicle.addEventListener('mousemove', event => tip(event, rowTip(rowAt(event))));
	icicle.addEventListener('mouseleave', event => tip(event, null));
	table.tBodies[0].addEventListener('click', event => pick(rowAt(event)));
	table.tBodies[0].addEventListener('dblclick', event => zoom(rowAt(event)));
	table.tHead.addEventListener('click', event => {
		const key = event.target.dataset.key;
		if (!key) return;
		view.rising = key === view.sort ? !view.rising : key === 'name';
		view.sort = key;
		fillTable(view);
		saveState();
	});
	listenSlow();
	let pending = false;
	byId('scroll').addEventListener('scroll', () => {
		if (pending) return;
		pending = true;
		requestAnimationFrame(() => { pending = false; drawLines(view); });
	});
	byId('width').addEventListener('change', event => {
		view.width = event.target.value === 'time' ? 'time' : Number(event.target.value);
		draw();
	});
	byId('colour').addEventListener('change', event => {
		view.colour = /^\d+$/.test(event.target.value) ? Number(event.target.value) : event.target.value;
		draw();
	});
	byId('flat').addEventListener('change', event => { view.flat = event.target.checked; draw(); });
	byId('inside').addEventListener('change', event => { view.inside = event.target.checked; draw(); });
	byId('find').addEventListener('input', event => {
		view.find = event.target.value;
		search();
		drawIcicle(view);
		fillTable(view);
		saveState();
	});
	byId('out').addEventListener('click', () => zoom(null));
	byId('theme').addEventListener('click', () => { view.theme = isDark() ? 'light' : 'dark'; draw(); });
	byId('file').addEventListener('change', event => takeFile(event.target.files[0]));
	document.addEventListener('keydown', onKey);
	document.addEventListener('dragover', event => { event.preventDefault(); byId('drop').hidden = false; });
	document.addEventListener('dragleave', event => { if (!event.relatedTarget) byId('drop').hidden = true; });
	document.addEventListener('drop', event => {
		event.preventDefault();
		byId('drop').hidden = true;
		takeFile(event.dataTransfer.files[0]);
	});
	addEventListener('resize', () => draw());
}

function start() {
	const data = JSON.parse(byId('data').textContent);
	listen();
	view.hot = data.hot || null;
	view.hotB = data.hot_b || null;
	show(modelOf(data.a), data.b ? modelOf(data.b) : null, data.compare || null);
}

start();

// SPDX-License-Identifier: MIT
// Opens HTML reports of selfmon in Chromium, and uses them as a user would.
//
//	node page.js SELFMON FOLDER
//
// FOLDER has node_modules/ and template.json, a report of a real run. The test
// fails if a page has an error, prints to the console, or makes a second request.
'use strict';

const assert = require('assert/strict');
const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const { grown, named, random } = require('./reports');

const [, , selfmon, folder] = process.argv;
const { chromium } = require(path.join(folder, 'node_modules/playwright-core'));
const template = JSON.parse(fs.readFileSync(path.join(folder, 'template.json'), 'utf8'));
const at = name => path.join(folder, name);

function write(name, report) {
	fs.writeFileSync(at(name), JSON.stringify(report));
	return at(name);
}

function page(name, ...reports) {
	execFileSync(selfmon, ['report', '-f', 'html', '-o', at(name),
		...reports.map((report, i) => write(`${name}.${i}.json`, report))]);
	return at(name);
}

let browser, checks = 0;

// Opens a page, and collects its errors and messages. close() fails if there are any.
async function open(file, options = {}, hash = '') {
	const tab = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
	tab.faults = [];
	tab.on('pageerror', error => tab.faults.push(`error: ${error.message}`));
	tab.on('console', message => tab.faults.push(`console: ${message.text()}`));
	tab.on('request', request => tab.requests.push(request.url()));
	tab.on('dialog', dialog => { tab.faults.push('dialog'); dialog.dismiss(); });
	tab.requests = [];
	const began = Date.now();
	await tab.goto('file://' + file + hash);
	await tab.waitForSelector('#table tbody tr[data-row]');
	tab.ms = Date.now() - began;
	return tab;
}

async function close(tab) {
	assert.deepEqual(tab.faults, []);
	assert.equal(tab.requests.filter(url => !url.startsWith('data:')).length, 1, tab.requests.join(' '));
	checks++;
	await tab.close();
}

const boxes = tab => tab.$$eval('#icicle .box', list => list.map(box => ({
	text: box.textContent, row: box.dataset.row, left: parseFloat(box.style.left), top: parseFloat(box.style.top),
	width: parseFloat(box.style.width), colour: box.style.background })));
const names = tab => tab.$$eval('#table tbody tr[data-row] td:first-child', cells => cells.map(cell => cell.textContent));
const drawn = (tab, id) => tab.$eval(`#${id} canvas`, canvas => {
	const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
	const colours = new Set();
	for (let i = 0; i < pixels.length; i += 4)
		if (pixels[i + 3]) colours.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
	return colours.size;
});

// ---- four rows ---------------------------------------------------------------

async function testTree(file) {
	const tab = await open(file);
	const rows = template.rows.length;
	assert.equal((await names(tab)).length, rows);
	assert.equal(await tab.textContent('#count'), `${rows} rows`);
	const all = await boxes(tab);
	assert.ok(all.length >= 2, 'boxes');
	const icicle = await tab.$eval('#icicle', element => element.clientWidth);
	const top = all.filter(box => box.top < 10);
	assert.ok(Math.abs(top.reduce((sum, box) => sum + box.width + 1, 0) - icicle) < 3, 'the top level is as wide as the tree');
	// A box is as wide as its share of the time.
	const [root] = template.rows;
	const child = template.rows[1];
	const box = all.find(b => b.row === '1');
	assert.ok(Math.abs(box.width / icicle - child.time_ns.net / root.time_ns.net) < 0.02, 'width of a child');
	assert.equal(await tab.$('.scale .others'), null, 'no box is too narrow');
	await tab.screenshot({ path: at('tree.png'), fullPage: true });
	await close(tab);
}

/* The header says how much time the report covers. */
async function testInterval(plain) {
	let tab = await open(plain);
	assert.match(await tab.textContent('#machine'), / since the first use/);
	await close(tab);
	tab = await open(page('interval.html', { ...template, since: '2026-11-25T04:31:00Z', elapsed_ns: 261700000 }));
	assert.match(await tab.textContent('#machine'), / · an interval of 261\.7 ms, begun 2026-11-25T04:31:00Z/);
	assert.doesNotMatch(await tab.textContent('#machine'), /first use/);
	await close(tab);
}

async function testSelection(file) {
	const tab = await open(file);
	await tab.click('#icicle .box[data-row="1"]');
	assert.equal(await tab.textContent('#facts h3'), template.rows[1].name);
	assert.match(await tab.textContent('#facts'), /visits\s*100/);
	assert.ok(await drawn(tab, 'histogram') > 3, 'a histogram is drawn');
	assert.ok(await drawn(tab, 'curve') > 3, 'a curve is drawn');
	await tab.dblclick('#icicle .box[data-row="0"]');
	assert.ok(await tab.isVisible('#out'), 'zoomed');
	await tab.keyboard.press('Escape');
	assert.ok(await tab.isHidden('#out'), 'zoomed out by Escape');
	await tab.focus('#icicle');
	await tab.keyboard.press('ArrowUp');
	assert.equal(await tab.textContent('#facts h3'), template.rows[0].name);
	await tab.keyboard.press('ArrowDown');
	assert.notEqual(await tab.textContent('#facts h3'), template.rows[0].name);
	await close(tab);
}

/* No two names below the curve of percentiles overlap. */
async function testAxis() {
	const report = structuredClone(template);
	report.rows[0].time_ns.histogram = [[1000, 3999998], [2000, 1], [3000, 1]];
	const tab = await open(page('axis.html', report), { viewport: { width: 1200, height: 900 } });
	await tab.click('#table tr[data-row="0"] td');
	const texts = await tab.evaluate(() => {
		const canvas = CanvasRenderingContext2D.prototype, plain = canvas.fillText, drawn = [];
		canvas.fillText = function(text, x, y) {
			if (/^(0|p[0-9.]+)$/.test(text)) drawn.push({ text, x, half: this.measureText(text).width / 2 });
			plain.call(this, text, x, y);
		};
		dispatchEvent(new Event('resize'));
		return new Promise(done => requestAnimationFrame(() => done(drawn)));
	});
	assert.ok(texts.length >= 3, 'names are drawn');
	texts.slice(1).forEach((one, i) => {
		const last = texts[i];
		assert.ok(last.x + last.half < one.x - one.half, `${one.text} is over ${last.text}`);
	});
	await close(tab);
}

/* Spans have a separate table, which is absent if there are no spans. */
async function testSpans(plain) {
	const [row] = template.rows;
	const named = (name, visits, open, elsewhere, frames) => ({ ...row, id: 0, name, visits, measured: visits, whole: visits,
		open, elsewhere, frames, counters: [], metrics: [], time_ns: { ...row.time_ns, visits, net: 2000 * visits } });
	const report = { ...template, async: { metrics: [], rows: [named('request', 1, 20, 1, 0), { ...named('turn', 3, 0, 0, 3), id: 1 }] } };
	let tab = await open(page('spans.html', report));
	assert.ok(await tab.isVisible('#spans'), 'spans are shown');
	const cells = await tab.$$eval('#spans td', all => all.map(cell => cell.textContent));
	assert.deepEqual(cells.slice(0, 6), ['request', '1', '', '20', '1', '2.000 µs']);
	assert.deepEqual(cells.slice(cells.length / 2, cells.length / 2 + 6), ['turn', '3', '500000.0', '0', '0', '2.000 µs']);
	assert.equal((await names(tab)).length, template.rows.length, 'and are no rows of the tree');
	await close(tab);
	tab = await open(plain);
	assert.ok(await tab.isHidden('#spans'), 'no table without spans');
	await close(tab);
}

/* Returns the cells of each row in the columns whose keys have this prefix. */
const cells = (tab, key) => tab.$$eval('#table tr', (lines, begin) => {
	const heads = [...document.querySelectorAll('#table th')];
	const wanted = heads.map((head, i) => i).filter(i => heads[i].dataset.key.startsWith(begin));
	return lines.filter(line => line.querySelector('th') || line.dataset.row !== undefined)
		.map(line => wanted.map(i => line.children[i].textContent));
}, key);

/* A unit that a row counted has four columns. Rows of the same name are added up. */
async function testUnits(plain) {
	const words = (sum, visits, min, max, histogram) => ({ unit: 'words', sum, visits, mean: sum / visits, min, max,
		p50: min, p90: max, p99: max, histogram });
	const report = structuredClone(template);
	const [, first, second] = report.rows;
	report.units = ['bytes', 'items', 'words'];
	for (const row of report.rows) row.units = [];
	first.units = [words(300, 100, 1, 5, [[1, 50], [5, 50]])];
	second.units = [words(2000, 100, 10, 30, [[10, 50], [30, 50]])];
	second.name = first.name;
	let tab = await open(page('units.html', report));
	assert.deepEqual(await cells(tab, 'ubytes'), [[], [], [], []], 'no row counted bytes');
	await tab.click('th[data-key="uwords.max"]');
	assert.deepEqual(await cells(tab, 'uwords'), [['words', 'words/visit', 'words p99', 'words max'],
		['2000', '20', '30', '30'], ['300', '3', '5', '5'], ['–', '–', '–', '–']]);
	await tab.click(`#table tr[data-row="${second.id}"] td`);
	assert.match(await tab.textContent('#facts'), /words\s*2000; a visit 10 to 30, p50 10, p99 30/);
	await tab.check('#flat');
	assert.deepEqual((await cells(tab, 'uwords')).slice(1), [['2300', '11.5', '30', '30'], ['–', '–', '–', '–']]);
	await close(tab);
	tab = await open(plain);
	assert.deepEqual((await cells(tab, 'u'))[0], [], 'no columns without units');
	await close(tab);
}

/* Time off the CPU is hatched in the boxes, and has columns. */
async function testOffCpu(plain) {
	const off = (row, blocked, preempted, switches, preemptions) =>
		Object.assign(row, { blocked_ns: Math.round(blocked * row.time_ns.net),
			preempted_ns: Math.round(preempted * row.time_ns.net), switches, preemptions });
	const report = structuredClone(template);
	report.off_cpu = true;
	report.rows.forEach(row => off(row, 0, 0, 0, 0));
	off(report.rows[0], 0.25, 0.25, 12, 3);
	off(report.rows[1], 0.1, 0, 9, 0);
	let tab = await open(page('off.html', report));
	const parts = await tab.$$eval('#icicle .box', list => list.map(box => [box.dataset.row,
		box.querySelector('.off') ? box.querySelector('.off').getBoundingClientRect().width / box.getBoundingClientRect().width : 0]));
	const part = new Map(parts);
	assert.ok(Math.abs(part.get('0') - 0.5) < 0.01, `half of the root is hatched: ${part.get('0')}`);
	assert.ok(Math.abs(part.get('1') - 0.1) < 0.02, `a tenth of its child: ${part.get('1')}`);
	assert.match(await tab.textContent('.scale'), /off the CPU/);
	const [head, ...lines] = await cells(tab, 'o');
	assert.deepEqual(head, ['on CPU', 'blocked', 'preempted', 'switches']);
	assert.deepEqual(lines.map(line => line[3]), ['12', '9', '0']);
	await tab.click('#table tr[data-row="0"] td');
	assert.match(await tab.textContent('#facts'), /off the CPU\s*50.* of the time.*12 switches, 3 of them preemptions/);
	await tab.screenshot({ path: at('off.png'), fullPage: true });
	await tab.setViewportSize({ width: 1500, height: 900 });
	assert.ok(await tab.$eval('#scroll', scroll => scroll.scrollWidth <= scroll.clientWidth), 'all columns fit');
	await close(tab);
	report.rows[1].name = report.rows[0].name;
	tab = await open(page('off.html', report));
	await tab.check('#flat');
	assert.equal((await cells(tab, 'o'))[1][3], '12', 'a region inside of itself is counted once');
	await close(tab);
	tab = await open(plain);
	assert.deepEqual((await cells(tab, 'o'))[0], [], 'no columns without records');
	assert.equal(await tab.$('#icicle .off, .scale .off'), null);
	await close(tab);
}

/* Slow visits of row 0 and of its child, with parts, times off the CPU, and unknown values. */
function slowest(report) {
	const visit = (region, ns, more = {}) => ({ region, ns, begin_ns: 2e6, ended: '2026-11-25T04:31:00Z',
		ended_ns: 1795581060123456789, tid: 4711, cpu: 3, migrated: false, detached: false, suspended: false,
		overwritten: false, known_from_ns: 0, least_part_ns: 0, off_cpu: null, counters: { 'page-faults': 12, 'task-clock': 1500000 }, inner: 0, parts: [], ...more });
	const [outer, inner] = report.rows.map(row => row.name);
	// The child is blocked for 8 ms in its first visit, and preempted for 1 ms in its second one.
	const parts = [{ region: inner, begin_ns: 1000000, ns: 8500000 },
		{ region: '</script><b>\u202ename', begin_ns: 1000001, ns: 300000 },
		{ off_cpu: 'blocked', begin_ns: 1400000, ns: 8000000 },
		{ region: inner, begin_ns: 9500000, ns: 2500000 },
		{ off_cpu: 'preempted', begin_ns: 10000000, ns: 1000000 }];
	const median = [{ region: inner, begin_ns: 500000, ns: 2000000 }];
	const visits = [visit(outer, 16000000, { inner: 12, parts }),
		...[9, 8, 7].map(ms => visit(outer, ms * 1e6, { cpu: null, migrated: true, suspended: true })),
		visit(outer, 6000000, { inner: 1, parts: median, overwritten: true, known_from_ns: 1500000 }),
		visit(outer, 5000000, { inner: 70, parts: median }), visit(outer, 4000000), visit(outer, 3000000, { detached: true }),
		visit(inner, 2000000)];
	return { ...structuredClone(report), slowest: visits, off_cpu: true };
}

const visitBoxes = (tab, id) => tab.$eval(`#${id}`, holder => ({ width: holder.clientWidth,
	boxes: [...holder.querySelectorAll('.box')].map(box => ({ name: box.querySelector('bdi') ? box.querySelector('bdi').textContent : '',
		left: parseFloat(box.style.left), top: parseFloat(box.style.top), right: box.getBoundingClientRect().right - holder.getBoundingClientRect().left,
		hatched: getComputedStyle(box).backgroundImage.includes('repeating-linear-gradient'), colour: getComputedStyle(box).backgroundColor,
		off: [...box.querySelectorAll('.off')].map(off => ({ kind: off.className, left: parseFloat(off.style.left),
			width: off.getBoundingClientRect().width, hatched: getComputedStyle(off).backgroundImage.includes('repeating-linear-gradient') })),
		unknown: [...box.querySelectorAll('.unknown')].map(one => ({ left: parseFloat(one.style.left), width: parseFloat(one.style.width),
			colour: getComputedStyle(one).backgroundColor })) })) }));

const near = (a, b, text) => assert.ok(Math.abs(a - b) <= 1.1, `${text}: ${a}, not ${b}`);

/* Both icicles have the same scale. Time off the CPU is hatched in all boxes that contain it. */
async function testSlowScale(file, report) {
	const tab = await open(file);
	const one = await visitBoxes(tab, 'slow-one'), median = await visitBoxes(tab, 'slow-median');
	const scale = one.width / 16e6;
	const drawn = [...report.slowest[0].parts.filter(part => part.region), ...report.slowest[0].parts.filter(part => part.off_cpu)];
	assert.equal(one.boxes.length, 1 + drawn.length);
	near(one.boxes[0].right, one.width, 'the slowest visit is as wide as the page');
	drawn.forEach((part, i) => {
		near(one.boxes[i + 1].left, part.begin_ns * scale, 'begin');
		near(one.boxes[i + 1].right, (part.begin_ns + part.ns) * scale, 'end');
		assert.equal(one.boxes[i + 1].hatched, Boolean(part.off_cpu));
	});
	assert.deepEqual(one.boxes.map(box => Math.round(box.top)), [1, 26, 51, 26, 51, 51], 'levels');
	near(median.boxes[0].right, 6e6 * scale, 'the median on the same scale');
	near(median.boxes[1].left, 0.5e6 * scale, 'and its part');
	assert.deepEqual(one.boxes.map(box => box.off.map(off => off.kind)),
		[['off blocked', 'off preempted'], ['off blocked'], [], ['off preempted'], [], []]);
	for (const box of [one.boxes[0], one.boxes[1]]) {
		assert.ok(box.off[0].hatched, 'hatched');
		near(box.left + box.off[0].left, 1.4e6 * scale, 'from where it waited');
		near(box.off[0].width, 8e6 * scale, 'as long as it waited');
	}
	assert.notEqual(one.boxes[0].colour, one.boxes[3].colour, 'own time on the CPU has a colour');
	assert.equal(one.boxes[4].name, 'blocked');
	assert.equal(one.boxes[1].name, report.rows[1].name);
	const ruler = await tab.$$eval('#slow-ruler span', ticks => ticks.map(tick => [tick.textContent, parseFloat(tick.style.left)]));
	const tick = ruler.find(([text]) => text === '10 ms');
	near(tick[1], 10e6 * scale, 'the ruler');
	await tab.check('#apart');
	near((await visitBoxes(tab, 'slow-median')).boxes[0].right, median.width, 'each at full width');
	assert.equal(await tab.$eval('#slow-ruler', ruler => getComputedStyle(ruler).visibility), 'hidden', 'then no ruler');
	await close(tab);
}

const GREY = 'rgb(205, 205, 202)';

/* The tooltip of box N of the slow visit. */
async function slowTipOf(tab, n) {
	await tab.hover(`#slow-one .box:nth-child(${n})`, { position: { x: 1, y: 10 } });
	return tab.textContent('#tip');
}

/* What is not known is grey, and its time is not given as own time. */
async function testSlowUnknown(file) {
	const tab = await open(file);
	// Seven parts of at most 0.3 ms are not listed: of 5 ms of own time at least 2.9 ms are certain.
	assert.ok((await visitBoxes(tab, 'slow-one')).boxes.every(box => box.colour !== GREY && !box.unknown.length));
	assert.match(await slowTipOf(tab, 1), /own time at most 5\.000 ms · off the CPU 9\.000 ms$/);
	// Parts that ended in the first 1.5 ms are unknown. A part from 0.5 ms to 2.5 ms is known.
	await tab.click('#kept button:nth-child(5)');
	await tab.check('#apart');
	const { width, boxes: [outer, inner] } = await visitBoxes(tab, 'slow-one');
	const scale = width / 6e6;
	assert.deepEqual([outer, inner].map(box => box.unknown.map(one => one.colour)), [[GREY], [GREY]]);
	near(outer.unknown[0].left, 0, 'grey from the start');
	near(outer.unknown[0].width, 0.5e6 * scale, 'up to the known part');
	near(inner.unknown[0].left, 0, 'and in this part');
	near(inner.unknown[0].width, 1e6 * scale, 'up to the time from which parts are known');
	assert.match(await slowTipOf(tab, 1), /own time at most 4\.000 ms$/);
	// 69 parts of up to 2 ms are not listed: all of the own time may be theirs.
	await tab.click('#kept button:nth-child(6)');
	assert.deepEqual((await visitBoxes(tab, 'slow-one')).boxes.map(box => box.colour), [GREY, GREY]);
	assert.match(await slowTipOf(tab, 2), /own time at most 2\.000 ms$/);
	await tab.click('#kept button:nth-child(7)');
	assert.match(await slowTipOf(tab, 1), /own time 4\.000 ms$/, 'nothing is missing');
	await close(tab);
}

const captions = tab => Promise.all(['slow-facts', 'median-facts'].map(id => tab.textContent('#' + id)));
const keptVisits = tab => tab.$$eval('#kept button', list => list.map(button => [button.textContent, button.getAttribute('aria-checked')]));

async function testSlowWords(file) {
	const tab = await open(file);
	assert.equal(await tab.evaluate(() => window.hacked), undefined);
	let [one, median] = await captions(tab);
	assert.match(one, /^16\.00 ms the slowest of the 8 kept · blocked 8\.000 ms · preempted 1\.000 ms · ended 2026-11-25 04:31:00\.123 UTC, /);
	assert.match(one, /began 2\.000 ms after the first use · thread 4711 · CPU 3 · page-faults 12, task-clock 1\.500 ms · only the 5 longest of 12 parts are known$/);
	assert.match(median, /^6\.000 ms number 5 of the 8 kept, their median .* parts that ended in its first 1\.500 ms are unknown$/);
	assert.deepEqual((await keptVisits(tab)).map(([text]) => text),
		['16.00 ms', '9.000 ms', '8.000 ms', '7.000 ms', '6.000 ms median', '5.000 ms', '4.000 ms', '3.000 ms']);
	// A name is shown as text, and its hidden characters are visible.
	await tab.hover('#slow-one .box:nth-child(3)');
	assert.match(await tab.textContent('#tip'), /^<\/script><b>\\u\{202E\}name300\.0 µs, 1\.9 % of the visit, from 1\.000 ms on/);
	await tab.click('#kept button:nth-child(2)');
	[one] = await captions(tab);
	assert.match(one, /number 2 of the 8 kept .* suspended with its fiber: its parts are not known$/);
	assert.ok(!one.includes('CPU'), 'an unknown CPU is not shown');
	assert.equal((await visitBoxes(tab, 'slow-one')).boxes[0].colour, GREY, 'what is not known is grey');
	assert.match(await tab.textContent('#slow .legend'), /own time on the CPU, with parts too short to be listed +not known +blocked: waited/);
	await tab.click('#kept button:nth-child(8)');
	assert.match((await captions(tab))[0], /a detached span: its parts are not known$/);
	await close(tab);
}

/* A deep recursion of 1 ms in a visit of 1 s has no rows. */
async function testSlowNarrow(report) {
	const [visit] = report.slowest;
	const part = (begin, ns) => ({ region: report.rows[1].name, begin_ns: begin, ns });
	const deep = Array.from({ length: 30 }, (_, i) => part(1e6 + i * 1000, 1e6 - i * 2000));
	const parts = [...deep, part(5e8, 3e8)];
	const tab = await open(page('deep.html', { ...report, slowest: [{ ...visit, ns: 1e9, inner: parts.length, parts }] }));
	const { boxes } = await visitBoxes(tab, 'slow-one');
	assert.deepEqual(boxes.map(box => Math.round(box.top)), [1, 26, 26]);
	assert.equal(await tab.$eval('#slow-one', holder => holder.offsetHeight), 51, 'two rows');
	assert.match(await tab.textContent('#slow-facts'), / · levels too narrow to be drawn: 29$/);
	await close(tab);
}

/* The sums of all times off the CPU are shown, also of those that are no parts. */
async function testSlowSums(file) {
	const html = fs.readFileSync(file, 'utf8').replace(/(?<=id="data">)[^<]*/, data => {
		const report = JSON.parse(data);
		report.a.slowest[0].off_cpu = { blocked_ns: 9000000, blocked: 40, preempted_ns: 1500000, preempted: 1 };
		report.a.slowest[4].off_cpu = { blocked_ns: 0, blocked: 0, preempted_ns: 250000, preempted: 3 };
		return JSON.stringify(report).replace(/</g, '\\u003c');
	});
	fs.writeFileSync(at('sums.html'), html);
	const tab = await open(at('sums.html'));
	const [one, median] = await captions(tab);
	assert.match(one, /kept · blocked 9\.000 ms \(40 times\) · preempted 1\.500 ms · ended/);
	assert.match(median, /their median · preempted 250\.0 µs \(3 times\) · ended/);
	assert.match(await slowTipOf(tab, 1), /off the CPU 10\.50 ms$/);
	assert.match(await slowTipOf(tab, 2), /off the CPU 8\.000 ms$/, 'a part has the times inside it');
	await close(tab);
}

/* Kept visits are selected by keyboard, regions in the tree and in the list. The URL stores the selection. */
async function testSlowChoice(file, report) {
	const tab = await open(file, {}, `#picked=${report.rows.length - 1}`);
	assert.deepEqual((await tab.$$eval('#slow-region option', list => list.map(one => one.textContent))),
		[`${report.rows[0].name} – 16.00 ms`, `${report.rows[1].name} – 2.000 ms`]);
	await tab.focus('#kept [aria-checked="true"]');
	await tab.keyboard.press('ArrowRight');
	await tab.keyboard.press('ArrowRight');
	await tab.keyboard.press('ArrowLeft');
	assert.deepEqual((await keptVisits(tab)).map(([, checked]) => checked).indexOf('true'), 1);
	assert.match((await captions(tab))[0], /^9\.000 ms/);
	const hash = await tab.evaluate(() => location.hash);
	await tab.click('#icicle .box[data-row="1"]');
	assert.equal(await tab.inputValue('#slow-region'), '1', 'the region that is selected in the tree');
	assert.match((await captions(tab))[0], /^2\.000 ms the only visit kept/);
	assert.ok(await tab.isHidden('#slow-below'), 'and no median of one visit');
	await tab.selectOption('#slow-region', '0');
	assert.equal(await tab.textContent('#facts h3'), report.rows[0].name, 'and the other way round');
	assert.match((await captions(tab))[0], /^16\.00 ms/);
	await close(tab);
	const again = await open(file, {}, hash);
	assert.match((await captions(again))[0], /^9\.000 ms/);
	await close(again);
}

async function testSlow(plain) {
	const report = slowest(template);
	const file = page('slow.html', report);
	await testSlowScale(file, report);
	await testSlowUnknown(file);
	await testSlowWords(file);
	await testSlowSums(file);
	await testSlowNarrow(report);
	await testSlowChoice(file, report);
	await pictures(file, 'slow');
	let tab = await open(page('unswitched.html', { ...report, off_cpu: false }));
	assert.match(await tab.innerText('#slow .legend'), /With SELFMON_EVENTS=@offcpu times off the CPU are hatched\.$/);
	await close(tab);
	tab = await open(plain);
	assert.ok(await tab.isHidden('#slow'), 'no visits were kept');
	await close(tab);
}

// The address of main() in the program that made the template.
function mainOf(program) {
	const line = execFileSync('nm', [program], { encoding: 'utf8' }).split('\n').find(text => / T main$/.test(text));
	return parseInt(line, 16);
}

/*
 * Returns a copy of the report with samples in this row: one call stack for
 * each count.
 */
function sampled(report, row, counts) {
	const program = at('hello');
	const copy = structuredClone(report);
	const places = [[[0, mainOf(program)]], [[1, 16]], [[1, 32]]];
	copy.rows.forEach(one => Object.assign(one, { samples: 0, samples_within: 0 }));
	const all = counts.reduce((sum, n) => sum + n, 0);
	Object.assign(copy.rows[row], { samples: all, samples_within: all });
	for (let up = copy.rows[row].parent; up !== null; up = copy.rows[up].parent) copy.rows[up].samples_within = all;
	copy.samples = { event: 'task-clock', period: 1000003, asked: 0, frequency: 0, chain: 32, cost_ns: 100,
		taken: 2 * all, outside: all, lost: 0, lost_more: 0, unstored: 0, no_stacks_reason: '',
		modules: [{ path: program, build_id: '' }, { path: '/x/<img src=x onerror="window.hacked = 5">', build_id: '' }],
		stacks: counts.map((n, i) => ({ row, count: n, addresses: places[i] })) };
	return copy;
}

const functionsShown = tab => tab.$$eval('#hot tbody tr', lines =>
	lines.map(line => [...line.children].map(cell => cell.textContent)));

/* The selected region has a table of functions. If the region has no samples, the table shows those of the regions inside. */
async function testSamples(plain) {
	const row = template.rows.find(one => one.parent !== null).id;
	const report = sampled(template, row, [6, 3, 1]);
	const file = page('samples.html', report);
	assert.ok(!fs.readFileSync(file, 'utf8').includes('"addresses"'), 'no call stacks in the page');
	let tab = await open(file);
	assert.equal(await tab.evaluate(() => window.hacked), undefined);
	await tab.click(`#table tr[data-row="${row}"] td`);
	const [first, second, ...more] = await functionsShown(tab);
	assert.deepEqual(more, []);
	assert.deepEqual(first.slice(0, 3), ['main', '6', '60.0 %']);
	assert.deepEqual(second.slice(0, 3), ['<img src=x onerror="window.hacked = 5">', '4', '40.0 %']);
	assert.match(second[4], /\+0x10$/, 'the address with most samples');
	assert.match(await tab.textContent('#hot-about'), /^10 of 20 samples, 50\.0 % · task-clock, one per 1\.000 ms$/);
	assert.match(await tab.textContent('#hot-unknown'), /No symbols for 4 samples in .*No such file/);
	assert.match(await tab.textContent('#facts'), /samples\s*10, 50\.0 % of all/);
	assert.deepEqual((await cells(tab, 'samples')).map(line => line[0]).sort(), ['0', '0', '10', 'samples']);
	await tab.screenshot({ path: at('samples.png'), fullPage: true });
	await tab.click('#table tr[data-row="0"] td');
	assert.equal((await functionsShown(tab)).length, 2, 'those inside');
	assert.match(await tab.textContent('#hot-about'), /in regions inside/);
	assert.ok(await tab.isHidden('#inside-label'), 'no choice without own samples');
	await close(tab);
	const both = structuredClone(report);
	Object.assign(both.rows[0], { samples: 10, samples_within: 20 });
	both.samples.outside = 0;
	both.samples.stacks.unshift({ row: 0, count: 10, addresses: both.samples.stacks[0].addresses });
	tab = await open(page('both.html', both));
	await tab.click('#table tr[data-row="0"] td');
	assert.deepEqual((await functionsShown(tab)).map(line => line[1]), ['10'], 'its own');
	await tab.check('#inside');
	assert.deepEqual((await functionsShown(tab)).map(line => line[1]), ['16', '4'], 'with those inside');
	assert.match(await tab.textContent('#hot-about'), /^20 of 20 samples, 100\.0 %, with regions inside/);
	await close(tab);
	tab = await open(page('samples.html', report, sampled(template, row, [1, 3])));
	await tab.click(`#table tr[data-row="${row}"] td`);
	assert.deepEqual((await functionsShown(tab)).map(line => line[4]), ['25.0 %', '75.0 %'], 'the shares in B');
	await close(tab);
	tab = await open(plain);
	assert.ok(await tab.isHidden('#hot'), 'no functions without samples');
	assert.deepEqual((await cells(tab, 'samples'))[0], []);
	await close(tab);
}

// ---- hundreds of rows --------------------------------------------------------

async function testSort(file, report) {
	const tab = await open(file);
	await tab.click('th[data-key="visits"]');
	const most = Math.max(...report.rows.map(row => row.visits));
	const first = await tab.getAttribute('#table tbody tr[data-row]', 'data-row');
	assert.equal(report.rows[first].visits, most);
	await tab.click('th[data-key="visits"]');
	assert.equal(await tab.getAttribute('th[data-key="visits"]', 'aria-sort'), 'ascending');
	await tab.click('th[data-key="name"]');
	const sorted = await names(tab);
	assert.deepEqual(sorted, [...sorted].sort(), 'names in order');
	await close(tab);
}

async function testFind(file, report) {
	const tab = await open(file);
	await tab.keyboard.press('/');
	await tab.keyboard.type('^function 1.$');
	const wanted = report.rows.filter(row => /^function 1.$/.test(row.name)).length;
	assert.ok(wanted > 0);
	assert.equal(await tab.textContent('#count'), `${wanted} of ${report.rows.length} rows`);
	assert.match(await tab.textContent('#found'), /self: .* %/);
	// The URL stores the view, so a reload shows the same view.
	await tab.click('#table tbody tr[data-row] td');
	const picked = await tab.textContent('#facts h3');
	const hash = await tab.evaluate(() => location.hash);
	await close(tab);
	const again = await open(file, {}, hash);
	assert.equal(await again.textContent('#count'), `${wanted} of ${report.rows.length} rows`);
	assert.equal(await again.textContent('#facts h3'), picked);
	await again.fill('#find', '(');
	assert.equal(await again.textContent('#found'), 'not a regular expression');
	await close(again);
}

async function testFlat(file, report) {
	const tab = await open(file);
	await tab.check('#flat');
	const distinct = new Set(report.rows.map(row => row.name)).size;
	assert.equal(await tab.textContent('#count'), `${distinct} rows`);
	await close(tab);
}

// Only visible rows are drawn, and scrolling reaches all rows.
async function testScroll(file, report) {
	const tab = await open(file);
	const last = await tab.evaluate(async () => {
		const scroll = document.getElementById('scroll');
		scroll.scrollTop = scroll.scrollHeight;
		await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
		return document.querySelectorAll('#table tbody tr[data-row]').length;
	});
	assert.ok(last > 5 && last < 200, `${last} rows are drawn of ${report.rows.length}`);
	const all = await boxes(tab);
	assert.ok(all.some(box => !box.row), 'slivers are drawn together');
	assert.match(await tab.textContent('.scale'), /others: too narrow to be drawn$/);
	assert.match(await tab.$eval('.scale .others', element => getComputedStyle(element).backgroundImage), /repeating-linear-gradient/);
	assert.ok(all.length < 1000, `${all.length} boxes`);
	await close(tab);
}

async function pictures(file, name) {
	for (const [width, colorScheme] of [[1280, 'light'], [1920, 'dark'], [1280, 'dark'], [1920, 'light']]) {
		const tab = await open(file, { viewport: { width, height: 1000 }, colorScheme });
		const back = await tab.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
		assert.equal(back, colorScheme === 'dark' ? 'rgb(21, 23, 27)' : 'rgb(251, 250, 248)');
		const overflow = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
		assert.ok(overflow <= 0, `wider than the window by ${overflow}`);
		await tab.screenshot({ path: at(`${name}-${width}-${colorScheme}.png`), fullPage: true });
		await close(tab);
	}
}

// ---- two reports ---------------------------------------------------------------

function slower(report, name, factor) {
	const copy = structuredClone(report);
	for (const row of copy.rows)
		if (row.name === name) {
			row.time_ns.net *= factor;
			row.time_ns.net_exclusive *= factor;
			row.time_ns.histogram = row.time_ns.histogram.map(([ns, n]) => [ns * factor, n]);
		}
	return copy;
}

async function testTwo() {
	const b = slower(template, template.rows[1].name, 1.25);
	const tab = await open(page('two.html', template, b));
	await tab.click('#icicle .box[data-row="1"]');
	assert.match(await tab.textContent('#facts'), /\+25\.0 %.*no test/);
	assert.match(await tab.textContent('#cautions'), /One run each/);
	// With one run each there is no statistical test, so no box has the colour of a change.
	await tab.selectOption('#colour', 'change');
	const colours = new Set((await boxes(tab)).filter(box => box.row).map(box => box.colour));
	assert.equal(colours.size, 1);
	await close(tab);
}

async function testDrop(file) {
	const tab = await open(file);
	const b = slower(template, template.rows[1].name, 0.5);
	await tab.setInputFiles('#file', write('dropped.json', { ...b, cpu: 'another CPU' }));
	await tab.waitForSelector('th[data-key="change"]');
	assert.match(await tab.textContent('#cautions'), /the CPU differs/);
	await tab.evaluate(text => {
		const data = new DataTransfer();
		data.items.add(new File([text], 'bad.json'));
		document.dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
	}, '{"schema": "other"}');
	await tab.waitForSelector('[role="alert"]');
	assert.match(await tab.textContent('[role="alert"]'), /bad\.json is not compared: schema/);
	fs.writeFileSync(at('broken.json'), '{"schema');
	await tab.setInputFiles('#file', at('broken.json'));
	await tab.waitForFunction(() => document.querySelectorAll('[role="alert"]').length === 2);
	await close(tab);
}

async function testVerdicts() {
	const next = random(5);
	const runs = (name, factor) => Array.from({ length: 8 }, (_, i) => {
		const run = structuredClone(template);
		for (const row of run.rows) row.time_ns.net *= 1 + 0.01 * (next() - 0.5);
		return write(`${name}${i}.json`, slower(run, template.rows[1].name, factor));
	});
	let status = 0, html;
	const args = ['compare', '-f', 'html', ...runs('a', 1), '--', ...runs('b', 1.2)];
	try {
		html = execFileSync(selfmon, args);
	} catch (error) {
		({ status, stdout: html } = error);
	}
	assert.equal(status, 1, 'a regression');
	fs.writeFileSync(at('verdicts.html'), html);
	const tab = await open(at('verdicts.html'));
	assert.match(await tab.textContent('#cautions'), /REGRESSION: 1 of/);
	const red = (await boxes(tab)).filter(box => box.colour === 'rgb(232, 108, 104)');
	assert.deepEqual(red.map(box => box.row !== undefined), [true]);
	await tab.click(`#icicle .box[data-row="${red[0].row}"]`);
	assert.equal(await tab.textContent('#facts h3'), template.rows[1].name);
	await tab.screenshot({ path: at('verdicts.png'), fullPage: true });
	await close(tab);
}

// ---- hostile names -------------------------------------------------------------

async function testNames() {
	const hostile = ['</script><script>window.hacked = 1</script>', '<img src=x onerror="window.hacked = 2">',
		'\u202eevil\u2066', 'a\u0001b\u001b[31m', '<!--', '${window.hacked = 3}', '__proto__', 'constructor',
		'x'.repeat(1 << 20), '\u0627\u0644\u0639\u0631\u0628\u064a\u0629', ' ', '"; window.hacked = 4; "'];
	const tab = await open(page('names.html', named(template, hostile)));
	assert.equal(await tab.evaluate(() => window.hacked), undefined);
	assert.equal((await names(tab)).length, hostile.length);
	const text = await tab.evaluate(() => document.body.innerText);
	assert.ok(text.includes('</script><script>window.hacked'), 'a name is text');
	assert.ok(text.includes('\\u{202E}evil\\u{2066}'), 'bidi controls are shown');
	assert.ok(text.includes('a\\x01b\\x1B[31m'), 'control characters are shown');
	assert.ok(!/[\u202a-\u202e\u2066-\u2069]/.test(text), 'no bidi control');
	await close(tab);
	const bytes = structuredClone(template);
	Object.assign(bytes.rows[0], { name: '\ufffd', name_hex: 'ff41' });
	const other = await open(page('bytes.html', bytes));
	assert.equal((await names(other))[0], '\\xFFA');
	await close(other);
}

async function main() {
	browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
		args: ['--no-sandbox'] });
	const small = page('small.html', template);
	const report = grown(template, 500);
	const large = page('large.html', report);
	const hugeReport = grown(template, 1773);
	const huge = page('huge.html', hugeReport);
	await testTree(small);
	await testInterval(small);
	await testSelection(small);
	await testAxis();
	await testSpans(small);
	await testUnits(small);
	await testOffCpu(small);
	await testSamples(small);
	await testSlow(small);
	await testSort(large, report);
	await testFind(large, report);
	await testFlat(large, report);
	await testScroll(huge, hugeReport);
	await testTwo();
	await testDrop(small);
	await testVerdicts();
	await testNames();
	await pictures(small, 'small');
	await pictures(large, 'large');
	const tab = await open(huge);
	const { ms } = tab;
	await close(tab);
	console.log(`browser: ${checks} pages without a fault; 1,773 rows are drawn ${ms} ms after they are opened`);
	await browser.close();
}

main().catch(error => {
	console.error(error);
	process.exit(1);
});

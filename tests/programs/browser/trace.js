// SPDX-License-Identifier: MIT
// Opens a trace of selfmon in speedscope, in Chromium, and finds the slow frame in
// the drawing.
//
//	node trace.js SELFMON FOLDER PROGRAM
//
// FOLDER has node_modules/; PROGRAM is built from tests/programs/trace. If
// speedscope cannot read a file, it shows an empty view. So the test records what
// speedscope draws: the texts of its canvases, with their positions.
'use strict';

const assert = require('assert/strict');
const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');

const [, , selfmon, folder, program] = process.argv;
const { chromium } = require(path.join(folder, 'node_modules/playwright-core'));
const at = name => path.join(folder, name);
const speedscope = at('node_modules/speedscope/dist/release/index.html');

// Returns the time of the only visit of this name, in microseconds.
function duration(document, name) {
	const [begin, end] = ['B', 'E'].map(kind =>
		document.traceEvents.find(event => event.ph === kind && event.name === name));
	return end.ts - begin.ts;
}

function recordTexts() {
	window.drawn = [];
	const fill = CanvasRenderingContext2D.prototype.fillText;
	CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
		const point = new DOMPoint(x, y).matrixTransform(this.getTransform());
		const box = this.canvas.getBoundingClientRect();
		window.drawn.push({ text, canvas: this.canvas.width,
			x: box.left + point.x * box.width / this.canvas.width,
			y: box.top + point.y * box.height / this.canvas.height });
		return fill.apply(this, arguments);
	};
}

// The command-line program of speedscope passes a profile in this way.
function writeProfile(name) {
	const bytes = fs.readFileSync(at(name)).toString('base64');
	fs.writeFileSync(at(`${name}.js`), `speedscope.loadFileFromBase64(${JSON.stringify(name)}, ${JSON.stringify(bytes)})`);
	return at(`${name}.js`);
}

async function main() {
	const document = (() => {
		execFileSync(program, ['known'], { env: { ...process.env, SELFMON_OUTPUT: 'none',
			SELFMON_TRACE: at('known.trace'), SELFMON_EVENTS: 'none' } });
		execFileSync(selfmon, ['trace', '-o', at('known.json'), at('known.trace')]);
		return JSON.parse(fs.readFileSync(at('known.json'), 'utf8'));
	})();
	const slow = duration(document, 'slow frame');
	assert.ok(slow >= 20000, `the slow frame takes ${slow} us`);

	const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
		args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
	const tab = await browser.newPage({ viewport: { width: 1280, height: 800 } });
	const faults = [];
	tab.on('pageerror', error => faults.push(error.message));
	await tab.addInitScript(recordTexts);
	await tab.goto(`file://${speedscope}#localProfilePath=${writeProfile('known.json')}`);
	await tab.waitForFunction(() => window.drawn.some(one => one.text.includes('slow')), null, { timeout: 120000 });

	// The text is inside of the frame's box. A click selects the box, and the
	// page describes it in words.
	const place = await tab.evaluate(() => window.drawn.filter(one => one.text.includes('slow')).pop());
	await tab.mouse.move(place.x + 2, place.y - 3);
	await tab.mouse.click(place.x + 2, place.y - 3);
	await tab.waitForFunction(() => /slow frame/.test(document.body.innerText), null, { timeout: 60000 });
	const words = await tab.evaluate(() => document.body.innerText);
	const times = [...words.matchAll(/([\d.]+)\s*(ms|µs|s)\b/g)].map(match =>
		parseFloat(match[1]) * { 'µs': 1, 'ms': 1000, 's': 1e6 }[match[2]]);
	assert.ok(times.some(us => Math.abs(us - slow) <= slow * 0.01),
		`no time of ${slow} us in: ${words}`);
	assert.ok(!/outer/.test(words), `the slow frame is inside of no other: ${words}`);
	await tab.screenshot({ path: at('trace.png') });
	assert.deepEqual(faults, []);
	await browser.close();
	console.log(`browser: speedscope draws the slow frame of ${(slow / 1000).toFixed(1)} ms`);
}

main().catch(error => {
	console.error(error);
	process.exit(1);
});

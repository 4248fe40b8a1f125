// SPDX-License-Identifier: MIT
// Takes a screenshot of a page: node picture.js MODULES PAGE PICTURE
'use strict';

const path = require('path');
const [, , modules, page, picture] = process.argv;
const { chromium } = require(path.join(modules, 'playwright-core'));

async function main() {
	const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
		args: ['--no-sandbox'] });
	const tab = await browser.newPage({ viewport: { width: 1280, height: 850 }, colorScheme: 'light' });
	await tab.goto('file://' + path.resolve(page));
	await tab.waitForSelector('#table tbody tr[data-row]');
	await tab.click('#icicle .box >> text=/^line$/');
	await tab.mouse.move(640, 815); /* outside of the tree, so no tooltip is shown */
	await tab.screenshot({ path: picture });
	await browser.close();
}

main().catch(error => {
	console.error(error);
	process.exit(1);
});

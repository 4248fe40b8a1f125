/* Numbers and names as text. */

const MARKS = {
	'~': 'estimated from the time on the PMU',
	's': 'read by system call',
	'?': 'within the noise of the library’s overhead',
	'^': 'self time unknown: visits are open, overlap or were cut off',
	'!': 'some visits have no value here',
	'*': 'some visits are open and not included',
	'x': 'some visits were cut off and are not included',
};

/* Shows deceptive characters as \xNN or \u{N}: control characters, bidi controls,
 * characters without a width. Long names are cut in the middle. */
function shown(name, most = 160) {
	let text = String(name);
	if (text.length > most)
		text = text.slice(0, most / 2) + '…' + text.slice(-most / 2);
	return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, c => {
		const code = c.codePointAt(0);
		return code < 256 ? '\\x' + code.toString(16).padStart(2, '0').toUpperCase()
			: '\\u{' + code.toString(16).toUpperCase() + '}';
	});
}

function digits(value, n) {
	const abs = Math.abs(value);
	const whole = abs < 1 ? 1 : Math.floor(Math.log10(abs)) + 1;
	return value.toFixed(Math.max(0, n - whole));
}

function time(ns) {
	if (ns === null || !isFinite(ns)) return '–';
	for (const [unit, size] of [['ns', 1], ['µs', 1e3], ['ms', 1e6]])
		if (Math.abs(ns) < 999.95 * size)
			return digits(ns / size, 4) + ' ' + unit;
	return digits(ns / 1e9, 4) + ' s';
}

/* Formats a time for an axis, with at most two significant digits. */
function timeTick(ns) {
	for (const [unit, size] of [['ns', 1], ['µs', 1e3], ['ms', 1e6]])
		if (ns < 999.95 * size)
			return +(ns / size).toPrecision(2) + ' ' + unit;
	return +(ns / 1e9).toPrecision(2) + ' s';
}

function count(value) {
	if (value === null || !isFinite(value)) return '–';
	const abs = Math.abs(value);
	if (abs < 100 && !Number.isInteger(value)) return digits(value, 3);
	if (abs < 99999.5) return Math.round(value).toString();
	for (const [unit, size] of [['k', 1e3], ['M', 1e6], ['G', 1e9], ['T', 1e12], ['P', 1e15]])
		if (abs < 999.95 * size)
			return digits(value / size, 4) + ' ' + unit;
	return value.toExponential(3);
}

const share = value => value === null || !isFinite(value) ? '–' : (100 * value).toFixed(1) + ' %';

function change(ratio) {
	if (ratio === null || !isFinite(ratio)) return '–';
	if (ratio >= 10) return '× ' + digits(ratio, 3);
	const percent = 100 * (ratio - 1);
	return (percent < 0 ? '−' : '+') + Math.abs(percent).toFixed(1) + ' %';
}

/* Creates an element; children are elements or text, never HTML. */
function make(tag, attributes = {}, ...children) {
	const element = document.createElement(tag);
	for (const [key, value] of Object.entries(attributes))
		if (key === 'class') element.className = value;
		else if (value !== null) element.setAttribute(key, value);
	element.append(...children);
	return element;
}

const byId = id => document.getElementById(id);
const cssColour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

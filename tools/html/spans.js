/* The table of frames and detached spans, which are no part of the tree. */

const SPAN_COLUMNS = [
	['span', row => shown(row.name)],
	['ended', row => count(row.visits)],
	['per second', row => row.frames && row.time_ns.net > 0 ? (1e9 * row.visits / row.time_ns.net).toFixed(1) : ''],
	['open now', row => count(row.open)],
	['ended elsewhere', row => count(row.elsewhere)],
	['mean', row => row.visits ? time(row.time_ns.net / row.visits) : '–'],
	['p50', row => time(row.time_ns.p50)],
	['p90', row => time(row.time_ns.p90)],
	['p99', row => time(row.time_ns.p99)],
	['max', row => time(row.time_ns.longest)],
];

function drawSpans(view) {
	const async = view.model.report.async;
	byId('spans').hidden = !async;
	if (!async) return;
	const line = (tag, texts) => make('tr', {}, ...texts.map(text => make(tag, {}, text)));
	byId('spans').querySelector('thead').replaceChildren(line('th', SPAN_COLUMNS.map(([title]) => title)));
	byId('spans').querySelector('tbody').replaceChildren(
		...async.rows.map(row => line('td', SPAN_COLUMNS.map(([, text]) => text(row)))));
}

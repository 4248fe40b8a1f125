/* Where threads were during visits: on a CPU, blocked, or preempted (@offcpu). */

/* Returns the row's times off the CPU, or null if context switches were not recorded. */
function offCpuOf(from)
{
	return from.blocked_ns === undefined
		       ? null
		       : {
				 blocked : from.blocked_ns,
				 preempted : from.preempted_ns,
				 switches : from.switches,
				 preemptions : from.preemptions
			 };
}

function addOffCpu(to, from)
{
	for (const key of Object.keys(from))
		to[key] += from[key];
}

function offShare(row)
{
	const off = row.offCpu ? row.offCpu.blocked + row.offCpu.preempted : 0;
	return off ? Math.min(1, off / (row.time.net || off)) : 0;
}

function offCpuColumns(view)
{
	if (!view.model.rows.some(row => row.offCpu))
		return [];
	const of = (key, title, value, text) => ({
		key : 'o' + key,
		title,
		text,
		of : row => row.offCpu ? value(row) : null
	});
	return [
		of('cpu', 'on CPU', row => (row.time.net || 0) * (1 - offShare(row)),
		   time),
		of('blocked', 'blocked', row => row.offCpu.blocked, time),
		of('preempted', 'preempted', row => row.offCpu.preempted, time),
		of('switches', 'switches', row => row.offCpu.switches, count),
	];
}

function offCpuFact(list, row)
{
	const off = row.offCpu;
	if (off)
		fact(list, 'off the CPU',
		     `${share(offShare(row))} of the time: blocked ${
			     time(off.blocked)}, preempted ${
			     time(off.preempted)}; ${
			     count(off.switches)} switches, ${
			     count(off.preemptions)} of them preemptions`);
}

/* Hatches the right part of a box: the share of the row's time off the CPU. */
function hatch(element, view, row)
{
	const off = view.width === 'time' ? offShare(row) : 0;
	if (off < 0.005)
		return;
	const part = make('span', { class: 'off' });
	part.style.width = 100 * off + '%';
	element.append(part);
}

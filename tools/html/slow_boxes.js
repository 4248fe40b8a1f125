/* The boxes of a slow visit, and what is not known of them. */

const nsOf = parts => parts.reduce((sum, { ns }) => sum + ns, 0);
const endOf = box => box.begin + box.ns;
const middleOf = part => part.begin + part.ns / 2;

/* Clips a time off the CPU to its box: the kernel's clock and the library's clock differ a little. */
function clipped(part, box) {
	const begin = Math.max(part.begin, box.begin);
	return { ...part, begin, ns: Math.max(0, Math.min(endOf(part), endOf(box)) - begin) };
}

/* Boxes of a visit, each with its level, its own time on the CPU and its times off the CPU. A part belongs to the box
 * that contains its middle: its ends may be outside, since times are rounded. */
function nestedBoxes(visit) {
	const root = { name: visit.name, begin: 0, ns: visit.ns, own: visit.ns, level: 0, off: [], above: null };
	const boxes = [root];
	let inner = root;
	const visits = visit.parts.filter(part => !part.off).sort((a, b) => a.begin - b.begin || b.ns - a.ns);
	for (const part of visits) {
		while (inner.above && middleOf(part) > endOf(inner)) inner = inner.above;
		const box = { ...part, own: part.ns, level: inner.level + 1, off: [], above: inner };
		inner.own -= part.ns;
		boxes.push(box);
		inner = box;
	}
	for (const part of visit.parts.filter(one => one.off)) {
		const around = boxes.filter(box => box.begin <= middleOf(part) && middleOf(part) <= endOf(box));
		const deepest = around.reduce((best, box) => box.level >= best.level ? box : best, root);
		deepest.own -= part.ns;
		for (let box = deepest; box; box = box.above) box.off.push(clipped(part, box));
		boxes.push({ ...clipped(part, deepest), slice: true, own: 0, level: deepest.level + 1, off: [], above: deepest });
	}
	const { until } = missingOf(visit);
	for (const box of boxes) box.unknown = box.slice ? [] : unknownOf(box, boxes, until);
	return boxes;
}

/* Time and number of a visit's times off the CPU. Some of them may not be among the parts. Older reports have no sums:
 * then both are of the parts alone, and the visit may have had more. */
function offOf({ raw, parts }, kind) {
	const listed = parts.filter(part => part.off && part.name === kind);
	return raw.off_cpu ? { ns: raw.off_cpu[kind + '_ns'], times: raw.off_cpu[kind], least: '' }
		: { ns: nsOf(listed), times: listed.length, least: 'at least ' };
}

/* Parts are missing in two ways. Those that ended before `until` are unknown. The others are known by number, and each
 * of them is as short as the shortest part or shorter: together they take at most `unlisted`. */
function missingOf({ raw, ns, parts }) {
	const number = Math.max(0, raw.inner - parts.length);
	return { until: raw.overwritten ? raw.known_from_ns || ns : 0,
		unlisted: number ? number * Math.min(...parts.map(part => part.ns)) : 0 };
}

/* The stretches of a box before `until` that no known part covers. */
function unknownOf(box, boxes, until) {
	const inside = boxes.filter(one => one.above === box).sort((a, b) => a.begin - b.begin);
	const end = Math.min(endOf(box), until);
	const stretches = [];
	let at = box.begin;
	for (const next of [...inside.filter(one => one.begin < end), { begin: end, ns: 0 }]) {
		if (next.begin > at) stretches.push({ begin: at, ns: next.begin - at });
		at = Math.max(at, endOf(next));
	}
	return stretches;
}

/* Parts that are missing have their time in the own time of the boxes around them. */
function ownKnown(box, visit) {
	return !box.unknown.length && !missingOf(visit).unlisted && !visit.raw.least_part_ns;
}

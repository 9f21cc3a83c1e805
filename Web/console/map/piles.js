/** People who are drawn on each other although the map draws everybody apart: a count stands beside them. Pure. */

/** Marks as near as this on the screen, in pixels, cannot be told apart or pressed one by one. */
const nearPixels = 14;

/**
 * @typedef {object} Pile
 * @property {string} key names it among others, as long as the same people lie there
 * @property {[number, number]} place longitude and latitude of the one to look for first
 * @property {{user: string, device: string, weight: number}[]} people each person once, those to look for first
 */

/**
 * The piles among the people that are drawn. O(n) of them.
 * @param {object[]} features points, with `user`, `device` and `weight`
 * @param {(place: [number, number]) => {x: number, y: number}} project where a place is on the screen, in pixels
 * @returns {Pile[]} those of two people or more, the largest first
 */
export function pilesOf(features, project) {
    const cells = new Map();
    const groups = [];
    for (const { geometry: { coordinates }, properties } of features) {
        const { x, y } = project(coordinates);
        const group = groupNear(cells, x, y) ?? newGroup(cells, groups, x, y);
        group.marks.push({ place: coordinates, ...properties });
    }
    return groups.map(({ marks }) => pileOf(marks)).filter(({ people }) => people.length > 1)
        .sort((left, right) => right.people.length - left.people.length || (left.key < right.key ? -1 : 1));
}

function groupNear(cells, x, y) {
    const [column, row] = [Math.floor(x / nearPixels), Math.floor(y / nearPixels)];
    for (let across = -1; across <= 1; across += 1) {
        for (let down = -1; down <= 1; down += 1) {
            const near = cells.get(`${column + across} ${row + down}`)
                ?.find((group) => Math.hypot(group.x - x, group.y - y) <= nearPixels);
            if (near) { return near; }
        }
    }
    return undefined;
}

function newGroup(cells, groups, x, y) {
    const group = { x, y, marks: [] };
    const key = `${Math.floor(x / nearPixels)} ${Math.floor(y / nearPixels)}`;
    cells.set(key, [...cells.get(key) ?? [], group]);
    groups.push(group);
    return group;
}

function pileOf(marks) {
    const people = new Map();
    for (const { user, device, weight, place } of marks) {
        if (!(people.get(user)?.weight >= weight)) { people.set(user, { user, device, weight, place }); }
    }
    const sorted = [...people.values()].sort((left, right) => right.weight - left.weight
        || (left.user < right.user ? -1 : 1));
    return {
        key: sorted.map(({ user }) => user).join("\n"), place: sorted[0].place,
        people: sorted.map(({ user, device, weight }) => ({ user, device, weight })),
    };
}

/** The piles as points of the map: each with its number of people. @param {Pile[]} piles */
export function pileFeatures(piles) {
    return piles.map(({ key, place, people }) => ({
        type: "Feature", geometry: { type: "Point", coordinates: place },
        properties: { pile: key, count: people.length, weight: people[0].weight },
    }));
}

/**
 * The piles of a list that is open, as they are now: each with the people who lie there now, found by its key, or by
 * most of its people where others came or left.
 * @param {Pile[]} opened as they were when the list was opened
 * @param {Pile[]} piles those in sight now
 * @returns {Pile[]} without those that are no piles any more, and each once
 */
export function newestOf(opened, piles) {
    const byKey = new Map(piles.map((pile) => [pile.key, pile]));
    const byUser = new Map(piles.flatMap((pile) => pile.people.map(({ user }) => [user, pile])));
    return [...new Set(opened.map(({ key, people }) => byKey.get(key) ?? withMost(people, byUser)))].filter(Boolean);
}

/** The pile in which most of these people lie; of two alike, that of the first of them. */
function withMost(people, byUser) {
    const counts = new Map();
    for (const { user } of people) {
        const pile = byUser.get(user);
        if (pile) { counts.set(pile, (counts.get(pile) ?? 0) + 1); }
    }
    return [...counts].reduce((best, next) => (next[1] > (best?.[1] ?? 0) ? next : best), undefined)?.[0];
}

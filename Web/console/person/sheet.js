/** The panel of a person where it is a sheet over the lower part of the map, as on a phone held upright. */

/** The part of the map that counts as covered at most: a map that is wholly covered has no room for anybody. */
const mostCovered = 0.75;

/** Whether the panel lies over the map and not beside it; `person.css` says when. @param {Element} [panel] */
export function isOverMap(panel) {
    return Boolean(panel) && getComputedStyle(panel).position !== "static";
}

/**
 * How many pixels at the foot of the map a panel covers. Pure.
 * @param {DOMRect} map
 * @param {DOMRect} [panel] where there is one
 */
export function coveredBelow(map, panel) {
    const meets = panel && panel.left < map.right && panel.right > map.left
        && panel.top < map.bottom && panel.bottom > map.top;
    return meets ? Math.min(map.bottom - panel.top, (map.bottom - map.top) * mostCovered) : 0;
}

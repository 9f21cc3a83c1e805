/** Which screen the page shows: the fragment of its address, `#/regions/harbour/square`. Pure, but for `watchRoute`. */

/** @typedef {{screen: string, rest: string[]}} Route */

/** The screen that is shown where the address names none. */
export const firstScreen = "people";

/** The route of a fragment. What is no route, as `#demo=…`, is the first screen's. @returns {Route} */
export function parseRoute(hash) {
    const match = /^#\/([a-z]+)(?:\/(.*))?$/.exec(hash);
    if (!match) { return { screen: firstScreen, rest: [] }; }
    const rest = (match[2] ?? "").split("/").filter((part) => part !== "").map(decoded);
    return { screen: match[1], rest };
}

/** The fragment of a route: what a link has as its address. */
export function hrefOf(screen, ...rest) {
    return `#/${[screen, ...rest.map((part) => encodeURIComponent(String(part)))].join("/")}`;
}

/** Whether two routes are the same. */
export function isSameRoute(left, right) {
    return left.screen === right.screen && left.rest.length === right.rest.length
        && left.rest.every((part, index) => part === right.rest[index]);
}

/** Calls `take` with the route now, and whenever the address changes. */
export function watchRoute(take) {
    const look = () => take(parseRoute(location.hash));
    addEventListener("hashchange", look);
    look();
}

/** Goes to a screen. */
export function go(screen, ...rest) {
    location.hash = hrefOf(screen, ...rest);
}

function decoded(part) {
    try { return decodeURIComponent(part); } catch { return part; }
}

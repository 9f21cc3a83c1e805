/** The tabs of the app, and which tab a route shows. Pure. */

/** The names of the tabs in addresses; the address of the first tab has no name. */
export const tabs = Object.freeze(["now", "way", "seen", "phone"]);

/** The tab of a route; the first tab for a route that names no other. */
export function tabOf({ screen }) {
    return tabs.includes(screen) ? screen : tabs[0];
}

/** The tabs to show. @param {{isUnknown?: boolean}} viewers the server's answer on who sees the person */
export function tabsFor(viewers) {
    return viewers.isUnknown ? tabs.filter((name) => name !== "seen") : tabs;
}

/** The links to the parts of a screen. */
import { hrefOf } from "../shared/route.js";
import { html, useLayoutEffect, useRef } from "../shared/view.js";

/**
 * @param {{screen: string, label: string, parts: {name: string, words: string}[], current?: string}} properties
 *     `current`: the name of the shown part
 */
export function Parts({ screen, label, parts, current }) {
    const links = useRef();
    // On a phone the row of links is wider than the screen, so the current link is scrolled into view.
    useLayoutEffect(() => links.current.querySelector("[aria-current]")?.scrollIntoView(
        { block: "nearest", inline: "nearest" }), [current]);
    return html`<nav class="parts" ref=${links} aria-label=${label}>
        ${parts.map(({ name, words }) => html`<a key=${name} href=${hrefOf(screen, name)}
            aria-current=${name === current ? "page" : undefined}>${words}</a>`)}
    </nav>`;
}

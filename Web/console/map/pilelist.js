/** The people who lie on each other on the map, as a list: opened by a press on their number, or by the keyboard. */
import { StateMark } from "../shared/mark.js";
import { nameOf } from "../shared/roll.js";
import { shownState } from "../shared/safety.js";
import { legible } from "../shared/text.js";
import { html, useEffect, useLayoutEffect, useMemo, usePage, useRef, useSlice } from "../shared/view.js";
import { t } from "../shared/words.js";
import { newestOf } from "./piles.js";

/** As many people of all piles are listed; of more the number is said. */
const shownLimit = 200;

/**
 * @param {{piles: import("./piles.js").Pile[], opened?: import("./piles.js").Pile[], open: Function}} properties
 *   `piles`: those in sight; `opened`: those whose people are listed; `open` takes the next of them, or undefined
 */
export function PileList({ piles, opened, open }) {
    const page = usePage();
    const close = () => { open(undefined); page.map?.focus(); };
    const newest = useMemo(() => opened && newestOf(opened, piles), [opened, piles]);
    const isGone = newest?.length === 0;
    useEffect(() => { if (isGone) { close(); } }, [isGone]);
    return html`
        ${piles.length > 0 && html`<button type="button" id="piles" class="fit piles"
            aria-expanded=${String(Boolean(opened))} onClick=${() => open(opened ? undefined : piles)}>${
        t("map.piles", { count: piles.reduce((sum, { people }) => sum + people.length, 0) })}</button>`}
        ${opened && !isGone && html`<${Opened} piles=${newest} opened=${opened} close=${close} />`}`;
}

/** `piles`: as they are now; `opened`: as they were when the list was opened, which took the focus. */
function Opened({ piles, opened, close }) {
    const { chooseOnMap } = usePage();
    const live = useSlice((value) => value.live);
    const list = useRef();
    useLayoutEffect(() => { list.current.querySelector("li button")?.focus(); }, [opened]);
    const people = piles.flatMap((pile) => pile.people.filter(({ user }) => live.members.has(user))
        .map((one, index) => ({ ...one, pile, isFirst: index === 0 })));
    const more = people.length - shownLimit;
    const choose = ({ user, device }) => { close(); chooseOnMap(user, device); };
    return html`<section id="pile" class="pile" aria-label=${t("map.pileLabel")} ref=${list}
        onKeyDown=${(event) => { if (event.key === "Escape") { event.stopPropagation(); close(); } }}>
        <ul>${people.slice(0, shownLimit).map((one) => {
        const member = live.members.get(one.user);
        const shown = shownState(live, member);
        return html`${one.isFirst && html`<li class="pile-head" key=${`head ${one.pile.key}`}>${
            t("map.pile", { count: one.pile.people.length })}</li>`}
            <li key=${one.user} data-state=${shown}><button type="button" onClick=${() => choose(one)}>
                <${StateMark} state=${shown} /><span class="name">${legible(nameOf(member))}</span>
                <span class="state">${t(`state.${shown}`)}</span></button></li>`;
    })}</ul>
        ${more > 0 && html`<p class="quiet">${t("ask.more", { count: more })}</p>`}
        <button type="button" class="plain" onClick=${close}>${t("close")}</button>
    </section>`;
}

/** Who is in a region now, since when, and how sure that is. */
import { insideWords, peopleInside } from "../roster/inside.js";
import { placesOf } from "../roster/order.js";
import { StateMark } from "../shared/mark.js";
import { nameOf } from "../shared/roll.js";
import { firstScreen, go } from "../shared/route.js";
import { shownState } from "../shared/safety.js";
import { regionKey } from "../shared/state.js";
import { legible } from "../shared/text.js";
import { html, useMemo, usePage, useSlice, useState } from "../shared/view.js";
import { t } from "../shared/words.js";

/** As many people are shown at first. */
const shownFirst = 20;

/** @param {{collection: string, id: string}} properties */
export function Inside({ collection, id }) {
    const { store, showPerson } = usePage();
    const { members, incidents, alwaysShown } = useSlice(({ live: { members, incidents, alwaysShown } }) => (
        { members, incidents, alwaysShown }));
    const [limit, setLimit] = useState(shownFirst);
    const key = regionKey({ collection, id });
    const people = useMemo(() => peopleInside({ members }, key, placesOf(members)), [members, key]);
    const showAll = () => {
        store.set(({ filter: { sorting } }) => ({ filter: { sorting, inside: key } }));
        go(firstScreen);
    };
    return html`<section id="inside" class="inside" aria-labelledby="inside-title">
        <h3 id="inside-title">${t("regions.inside", { count: people.length })}</h3>
        <ul>${people.slice(0, limit).map(({ member, presence }) => {
        const shown = shownState({ incidents, alwaysShown }, member);
        return html`<li key=${member.user} data-state=${shown}><button type="button"
                onClick=${() => showPerson(member.user)}><${StateMark} state=${shown} />
                <span class="name">${legible(nameOf(member))}</span> <span class="quiet">${
            insideWords(presence)}</span></button></li>`;
    })}</ul>
        ${people.length > 0 && html`<p class="buttons">
            ${people.length > limit && html`<button type="button" class="plain"
                onClick=${() => setLimit(limit + 5 * shownFirst)}>${t("list.more")}</button>`}
            <button type="button" class="plain" onClick=${showAll}>${t("regions.insideList")}</button></p>`}
    </section>`;
}

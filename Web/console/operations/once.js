/** A secret that the server has just made, and shows this once. */
import { useAtStake } from "../frame/leaving.js";
import { CopyField } from "../shared/copyfield.js";
import { html, useEffect, usePage, useRef, useState } from "../shared/view.js";
import { t } from "../shared/words.js";

/**
 * What shows a secret that an order brought, and says that it is lost where the form is gone by then: the session ended
 * meanwhile, and the order went through later.
 * @returns {[object|undefined, (made: object|undefined, name: string) => void]}
 */
export function useMade() {
    const { notice } = usePage();
    const [made, setMade] = useState();
    const isHere = useRef(true);
    useEffect(() => () => { isHere.current = false; }, []);
    const show = (found, name) => {
        if (isHere.current) { setMade(found); } else if (found) { notice(t("operations.lost", { name })); }
    };
    return [made, show];
}

/** @param {{title: string, secrets: {label: string, value: string}[], onDone: () => void}} properties */
export function Once({ title, secrets, onDone }) {
    const [isKept, setKept] = useState(false);
    useAtStake(isKept ? undefined : t("operations.once"));
    // Only now that nothing is lost any more: it may show another screen.
    useEffect(() => { if (isKept) { onDone(); } }, [isKept]);
    return html`<section class="once" aria-label=${title}>
        <h3>${title}</h3>
        <p role="alert">${t("operations.once")}</p>
        ${secrets.map(({ label, value }) => html`<${CopyField} key=${label} label=${label} content=${value} />`)}
        <button type="button" class="primary" onClick=${() => setKept(true)}>${t("operations.written")}</button>
    </section>`;
}

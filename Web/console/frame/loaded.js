/** A component whose code is loaded when the component is first shown. */
import { html, useEffect, usePage, useRef, useState } from "../shared/view.js";
import { t } from "../shared/words.js";

/** @param {{load: () => Promise<Function>}} properties `load` loads the component, which gets all other properties */
export function Loaded({ load, ...others }) {
    const [{ Shown, isMissing }, setState] = useState({});
    const { versions } = usePage();
    const isHere = useRef(true);
    const show = (found) => { if (isHere.current) { setState(found); } };
    const begin = () => {
        show({});
        load().then((found) => show({ Shown: found }), () => {
            show({ isMissing: true });
            // It may not fit to what was loaded before the server was upgraded.
            versions.look();
        });
    };
    useEffect(() => {
        begin();
        return () => { isHere.current = false; };
    }, []);
    if (Shown) { return html`<${Shown} ...${others} />`; }
    return html`<p role="status">${t(isMissing ? "screens.missing" : "screens.loading")}
        ${isMissing && html` <button type="button" class="plain" onClick=${begin}>${t("list.again")}</button>`}</p>`;
}

/** The map of a shared page: where the person is, or where the assembly points are. */
import { LiveMap } from "../map/map.js";
import { useMap } from "../map/usemap.js";
import { html, useEffect } from "../shared/view.js";
import { t } from "../shared/words.js";

/** @param {{state: import("../shared/state.js").State, isHidden?: boolean}} properties */
export function SharedMap({ state, isHidden = false }) {
    const { container, map, message } = useMap(
        (element) => LiveMap.open(element, () => {}), undefined, !isHidden);
    useEffect(() => { map?.show(state); }, [map, state]);
    if (isHidden) { return undefined; }
    return html`<div class="map-frame shared-map"><div class="map" ref=${container}></div>
        ${message && html`<p class="map-message">${message}</p>`}
        ${map && html`<button type="button" class="fit" onClick=${() => map.fit()}>${t("map.showAll")}</button>`}
    </div>`;
}

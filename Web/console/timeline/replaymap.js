/** The map of a replay: the same map as that of now, and another state on it. */
import { LiveMap } from "../map/map.js";
import { useMap } from "../map/usemap.js";
import { html, useEffect, usePage } from "../shared/view.js";
import { t } from "../shared/words.js";

export function ReplayMap({ live, picked, pick }) {
    const page = usePage();
    const { container, map, message } = useMap((element) => LiveMap.open(element, (user) => pick(user)), (opened) => {
        page.setOtherMap(opened);
        return () => page.setOtherMap(undefined);
    });
    useEffect(() => { if (live) { map?.show(live); } }, [map, live]);
    useEffect(() => { map?.select(picked); }, [map, picked]);
    return html`<div class="map-frame replay-map"><div class="map" ref=${container}></div>
        ${message && html`<p class="map-message">${message}</p>`}
        ${map && html`<button type="button" class="fit" onClick=${() => map.fit()}>${t("map.showAll")}</button>`}
    </div>`;
}

/** The regions: drawn, edited, and brought from files. The list stands beside the map, on a phone below it. */
import { useMap } from "../map/usemap.js";
import { useDraft, useList } from "../shared/forms.js";
import { go } from "../shared/route.js";
import { html, useEffect, useLayoutEffect, usePage, useSlice, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { editParts, partsOf } from "./addresses.js";
import { Editor } from "./editor.js";
import { Importer } from "./importer.js";
import { mayChange, RegionList } from "./list.js";
import { RegionMap } from "./regionmap.js";

/** @param {{rest: string[]}} properties what follows the screen's name in the address */
export function Screen({ rest }) {
    const { collection, id, isNew } = partsOf(rest);
    const user = useSlice(({ user }) => user);
    const collections = useList("collections?limit=1000", "items");
    const [map, setMap] = useState();
    const [wanted, setWanted, forgetWanted] = useDraft("regions import");
    const drop = useDrop((file) => setWanted({ file, collection: wanted?.collection ?? collection }));
    const isEdit = isNew || id !== undefined;
    const isListed = collections.items?.some(({ name }) => name === collection);
    const isReadOnly = isEdit && !mayChange(collections.items?.find(({ name }) => name === collection), user);
    return html`<div class=${drop.isOver ? "regions-screen over" : "regions-screen"} ...${drop.events}>
        <div class="panel">
            ${wanted ? html`<${Importer} map=${map} collections=${collections} wanted=${wanted} onChange=${setWanted}
                onClose=${forgetWanted} />`
        : !isEdit ? html`<${Choosing} map=${map} />
            <${RegionList} collections=${collections} only=${collection}
                onFile=${(into) => setWanted({ collection: into })} />`
            : !collections.items ? html`<p class="quiet" role="status">${t("list.loading")}</p>`
                : !isListed ? html`<p>${t("regions.gone")}</p>`
                    : html`<${Editor} key=${`${collection}/${id ?? ""}`} collection=${collection} id=${id} map=${map}
                        isReadOnly=${isReadOnly} />`}
        </div>
        <${MapFrame} map=${map} onMap=${setMap} />
        ${drop.isOver && html`<p class="drop-hint" role="status">${t("regions.import.drop")}</p>`}
    </div>`;
}

/** While the list is shown, a click on a region opens it. */
function Choosing({ map }) {
    const regions = useSlice(({ live }) => live.regions);
    useEffect(() => { map?.showRegions(regions); }, [map, regions]);
    useLayoutEffect(() => {
        if (!map) { return undefined; }
        map.target = { choose: ({ collection, id }) => go("regions", ...editParts(collection, id)) };
        return () => { map.target = undefined; };
    }, [map]);
    return undefined;
}

function MapFrame({ map, onMap }) {
    const page = usePage();
    const [isThinned, setThinned] = useState(false);
    const { container, message } = useMap((element) => RegionMap.open(element), (opened) => {
        page.setOtherMap(opened);
        opened.onThinned = setThinned;
        onMap(opened);
        return () => {
            page.setOtherMap(undefined);
            onMap(undefined);
        };
    });
    const connection = useSlice((value) => value.connection.state);
    useEffect(() => { if (connection === "live") { map?.completeGround(); } }, [map, connection]);
    return html`<section class="place" aria-label=${t("regions.map")}>
        <div class="map-frame">
            <div class="map" ref=${container}></div>
            ${message && html`<p class="map-message">${message} ${t("regions.noMap")}</p>`}
            ${isThinned && html`<p class="thinned" role="status">${t("regions.thinned")}</p>`}
        </div>
    </section>`;
}

/** Files that are dropped anywhere on the screen. */
function useDrop(take) {
    const [isOver, setOver] = useState(false);
    const hasFile = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
    const events = {
        onDragOver: (event) => { if (hasFile(event)) { event.preventDefault(); setOver(true); } },
        onDragLeave: (event) => { if (!event.currentTarget.contains(event.relatedTarget)) { setOver(false); } },
        onDrop: (event) => {
            if (!hasFile(event)) { return; }
            event.preventDefault();
            setOver(false);
            const [file] = event.dataTransfer.files;
            if (file) { take(file); }
        },
    };
    return { isOver, events };
}

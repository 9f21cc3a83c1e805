/** What a shape is drawn with: the buttons above the list of vertices. */
import { html } from "../shared/view.js";
import { t } from "../shared/words.js";
import { Coordinates } from "./coordinates.js";
import { canUndo } from "./edit.js";
import { fewestVertices } from "./shape.js";

/**
 * @param {{edit: object, act: Function, said: string, map?: object, snaps: boolean, onSnaps: Function,
 *     isBeacon: boolean}} properties `said`: what happened last
 */
export function Tools({ edit, act, said, map, snaps, onSnaps, isBeacon }) {
    const { drawing, shape } = edit;
    const press = (type, more) => () => act({ type, ...more });
    const hasPolygon = shape.kind === "polygon";
    return html`<section class="tools-of-shape" aria-label=${t("regions.tools.title")}>
        <div class="buttons">
            <button type="button" class="plain" disabled=${!canUndo(edit)} onClick=${press("undo")}>${
    t("regions.tools.undo")}</button>
            <button type="button" class="plain" disabled=${edit.future.length === 0} onClick=${press("redo")}>${
    t("regions.tools.redo")}</button>
            ${!isBeacon && html`<button type="button" class="plain" aria-pressed=${String(drawing?.kind === "polygon")}
                onClick=${press("draw", { kind: "polygon" })}>${
        t(hasPolygon ? "regions.tools.part" : "regions.tools.polygon")}</button>`}
            ${hasPolygon && html`<button type="button" class="plain" aria-pressed=${String(drawing?.kind === "hole")}
                onClick=${press("draw", { kind: "hole" })}>${t("regions.tools.hole")}</button>`}
            <button type="button" class="plain" aria-pressed=${String(drawing?.kind === "circle")}
                onClick=${press("draw", { kind: "circle" })}>${t("regions.tools.circle")}</button>
            ${!isBeacon && map && html`<button type="button" class="plain"
                onClick=${() => act({ type: "square", centre: map.centre(), metres: niceSide(map.widthMetres()) })}>${
        t("regions.tools.square")}</button>`}
        </div>
        <p class="shape-said quiet" role="status">${said}</p>
        <div class="check"><input type="checkbox" id="snaps" checked=${snaps}
                onChange=${({ currentTarget: { checked } }) => onSnaps(checked)} />
            <label for="snaps">${t("regions.tools.snap")}</label></div>
        ${drawing && html`<${Drawing} drawing=${drawing} act=${act} />`}
    </section>`;
}

/** A side that is a round number, about a quarter of the view. */
function niceSide(widthMetres) {
    const wanted = Math.min(widthMetres / 4, 10_000);
    const power = 10 ** Math.floor(Math.log10(Math.max(1, wanted)));
    return Math.max(5, power * (wanted / power >= 5 ? 5 : wanted / power >= 2 ? 2 : 1));
}

function Drawing({ drawing, act }) {
    const { kind, points } = drawing;
    const isCircle = kind === "circle";
    const add = (at) => act(isCircle ? { type: "circle", centre: at, radius: 50 } : { type: "point", at });
    return html`<div class="drawing" role="group" aria-label=${t(`regions.drawing.${kind}`)}>
        <p>${t(isCircle ? "regions.drawing.circleHint" : "regions.drawing.hint")}</p>
        <${Coordinates} name="next" label=${t("regions.drawing.typed")}
            button=${t(isCircle ? "regions.drawing.centre" : "regions.drawing.add")} onPlace=${add} />
        <p class="quiet">${t("regions.drawing.count", { count: points.length })}</p>
        <div class="buttons">
            ${!isCircle && html`<button type="button" class="plain" disabled=${points.length < fewestVertices}
                onClick=${() => act({ type: "finish" })}>${t("regions.drawing.finish")}</button>`}
            <button type="button" class="plain" onClick=${() => act({ type: "stopDrawing" })}>${
    t("regions.drawing.stop")}</button>
        </div>
    </div>`;
}

/** The vertices of a shape as a list: chosen, typed, moved by arrow keys, added and removed without a mouse. */
import { html, useEffect, useLayoutEffect, useRef, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { Coordinates } from "./coordinates.js";
import { isSelected } from "./edit.js";
import { placeWords, vertexWords } from "./saidwords.js";
import { fewestVertices, isSamePlace, largestRadiusMetres, ringsOf, vertexAt } from "./shape.js";

/** The most rows that are drawn at a time: a shape may have 20,000. */
const rowsShown = 20;
const arrows = ["ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft"];

/**
 * What a key does to what is selected; undefined where it does nothing. Pure.
 * @param {{key: string, shiftKey?: boolean, ctrlKey?: boolean, metaKey?: boolean, altKey?: boolean}} event
 */
export function actionOfKey({ key, shiftKey, ctrlKey, metaKey, altKey }, edit, stepMetres) {
    if (altKey) { return undefined; }
    if (ctrlKey || metaKey) {
        const letter = key.toLowerCase();
        if (letter === "z") { return { type: shiftKey ? "redo" : "undo" }; }
        return letter === "y" ? { type: "redo" } : undefined;
    }
    const { selected } = edit;
    if (arrows.includes(key)) {
        return selected ? { type: "nudge", key, metres: stepMetres * (shiftKey ? 10 : 1) } : undefined;
    }
    if (!selected || selected === "whole") { return undefined; }
    switch (key) {
        case "PageDown": return { type: "step", by: 1 };
        case "PageUp": return { type: "step", by: -1 };
        case "Enter": return edit.shape.kind === "polygon" ? { type: "insert", after: selected } : undefined;
        case "Delete": case "Backspace": return { type: "remove", place: selected };
        default: return undefined;
    }
}

/**
 * @param {{edit: object, current: () => object, act: (action: object) => void, faults: object[], step: number,
 *     onStep: (metres: number) => void}} properties `current`: the newest edit, as keys may come faster than drawing
 */
export function Vertices({ edit, current, act: change, faults, step, onStep }) {
    const { shape, selected } = edit;
    /** Whether the vertex that is chosen next takes the keyboard: it was chosen here, and not on the map. */
    const wantsFocus = useRef(false);
    const act = (action) => { wantsFocus.current = true; change(action); };
    const onKeyDown = (event) => {
        if (!event.target.closest("[data-keys]")) { return; }
        const action = actionOfKey(event, current(), step);
        if (!action) { return; }
        event.preventDefault();
        event.stopPropagation();
        act(action);
    };
    if (shape.kind === "empty") { return html`<p class="quiet">${t("regions.vertices.none")}</p>`; }
    return html`<section class="vertices" aria-labelledby="vertices-title" onKeyDown=${onKeyDown}>
        <h3 id="vertices-title">${t("regions.vertices.title")}</h3>
        <button type="button" class="plain whole" data-keys="whole" aria-pressed=${String(selected === "whole")}
            aria-describedby="whole-hint"
            onClick=${() => act({ type: "select", place: selected === "whole" ? undefined : "whole" })}>${
    t("regions.vertices.whole")}</button>
        <p id="whole-hint" class="hint quiet">${t("regions.vertices.wholeHint")}</p>
        ${shape.kind === "circle" ? html`<${Circle} edit=${edit} act=${act} wantsFocus=${wantsFocus} />`
        : ringsOf(shape).map((one) => html`<${Ring} key=${`${one.polygon}/${one.ring}`} edit=${edit} act=${act}
            wantsFocus=${wantsFocus} faults=${faults} ...${one} />`)}
        <div class="field step">
            <label for="vertex-step">${t("regions.vertices.step")}</label>
            <input id="vertex-step" type="number" min="0.01" max="100000" step="any" value=${step}
                onInput=${({ currentTarget: { value } }) => { if (Number(value) > 0) { onStep(Number(value)); } }} />
        </div>
        <p class="hint quiet">${t("regions.vertices.keys")}</p>
    </section>`;
}

function Circle({ edit, act, wantsFocus }) {
    const { shape } = edit;
    const place = { polygon: 0, ring: 0, vertex: 0 };
    const resize = ({ currentTarget: { value } }) => {
        const radius = Number(value);
        if (radius > 0) { act({ type: "resize", radius, series: "radius" }); }
    };
    return html`<div class="ring">
        <ol class="rows"><li><${Row} edit=${edit} act=${act} wantsFocus=${wantsFocus} place=${place}
            at=${shape.centre} /></li></ol>
        <div class="field">
            <label for="circle-radius">${t("regions.radius")}</label>
            <input id="circle-radius" type="number" min="0.1" max=${largestRadiusMetres} step="any"
                value=${shape.radius} onInput=${resize} />
        </div>
        <button type="button" class="plain" onClick=${() => act({ type: "removeRing", place })}>${
    t("regions.ring.removeCircle")}</button>
    </div>`;
}

function Ring({ edit, act, wantsFocus, faults, polygon, ring, vertices }) {
    const [start, setStart] = useState(0);
    const { selected } = edit;
    const own = selected?.polygon === polygon && selected?.ring === ring ? selected.vertex : undefined;
    useEffect(() => {
        if (own !== undefined && (own < start || own >= start + rowsShown)) {
            setStart(Math.floor(own / rowsShown) * rowsShown);
        }
    }, [own]);
    const first = Math.min(start, Math.max(0, vertices.length - 1));
    const last = Math.min(vertices.length, first + rowsShown);
    const isSeveral = edit.shape.polygons.length > 1;
    const name = ring > 0 ? t("regions.ring.hole", { number: ring })
        : isSeveral ? t("regions.ring.part", { number: polygon + 1 }) : t("regions.ring.edge");
    return html`<div class="ring" role="group" aria-label=${name}>
        <h4>${name} <span class="quiet">${t("regions.ring.count", { count: vertices.length })}</span></h4>
        <ol class="rows" start=${first + 1}>${vertices.slice(first, last).map((at, index) => {
        const place = { polygon, ring, vertex: first + index };
        return html`<li key=${first + index}><${Row} edit=${edit} act=${act} wantsFocus=${wantsFocus} place=${place}
            at=${at} fault=${faults.find((fault) => isSamePlace(fault.place, place))} /></li>`;
    })}</ol>
        ${vertices.length > rowsShown && html`<div class="pages">
            <button type="button" class="plain" disabled=${first === 0}
                onClick=${() => setStart(Math.max(0, first - rowsShown))}>${t("regions.ring.before")}</button>
            <span>${t("regions.ring.shown", { from: first + 1, to: last, of: vertices.length })}</span>
            <button type="button" class="plain" disabled=${last === vertices.length}
                onClick=${() => setStart(first + rowsShown)}>${t("regions.ring.after")}</button>
        </div>`}
        <button type="button" class="plain" onClick=${() => act({ type: "removeRing", place: { polygon, ring } })}>${
    ring > 0 ? t("regions.ring.removeHole") : t("regions.ring.removePart")}</button>
    </div>`;
}

/** One vertex: its button takes the keys; when it is chosen, its coordinates can be typed. */
function Row({ edit, act, wantsFocus, place, at, fault }) {
    const button = useRef();
    const isChosen = isSelected(edit, place);
    // At once: the next key may come before the next frame.
    useLayoutEffect(() => {
        if (isChosen && wantsFocus.current) { button.current.focus(); }
        if (isChosen) { wantsFocus.current = false; }
    }, [isChosen]);
    return html`<div class=${isChosen ? "vertex chosen" : "vertex"}>
        <button type="button" class="plain" data-keys="vertex" ref=${button} aria-pressed=${String(isChosen)}
            onFocus=${() => { if (!isChosen) { act({ type: "select", place }); } }}
            onClick=${() => act({ type: "select", place })}>
            <span>${vertexWords(edit.shape, place)}</span> <span class="quiet">${placeWords(at)}</span>
        </button>
        ${fault && html`<p class="fault">${t("regions.faults.here", { detail: fault.detail })}</p>`}
        ${isChosen && html`<div class="chosen-vertex">
            <${Coordinates} name="vertex" at=${at} label=${vertexWords(edit.shape, place)}
                onPlace=${(to) => act({ type: "move", place, to })} />
            ${edit.shape.kind === "polygon" && html`<div class="buttons">
                <button type="button" class="plain" onClick=${() => act({ type: "insert", after: place })}>${
        t("regions.vertices.insert")}</button>
                <button type="button" class="plain" onClick=${() => act({ type: "remove", place })}
                    aria-disabled=${String(ringLength(edit.shape, place) <= fewestVertices)}>${
        t("regions.vertices.remove")}</button>
            </div>`}
        </div>`}
    </div>`;
}

function ringLength(shape, place) {
    return vertexAt(shape, place) ? shape.polygons[place.polygon][place.ring].length : 0;
}

/** The slider of a replay, its buttons and its keys. */
import { html, useLayoutEffect, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { speeds } from "./range.js";

const stepMs = 10_000;
const longStepMs = 60_000;
const firstSpeed = 10;

/** What has keys of its own: there the replay has none. */
const withKeys = "select, textarea, input:not([type=range]), .map, [contenteditable], dialog, [role=log]";

export function Controls({ replayer, range, slider, shown }) {
    const [speed, setSpeed] = useState(firstSpeed);
    // At once: whoever sees the controls may use their keys.
    useLayoutEffect(() => {
        const press = (event) => { if (onKey(event, replayer.current, range)) { event.preventDefault(); } };
        addEventListener("keydown", press);
        return () => removeEventListener("keydown", press);
    }, []);
    const choose = ({ currentTarget }) => {
        setSpeed(Number(currentTarget.value));
        replayer.current.speed = Number(currentTarget.value);
    };
    const isPlaying = Boolean(shown?.isPlaying);
    return html`<div class="replay-controls" role="group" aria-label=${t("timeline.controls")}>
        <input id="replay-slider" type="range" min="0" max=${(range.toMs - range.fromMs) / 1000} step="1" ref=${slider}
            aria-label=${t("timeline.slider")} onInput=${({ currentTarget }) =>
            replayer.current.seek(range.fromMs + Number(currentTarget.value) * 1000)} />
        <p class="replay-buttons">
            <button type="button" class="plain" id="replay-back" aria-label=${t("timeline.stepBack")}
                onClick=${() => replayer.current.step(-stepMs)}>◂ 10 s</button>
            <button type="button" class="primary" id="replay-play" onClick=${() => replayer.current.toggle()}>${
            t(isPlaying ? "timeline.pause" : "timeline.play")}</button>
            <button type="button" class="plain" id="replay-forward" aria-label=${t("timeline.stepForward")}
                onClick=${() => replayer.current.step(stepMs)}>10 s ▸</button>
            <label for="replay-speed">${t("timeline.speed")}</label>
            <select id="replay-speed" value=${String(speed)} onChange=${choose}>${speeds.map((each) => html`
                <option key=${each} value=${String(each)}>${t("timeline.times", { count: each })}</option>`)}</select>
        </p>
    </div>`;
}

/** @returns {boolean} whether a key was one of the replay's */
function onKey({ key, shiftKey, ctrlKey, altKey, metaKey, target }, replayer, range) {
    if (ctrlKey || altKey || metaKey || target.closest?.(withKeys)) { return false; }
    const byMs = shiftKey ? longStepMs : stepMs;
    // A button and a link have the space bar for themselves.
    if (key === " " && !target.closest?.("button, a, summary")) { replayer.toggle(); return true; }
    if (key === "ArrowLeft") { replayer.step(-byMs); return true; }
    if (key === "ArrowRight") { replayer.step(byMs); return true; }
    if (key === "Home") { replayer.seek(range.fromMs); return true; }
    if (key === "End") { replayer.seek(range.toMs); return true; }
    return false;
}

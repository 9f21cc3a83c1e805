/** Fields for a place that is typed: latitude and longitude, or both pasted into one. */
import { html, useEffect, useRef, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { degrees } from "./saidwords.js";

const number = String.raw`([+-]?\d+(?:[.,]\d+)?)°?`;
const withPoint = String.raw`([+-]?\d+\.\d+)°?`;
/** A comma alone is where a number's decimals begin, unless both numbers have a point. */
const pairs = [
    new RegExp(String.raw`^\s*${number}(?:\s*;\s*|\s*,\s+|\s+)${number}\s*$`),
    new RegExp(String.raw`^\s*${withPoint},${withPoint}\s*$`),
];

/** The numbers of a text with two of them, as `59.908, 10.746` or `59,908 10,746`; undefined for any other. Pure. */
export function pairIn(text) {
    const found = pairs.map((pair) => pair.exec(text)).find(Boolean);
    return found && [found[1], found[2]].map((each) => Number(each.replace(",", ".")));
}

/** A number of degrees that was typed, with a point or a comma; undefined where it is none or off the globe. Pure. */
export function degreesIn(text, limit) {
    const plain = text.trim().replace(",", ".").replace(/°$/, "");
    const value = plain === "" ? NaN : Number(plain);
    return Math.abs(value) <= limit ? value : undefined;
}

/**
 * @param {{name: string, at?: number[], label: string, button?: string, onPlace: (at: number[]) => void}} properties
 *   `at`: the place to begin with; `button`: what adds it, or it is taken with each change; `name` tells several of
 *   these apart
 */
export function Coordinates({ name, at, label, button, onPlace }) {
    const texts = at ? { latitude: degrees(at[1]), longitude: degrees(at[0]) } : { latitude: "", longitude: "" };
    const [typed, setTyped] = useState(texts);
    const [fault, setFault] = useState("");
    const group = useRef();
    const shown = useRef(at);
    useEffect(() => {
        // An effect comes a moment after what is drawn: what was typed meanwhile stays.
        if (shown.current === at) { return; }
        shown.current = at;
        setTyped(texts);
        setFault("");
    }, [at?.[0], at?.[1]]);
    const take = () => {
        // As the fields are now: keys may come faster than they are drawn.
        const now = [...group.current.querySelectorAll("input")].map(({ value }) => value);
        const pair = now.map(pairIn).find(Boolean)?.map(String);
        const [latitude, longitude] = (pair ?? now).map((text, index) => degreesIn(text, index === 0 ? 90 : 180));
        if (latitude === undefined || longitude === undefined) { setFault(t("regions.coordinates.fault")); return; }
        setFault("");
        if (!at || latitude !== at[1] || longitude !== at[0]) { onPlace([longitude, latitude]); }
        if (button) { setTyped({ latitude: "", longitude: "" }); group.current.querySelector("input").focus(); }
    };
    const type = (field) => ({ inputType, currentTarget: { value } }) => {
        // What is pasted is two numbers at once; what is typed may become a longer one with the next key.
        const pair = inputType === "insertText" ? undefined : pairIn(value);
        setTyped((before) => (pair ? { latitude: String(pair[0]), longitude: String(pair[1]) }
            : { ...before, [field]: value }));
    };
    // Elsewhere in a form Enter would save it.
    const onKeyDown = (event) => { if (event.key === "Enter") { event.preventDefault(); take(); } };
    return html`<div class="coordinates" role="group" aria-label=${label} ref=${group}>
        ${["latitude", "longitude"].map((field) => html`<div class="field" key=${field}>
            <label for=${`${name}-${field}`}>${t(`regions.coordinates.${field}`)}</label>
            <input id=${`${name}-${field}`} inputmode="text" autocomplete="off" value=${typed[field]}
                aria-describedby=${fault ? `${name}-fault` : undefined} aria-invalid=${fault ? "true" : undefined}
                onInput=${type(field)} onKeyDown=${onKeyDown}
                onBlur=${() => { if (!button && typed[field] !== texts[field]) { take(); } }} />
        </div>`)}
        ${button && html`<button type="button" class="plain" onClick=${take}>${button}</button>`}
        <p class="fault" id=${`${name}-fault`} role="alert" hidden=${!fault}>${fault}</p>
    </div>`;
}

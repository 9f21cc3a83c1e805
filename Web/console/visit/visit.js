/** The page at which somebody without an account puts themselves on the roll of the incident that is open. */
import { openLinkPage } from "../links/linkpage.js";
import { CopyField } from "../shared/copyfield.js";
import { faultWords } from "../shared/faults.js";
import { GivenUp, Pending } from "../shared/pending.js";
import { QRView } from "../shared/qrview.js";
import { legible } from "../shared/text.js";
import { minuteTime } from "../shared/time.js";
import { html, useEffect, useLayoutEffect, useMemo, usePage, useRef, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { newVisit, whyNot } from "./entry.js";

/** How long an entry is shown before the page is the next person's. */
const shownMs = 10_000;
/** How long a typed and unsent text stays; after that the person has left. */
const keptMs = 90_000;

function Visit({ answer: { team, incident } }) {
    const page = usePage();
    const [entry, setEntry] = useState({ name: "", note: "" });
    const [state, setState] = useState({});
    const pending = useMemo(() => new Pending({
        send: (path, options) => page.watch.send(path, options), now: Date.now,
        report: (waiting) => setState((old) => (old.isBusy ? { ...old, isWaiting: waiting.length > 0 } : old)),
    }), [page]);
    useEffect(() => () => pending.forget(), [pending]);
    const clear = () => { setEntry({ name: "", note: "" }); setState({}); };
    useEffect(() => {
        if (!state.visit && (state.isBusy || (!entry.name && !entry.note))) { return undefined; }
        const timer = setTimeout(clear, state.visit ? shownMs : keptMs);
        return () => clearTimeout(timer);
    }, [entry, state.visit, state.isBusy]);
    const submit = async (event) => {
        event.preventDefault();
        const fault = whyNot(entry.name, entry.note);
        if (fault || state.isBusy) { setState({ ...state, fault: fault && t(fault) }); return; }
        setState({ isBusy: true });
        try {
            const response = await pending.press({
                path: "shared/visitors", words: "", isRepeatable: true, body: newVisit(entry) });
            setState({ visit: await response.json() });
        } catch (error) {
            if (error instanceof GivenUp) { setState({}); return; }
            setState({ fault: error.status === 409 ? t("visit.refused", { reason: error.message })
                : faultWords(error) });
            page.watch.hurry();
        }
    };
    if (state.visit) { return html`<${OnTheList} visit=${state.visit} next=${clear} />`; }
    return html`<div class="visit">
        <h2>${titleWords(team, incident)}</h2>
        ${!incident && html`<p id="closed" class="link-end" role="status">${t("visit.none")}</p>`}
        ${incident && html`<${EntryForm} entry=${entry} setEntry=${setEntry} state=${state} submit=${submit}
            giveUp=${() => pending.forget()} />`}
        <${OwnPhone} address=${page.address} />
    </div>`;
}

function titleWords(team, incident) {
    const key = incident ? { drill: "visit.drill" }[incident.kind] ?? "visit.title" : "visit.closedTitle";
    return t(key, { team: legible(team) });
}

function EntryForm({ entry, setEntry, state, submit, giveUp }) {
    const first = useRef();
    useLayoutEffect(() => first.current.focus(), []);
    const change = (part) => ({ currentTarget }) => setEntry({ ...entry, [part]: currentTarget.value });
    return html`<form id="visit" class="visit-form" autocomplete="off" onSubmit=${submit}>
        <div class="field"><label for="visit-name">${t("visit.name")}</label>
            <input id="visit-name" ref=${first} required autocomplete="off" autocapitalize="words" spellcheck=${false}
                readonly=${Boolean(state.isBusy)} value=${entry.name} onInput=${change("name")}
                aria-describedby="visit-fault" /></div>
        <div class="field"><label for="visit-note">${t("visit.note")}</label>
            <input id="visit-note" autocomplete="off" readonly=${Boolean(state.isBusy)} value=${entry.note}
                onInput=${change("note")} aria-describedby="visit-hint" />
            <p id="visit-hint" class="hint">${t("visit.noteHint")}</p></div>
        <p id="visit-fault" class="fault" role="alert" hidden=${!state.fault}>${state.fault}</p>
        ${state.isWaiting && html`<p id="visit-waiting" role="status">${t("visit.waiting")} <button type="button"
            class="plain" onClick=${giveUp}>${t("pending.giveUp")}</button></p>`}
        <button type="submit" class="primary" disabled=${Boolean(state.isBusy)}>${t("visit.send")}</button>
    </form>`;
}

function OnTheList({ visit: { name, time }, next }) {
    const button = useRef();
    useLayoutEffect(() => button.current.focus(), []);
    return html`<div class="on-the-list" role="alert">
        <p class="done">${t("visit.done", { name: legible(name), time: minuteTime(time) })}</p>
        <p class="quiet">${t("visit.stay")}</p>
        <button type="button" class="plain" ref=${button} onClick=${next}>${t("visit.next")}</button>
    </div>`;
}

/** The address of this page, for people who prefer their own phone. */
function OwnPhone({ address }) {
    const isWide = useMemo(() => matchMedia("(min-width: 48rem)").matches, []);
    return html`<details class="own-phone" open=${isWide}>
        <summary>${t("visit.ownPhone")}</summary>
        <${QRView} content=${address} label=${t("visit.code")} />
        <${CopyField} content=${address} label=${t("visit.address")} />
    </details>`;
}

await openLinkPage("visit", Visit);

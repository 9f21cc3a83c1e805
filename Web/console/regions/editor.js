/** One region while it is edited: its shape on the map and as a list, its settings, and what the server says of it. */
import { drawnPlace } from "../map/mapdata.js";
import { faultWords } from "../shared/faults.js";
import { Dialog } from "../shared/dialog.js";
import { Fault, Retry } from "../shared/forms.js";
import { go, hrefOf } from "../shared/route.js";
import { regionKey } from "../shared/state.js";
import { legible } from "../shared/text.js";
import { html, useEffect, useLayoutEffect, usePage, useRef, useSlice, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { draftName } from "./addresses.js";
import { useCheck } from "./check.js";
import { Conflict } from "./conflict.js";
import { draftOf, isDirty, reverted } from "./draft.js";
import { extentOf as extentOfShape } from "./drawnshape.js";
import { Inside } from "./inside.js";
import { Outcome, Outlook, Summary } from "./outcome.js";
import { extentOf } from "./regionmap.js";
import { readRegion } from "./regionrequests.js";
import { Removal } from "./removal.js";
import { idFor } from "./settings.js";
import { inputOf, SettingsForm } from "./settingsform.js";
import { Tools } from "./tools.js";
import { useEdit } from "./useedit.js";
import { useSaving } from "./usesaving.js";
import { actionOfKey, Vertices } from "./vertices.js";
import { WarningView, warningOf } from "./warning.js";

/** In a view as wide as this nobody draws a region. */
const wideMetres = 20_000;

/** Where a new region is likely to be: among those of its collection, or among the people. */
function startPoints({ regions, members }, collection) {
    const others = extentOf([...regions.values()].filter((region) => region.collection === collection));
    return others.length > 0 ? others : [...members.values()].map(drawnPlace).filter(Boolean);
}

/** @param {{collection: string, id?: string, map?: object, isReadOnly: boolean}} properties no `id`: a new one */
export function Editor({ collection, id, map, isReadOnly }) {
    const { request, drafts, tell, store } = usePage();
    const name = draftName(collection, id);
    const [loading, setLoading] = useState({ isBusy: true });
    const editing = useEdit(name, {
        map, isReadOnly, edited: id && regionKey({ collection, id }),
    });
    const { draft, setDraft } = editing;
    const load = async () => {
        setLoading({ isBusy: true });
        try {
            const read = id === undefined ? undefined : await readRegion(request, collection, id);
            if (id !== undefined && !read) { setLoading({ isGone: true }); return; }
            setDraft(draftOf(read));
            setLoading({});
        } catch (error) {
            setLoading({ fault: faultWords(error) });
        }
    };
    useEffect(() => {
        // What was not saved is still here: after another screen, or a session that ended.
        if (isDirty(drafts.get(name))) {
            setLoading({});
            tell(t("regions.draft.back"));
        } else { load(); }
        return () => { if (!isDirty(drafts.get(name))) { drafts.set(name, undefined); } };
    }, []);
    // At once: a moment later the view may be one that somebody chose.
    useLayoutEffect(() => {
        if (!map || !draft) { return; }
        const points = extentOfShape(draft.edit.shape);
        if (points.length > 0) { map.fit(points); return; }
        // A new one begins where the others are, unless somebody looks at a place already.
        if (map.widthMetres() > wideMetres) { map.fit(startPoints(store.value.live, collection)); }
    }, [map, Boolean(draft)]);
    const back = html`<p><a class="back" href=${hrefOf("regions", collection)}>${t("regions.back")}</a></p>`;
    if (loading.isGone) { return html`${back}<p>${t("regions.gone")}</p>`; }
    if (loading.fault) {
        return html`${back}<${Retry} words=${loading.fault} again=${load} />`;
    }
    if (!draft || loading.isBusy) { return html`${back}<p class="quiet" role="status">${t("list.loading")}</p>`; }
    const title = legible(draft.settings.name.trim() || (id ?? t("regions.new")));
    const warning = warningOf(draft.base?.feature?.properties);
    return html`${back}<h2>${title} <span class="quiet">${legible(collection)}</span></h2>
        ${id !== undefined && html`<${Inside} collection=${collection} id=${id} />`}
        ${isReadOnly ? html`${warning ? html`<${WarningView} warning=${warning} />`
        : html`<p class="quiet">${t("regions.readOnly")}</p>`}
            <${SettingsForm} settings=${draft.settings} shape=${draft.edit.shape} faults=${[]} isReadOnly=${true}
                feature=${draft.base?.feature} />`
        : html`<${Form} collection=${collection} id=${id} map=${map} name=${name} ...${editing} />`}`;
}

function Form({ collection, id: givenId, map, name, ...editing }) {
    const { drafts } = usePage();
    const { draft, setDraft, current, act, said, step, setStep, snaps, setSnaps } = editing;
    const regions = useSlice(({ live }) => live.regions);
    const { edit, settings, base } = draft;
    const taken = useRef(new Set());
    const id = givenId ?? idFor(settings.name, (one) => taken.current.has(one)
        || regions.has(regionKey({ collection, id: one })));
    const isEmpty = edit.shape.kind === "empty" && settings.evidence === "none";
    const checking = useCheck(isEmpty ? undefined : { collection, id, shape: edit.shape, settings, base });
    const saving = useSaving({ collection, id, isNew: givenId === undefined, map, name, setDraft, checking, taken });
    const { check, isChecking } = checking;
    const faults = check?.faults ?? [];
    const [isRemoving, setRemoving] = useState(false);
    useEffect(() => { map?.showFaults(faults.map(({ at }) => at).filter(Boolean)); }, [map, check]);
    useEffect(() => () => map?.showFaults([]), [map]);
    const goTo = (fault) => {
        if (fault.place) { act({ type: "select", place: fault.place }); }
        if (fault.at) { map?.flyTo(fault.at); }
        if (!fault.place) { document.getElementById(inputOf(fault))?.focus(); }
    };
    const save = async () => {
        const fault = await saving.save();
        if (fault) { goTo(fault); }
    };
    const dirty = isDirty(draft);
    const [isDiscarding, setDiscarding] = useState(false);
    const discard = () => {
        setDiscarding(false);
        if (base) { setDraft(reverted(drafts.get(name))); return; }
        drafts.set(name, undefined);
        go("regions", collection);
    };
    const onKeyDown = (event) => {
        // A field has an undo of its own.
        const isTyping = event.target.matches("input:not([type=checkbox]), select, textarea");
        const action = !isTyping && (event.ctrlKey || event.metaKey) && actionOfKey(event, current(), step);
        if (action) { event.preventDefault(); act(action); }
    };
    return html`<div class="editor" onKeyDown=${onKeyDown}>
        ${saving.conflict && html`<${Conflict} ...${saving.conflict} hasMap=${Boolean(map)} />`}
        <p class="quiet" role="status" hidden=${!dirty}>${t("regions.draft.unsaved")}</p>
        <${Tools} edit=${edit} act=${act} said=${said} map=${map} snaps=${snaps} onSnaps=${setSnaps}
            isBeacon=${settings.evidence !== "none"} />
        <${Vertices} edit=${edit} current=${current} act=${act} faults=${faults} step=${step} onStep=${setStep} />
        <${SettingsForm} settings=${settings} shape=${edit.shape} faults=${faults} isReadOnly=${false}
            feature=${base?.feature}
            onChange=${(changed) => setDraft({ ...drafts.get(name), settings: changed })} />
        ${givenId === undefined && html`<p class="quiet">${t("regions.id", { id })}</p>`}
        <${Outcome} check=${check} isChecking=${isChecking} isEmpty=${isEmpty} onFault=${goTo} />
        <${Fault} words=${saving.fault} />
        <div class="save buttons">
            <${Summary} check=${check} isChecking=${isChecking} />
            <button type="button" class="primary" disabled=${!dirty || isEmpty || edit.drawing || saving.isBusy}
                onClick=${save}>${t(saving.isBusy ? "regions.saving" : "regions.save")}</button>
            <button type="button" class="plain" disabled=${!dirty}
                onClick=${() => setDiscarding(true)}>${t("regions.discard")}</button>
            ${base && html`<button type="button" class="plain" onClick=${() => setRemoving(true)}>${
        t("regions.remove.open")}</button>`}
        </div>
        ${isDiscarding && html`<${Question} title=${t("regions.ask.discard")} button=${t("regions.discard")}
            onYes=${discard} onClose=${() => setDiscarding(false)} />`}
        ${saving.asked && html`<${Question} title=${t("regions.ask.save")} button=${t("regions.ask.saveAnyway")}
            onYes=${saving.store} onClose=${saving.unask}>
            ${saving.asked.outlook ? html`<${Outlook} outlook=${saving.asked.outlook} />`
        : html`<p>${t("regions.outcome.unknown", { reason: saving.asked.words ?? "" })}</p>`}<//>`}
        ${isRemoving && html`<${Removal} collection=${collection} id=${id} base=${base}
            onClose=${() => setRemoving(false)}
            onChanged=${(words) => { setRemoving(false); saving.changed(words); }}
            onRemoved=${() => { drafts.set(name, undefined); go("regions", collection); }} />`}
    </div>`;
}

/** Asked before an edit is saved that somebody would feel, or where nobody can tell; and before it is discarded. */
function Question({ title, button, onYes, onClose, children }) {
    return html`<${Dialog} title=${title} onClose=${onClose}>
        ${children}
        <p class="answers"><button type="button" class="primary" onClick=${onYes}>${button}</button>
            <button type="button" class="plain" onClick=${onClose}>${t("cancel")}</button></p>
    <//>`;
}

/** What somebody does to the shape of a region, by the list, the keyboard or the map; kept as a draft. */
import { useDraft, useUnsaved } from "../shared/forms.js";
import { useEffect, useLayoutEffect, usePage, useRef, useSlice, useState } from "../shared/view.js";
import { isDirty } from "./draft.js";
import { extentOf } from "./drawnshape.js";
import { act as nextEdit } from "./edit.js";
import { saidWords } from "./saidwords.js";
import { snap, snapTargets } from "./snapping.js";
import { actionOfKey } from "./vertices.js";

/**
 * @param {string} name where the draft is kept
 * @param {{map?: object, isReadOnly: boolean, edited?: string}} options `edited`: the region's key in the store
 */
export function useEdit(name, { map: anyMap, isReadOnly, edited }) {
    // What cannot be changed is drawn as the others are.
    const [map, except] = isReadOnly ? [] : [anyMap, edited];
    const { drafts } = usePage();
    /** What happened last, in words: beside the buttons, as a line above the map would move the map. */
    const [said, setSaid] = useState("");
    const regions = useSlice(({ live }) => live.regions);
    const [draft, setDraft] = useDraft(name);
    const [step, setStep] = useState(1);
    const [snaps, setSnaps] = useState(true);
    const act = (action, isMoving = false) => {
        const now = drafts.get(name);
        if (!now) { return; }
        const edit = nextEdit(now.edit, action);
        setDraft({ ...now, edit });
        map?.show(edit, isMoving);
        if (!isMoving) { setSaid(saidWords(edit)); }
        if (!isMoving) { showOnMap(map, action, edit); }
    };
    /** The newest of what changes with each drawing, for what listens longer. */
    const newest = useRef();
    newest.current = { act, step, snaps, regions };
    // At once: a gesture may follow what is drawn within the same frame.
    useLayoutEffect(() => {
        if (!map) { return undefined; }
        let targets;
        map.target = {
            edit: () => drafts.get(name)?.edit,
            act: (action, isMoving) => newest.current.act(action, isMoving),
            settle: () => {
                const edit = drafts.get(name)?.edit;
                map.show(edit);
                setSaid(saidWords(edit));
            },
            snap: (at, reachDegrees) => {
                if (!newest.current.snaps) { return at; }
                if (targets?.of !== newest.current.regions) {
                    targets = { of: newest.current.regions, list: snapTargets(newest.current.regions, except) };
                }
                return snap(at, targets.list, reachDegrees).at;
            },
        };
        const canvas = map.library.getCanvas();
        const onKeyDown = (event) => {
            const edit = drafts.get(name)?.edit;
            const action = edit && (drawingKey(event, edit) ?? actionOfKey(event, edit, newest.current.step));
            if (!action) { return; }
            // The map's own keys would move the view.
            event.preventDefault();
            event.stopPropagation();
            newest.current.act(action);
        };
        canvas.addEventListener("keydown", onKeyDown, { capture: true });
        return () => {
            canvas.removeEventListener("keydown", onKeyDown, { capture: true });
            map.target = undefined;
            map.show(undefined);
        };
    }, [map, name]);
    useEffect(() => { anyMap?.showRegions(regions, except); }, [anyMap, regions, except]);
    // What the map does not have yet: not by a gesture on it, but by a load, or by what another leader left.
    useEffect(() => { if (map && draft && map.shown !== draft.edit) { map.show(draft.edit); } }, [map, draft?.edit]);
    useUnsaved(isDirty(draft));
    return { draft, setDraft, current: () => drafts.get(name)?.edit, act, said, step, setStep, snaps, setSnaps };
}

/** What a key does while something is drawn, or selected. */
function drawingKey({ key }, { drawing, selected }) {
    if (key === "Escape") {
        if (drawing) { return { type: "stopDrawing" }; }
        return selected ? { type: "select", place: undefined } : undefined;
    }
    if (!drawing) { return undefined; }
    if (key === "Enter") { return { type: "finish" }; }
    return key === "Backspace" || key === "Delete" ? { type: "undo" } : undefined;
}

/** What was done by the list is in sight on the map. */
function showOnMap(map, { type }, { said, shape }) {
    if (["nudge", "step", "point", "insert"].includes(type) && said?.at) { map?.keepInSight(said.at); }
    if (["finish", "circle"].includes(type) && shape.kind !== "empty") { map?.fitIfSmall(extentOf(shape)); }
}

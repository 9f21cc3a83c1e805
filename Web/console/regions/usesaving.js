/** Saving a region, and what may come between: faults, people whom it concerns, and another leader. */
import { useOrder } from "../shared/forms.js";
import { go } from "../shared/route.js";
import { useEffect, usePage, useRef, useSlice, useState } from "../shared/view.js";
import { t } from "../shared/words.js";
import { draftName, editParts } from "./addresses.js";
import { afterSaving, draftOf, isDirty, onTopOf, withTheirs } from "./draft.js";
import { extentOf } from "./drawnshape.js";
import { isGrave } from "./outlook.js";
import { readRegion, saveOrder } from "./regionrequests.js";
import { featureOf, isSameRegion } from "./settings.js";

/**
 * @param {object} edited
 * @param {string} edited.collection
 * @param {string} edited.id
 * @param {boolean} edited.isNew whether the server has no such region yet
 * @param {object} [edited.map]
 * @param {string} edited.name where its draft is kept
 * @param {(draft: object) => void} edited.setDraft
 * @param {ReturnType<import("./check.js").useCheck>} edited.checking
 * @param {{current: Set<string>}} edited.taken ids that a new region cannot have
 */
export function useSaving(edited) {
    const { collection, id, isNew, name, setDraft, checking } = edited;
    const { drafts } = usePage();
    const order = useOrder();
    const sent = useRef();
    const isHere = useRef(true);
    const [asked, setAsked] = useState();
    const [isLooking, setLooking] = useState(false);
    useEffect(() => () => { isHere.current = false; }, []);

    const saved = (read) => {
        const now = afterSaving(drafts.get(name) ?? sent.current, sent.current, read);
        if (!isNew) { if (isHere.current) { setDraft(now); } else { drafts.set(name, now); } return; }
        drafts.set(name, undefined);
        drafts.set(draftName(collection, sent.current.id), now);
        if (isHere.current) { go("regions", ...editParts(collection, sent.current.id)); }
    };
    const isBusy = order.isBusy || isLooking;
    const { conflict, changed } = useConflict(edited, { isHere, sent, saved, isBusy });
    const store = async () => {
        setAsked(undefined);
        setLooking(true);
        const now = drafts.get(name);
        sent.current = { ...now, id, feature: featureOf(id, now.edit.shape, now.settings) };
        try {
            const response = await order.press(saveOrder(collection, id, sent.current.feature, now.base));
            if (response) { saved({ feature: await response.json(), etag: response.headers.get("ETag") }); }
        } finally { setLooking(false); }
    };
    /** @returns {Promise<object|undefined>} the fault that keeps it from being saved */
    const save = async () => {
        setLooking(true);
        const check = await checking.now().catch(() => undefined);
        setLooking(false);
        switch (check?.result) {
            // It was changed while the server looked at it: nothing is saved that nobody looked at.
            case undefined: return undefined;
            case "faulty": return check.faults[0];
            case "changed": await changed(check.words); return undefined;
            case "unknown": setAsked(check); return undefined;
            default:
                if (check.outlook && isGrave(check.outlook)) { setAsked(check); } else { await store(); }
                return undefined;
        }
    };
    useEffect(() => { if (order.error?.status === 412) { order.clear(); changed(order.error.message, true); } },
        [order.error]);
    return {
        save, store, asked, unask: () => setAsked(undefined), conflict, changed,
        fault: order.fault, isBusy,
    };
}

/** Somebody else changed the region: which of the two stays is for the second one to say. */
function useConflict({ collection, id, isNew, map, name, setDraft, checking, taken },
    { isHere, sent, saved, isBusy }) {
    const { request, drafts, tell } = usePage();
    const [conflict, setConflict] = useState();
    /** What was told of another leader, and put off until it is saved. */
    const putOff = useRef();
    useEffect(() => () => map?.showOther(undefined), [map]);
    const end = () => { setConflict(undefined); map?.showOther(undefined); };
    const answers = (words, theirs) => ({
        onCancel: () => { putOff.current = words; end(); },
        onLook: () => map.fit([drafts.get(name).edit.shape, draftOf(theirs).edit.shape].flatMap(extentOf)),
        onTheirs: () => {
            end();
            if (theirs) { setDraft(withTheirs(drafts.get(name), theirs)); return; }
            drafts.set(name, undefined);
            go("regions", collection);
        },
        onMine: () => {
            end();
            setDraft(onTopOf(drafts.get(name), theirs));
            tell(t("regions.conflict.onTop"));
        },
    });
    const changed = async (words, hasSent = false) => {
        let theirs;
        try { theirs = await readRegion(request, collection, id); } catch { return; }
        // The answer to what was sent was lost, and it was sent again.
        if (hasSent && theirs && isSameRegion(theirs.feature, sent.current.feature)) { saved(theirs); return; }
        if (isNew && theirs) { taken.current.add(id); setDraft({ ...drafts.get(name) }); return; }
        if (!isHere.current) { return; }
        map?.showOther(theirs?.feature);
        setConflict({ words, theirs, ...answers(words, theirs) });
    };
    // The server said so of what is not saved yet.
    useEffect(() => {
        const { result, words } = checking.check ?? {};
        if (result === "changed" && !conflict && putOff.current !== words) { changed(words); }
    }, [checking.check]);
    useFollowing({ collection, id, isNew, name, setDraft, isBusy, recheck: checking.now });
    return { conflict, changed };
}

/**
 * Regions changed on the server: one without an edit here is shown as it is now; a user who edits it is told. Not while
 * the region is saved: that changes it, too, and another check would end the one before it is saved.
 */
function useFollowing({ collection, id, isNew, name, setDraft, isBusy, recheck }) {
    const { request, drafts, tell } = usePage();
    const regions = useSlice(({ live }) => live.regions);
    const seen = useRef(regions);
    useEffect(() => {
        if (seen.current === regions || isNew || isBusy) { return undefined; }
        let isOver = false;
        readRegion(request, collection, id).then((read) => {
            if (isOver) { return; }
            seen.current = regions;
            const now = drafts.get(name);
            if (!now?.base || read?.etag === now.base.etag) { return; }
            if (isDirty(now)) { recheck().catch(() => {}); return; }
            if (!read) { tell(t("regions.gone")); }
            if (read?.etag) { setDraft(draftOf(read)); tell(t("regions.changedElsewhere")); }
        }).catch(() => {});
        return () => { isOver = true; };
    }, [regions, isBusy]);
}

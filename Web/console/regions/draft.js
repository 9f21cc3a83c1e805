/** What is kept of an edited region until it is saved: its shape, its settings, and what they were. Pure. */
import { act, beginEdit } from "./edit.js";
import { settingsOf, settingsOfFeature, shapeOfFeature } from "./settings.js";

/**
 * @typedef {object} Draft
 * @property {import("./edit.js").Edit} edit
 * @property {import("./settings.js").Settings} settings
 * @property {{feature: object, etag: string|null, shape: object, settings: object}|undefined} base the region as the
 *   server had it when it was read; undefined for a new one
 */

/** The draft of a region that was read, or of a new one. @returns {Draft} */
export function draftOf(read) {
    if (!read) { return { edit: beginEdit(), settings: settingsOf() }; }
    const base = baseOf(read);
    return { edit: beginEdit(base.shape), settings: base.settings, base };
}

/** What a draft is compared with. */
function baseOf({ feature, etag }, shape = shapeOfFeature(feature)) {
    return { feature, etag, shape, settings: settingsOfFeature(feature) };
}

/** Whether a draft has what the server does not have. */
export function isDirty(draft) {
    if (!draft) { return false; }
    const { edit, settings, base } = draft;
    if (edit.drawing?.points.length > 0) { return true; }
    const before = base?.settings ?? settingsOf();
    const isSameShape = base ? edit.shape === base.shape : edit.shape.kind === "empty";
    return !isSameShape || JSON.stringify(before) !== JSON.stringify(settings);
}

/** The draft after the server stored what was sent of it; what was changed meanwhile stays. @returns {Draft} */
export function afterSaving(now, sent, read) {
    const base = baseOf(read, sent.edit.shape);
    return { ...now, settings: now.settings === sent.settings ? base.settings : now.settings, base };
}

/** The draft with the region as somebody else left it; undo brings the own shape back. @returns {Draft} */
export function withTheirs(now, read) {
    const base = baseOf(read);
    return { edit: act(now.edit, { type: "replace", shape: base.shape }), settings: base.settings, base };
}

/** The draft on top of what somebody else left, or of nothing where they removed it. @returns {Draft} */
export function onTopOf(now, read) {
    return { ...now, base: read && baseOf(read) };
}

/** The draft without what was changed; undo brings the shape back. @returns {Draft} */
export function reverted(now) {
    return { ...now, edit: act(now.edit, { type: "replace", shape: now.base.shape }), settings: now.base.settings };
}

/** What happened to a shape, in words for people who do not see the map. Pure. */
import { t } from "../shared/words.js";
import { nameOfPlace, ringAt } from "./shape.js";

/** `59.908 10.746`: latitude first, as people write it. */
export function placeWords([longitude, latitude]) {
    return t("regions.place", { latitude: degrees(latitude), longitude: degrees(longitude) });
}

/** A number of degrees as somebody types it. */
export function degrees(value) {
    return String(Math.round(value * 1e7) / 1e7);
}

/** `vertex 3 of 12`, `vertex 3 of 12, hole 1`. */
export function vertexWords(shape, place) {
    if (shape.kind === "circle") { return t("regions.vertex.centre"); }
    const { part, hole, number } = nameOfPlace(shape, place);
    const of = ringAt(shape, place)?.length ?? 0;
    const numbers = { number, of };
    if (part && hole) { return t("regions.vertex.holeOfPart", { ...numbers, hole, part }); }
    if (hole) { return t("regions.vertex.hole", { ...numbers, hole }); }
    return part ? t("regions.vertex.part", { ...numbers, part }) : t("regions.vertex.one", numbers);
}

/** @param {import("./edit.js").Edit} edit @returns {string} empty where there is nothing to say */
export function saidWords({ said, shape }) {
    if (!said) { return ""; }
    const { what, place, at, count } = said;
    const vertex = place && at ? vertexWords(shape, place) : "";
    const where = at ? placeWords(at) : "";
    switch (what) {
        case "selected": case "moved": case "inserted":
            return vertex && t(`regions.said.${what}`, { vertex, place: where });
        case "drawn": return t("regions.said.drawn", { count, place: where });
        case "resized": return t("regions.said.resized", { metres: shape.radius });
        case "circled": return t("regions.said.circled", { place: where, metres: shape.radius });
        default: return t(`regions.said.${what}`);
    }
}

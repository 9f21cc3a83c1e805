/** An event as rules see it, in a line. Pure. */
import { legible } from "../shared/text.js";
import { listed, t } from "../shared/words.js";

/** The words of the kinds of events, by their `detail-type`. */
const kinds = {
    "Location Geofence Event": "crossing", "Location Device Position Event": "position", "Muster Crossing": "crossing",
    "Muster Signal": "signal", "Muster Safety Change": "safety", "Muster Help Request": "help",
    "Muster Check-In": "checkIn", "Muster Attendance": "attendance", "Muster Proximity": "proximity",
    "Muster Incident": "incident", "Muster Test": "test",
};
export const eventKinds = Object.freeze([...new Set(Object.values(kinds))]);

/** What an event is about: its kind, who, what happened, and where. */
export function eventTitle(event) {
    const { detail = {}, "detail-type": type = "" } = event ?? {};
    const kind = kinds[type] ? t(`rules.event.${kinds[type]}`) : legible(type);
    const parts = [
        detail.DeviceId ?? detail.User ?? detail.Team, detail.EventType ?? detail.State ?? detail.Name,
        detail.GeofenceId ?? detail.Region ?? detail.Rule,
    ];
    const words = listed(parts.filter((part) => typeof part === "string").map(legible));
    return words ? t("rules.event.of", { kind, words }) : kind;
}

/** Gateways, tags and radios: what they are, and who is heard where. Pure. */
import { legible } from "../shared/text.js";
import { lengthWords } from "../shared/length.js";
import { listed, t } from "../shared/words.js";

/** The time after which a gateway that was not heard is reported as silent. */
const silentMs = 15 * 60_000;
const proximities = ["immediate", "near", "far"];

/** What a device is by the beacon that it sends: an iBeacon, a radio, or another tag. */
export function tagKind(beacon) {
    if (beacon.startsWith("!")) { return "radio"; }
    return /^[0-9a-f]{8}-/i.test(beacon) ? "beacon" : "tag";
}

/** The gateways that were heard once and are silent now. @param {object[]} gateways devices, each with when `heard` */
export function silentGateways(gateways, nowMs) {
    return gateways.filter(({ heard }) => hearing(heard, nowMs) === "silent");
}

/** Gateways in the order in which they need somebody: those that are silent, and then the others. */
export function silentFirst(gateways, nowMs) {
    const isSilent = ({ heard }) => hearing(heard, nowMs) === "silent";
    return [...gateways.filter(isSilent), ...gateways.filter((each) => !isSilent(each))];
}

/** @returns {"silent"|"heard"|"never"} whether something was heard of lately */
export function hearing(heard, nowMs) {
    if (heard === undefined) { return "never"; }
    return nowMs - Date.parse(heard) > silentMs ? "silent" : "heard";
}

/**
 * The devices that are in each region now, the newest sighting first.
 * @param {Map<string, object>} members
 * @returns {Map<string, object[]>} by `collection/id`; a region in which nobody is has no entry
 */
export function heardByRegion(members) {
    const found = new Map();
    for (const { presences } of members.values()) {
        for (const [device, ofDevice] of presences) {
            for (const [key, presence] of ofDevice) {
                if (presence.standing !== "inside") { continue; }
                if (!found.has(key)) { found.set(key, []); }
                found.get(key).push({ device, ...presence });
            }
        }
    }
    for (const each of found.values()) {
        each.sort((left, right) => Date.parse(right.sampleTime) - Date.parse(left.sampleTime));
    }
    return found;
}

/** A UUID that stands for a Bluetooth address, and one that stands for a Meshtastic radio. */
const addressUUID = /^0{20}([0-9a-f]{12})$/;
const radioUUID = /^4d6573687461737469630000([0-9a-f]{8})$/;

/** What a tag is called where it is a device's: its address, the id of its radio, or the UUID with its numbers. */
export function beaconText({ uuid, major, minor }) {
    const digits = uuid.replaceAll("-", "").toLowerCase();
    const isBare = major === 0 && minor === 0;
    const address = isBare && addressUUID.exec(digits)?.[1];
    if (address && !/^0+$/.test(address)) { return address.toUpperCase().match(/../g).join(":"); }
    const radio = isBare && radioUUID.exec(digits)?.[1];
    return radio ? `!${radio}` : `${uuid}:${major}:${minor}`;
}

/**
 * The newest sighting of each tag.
 * @param {object[]} sightings @param {object[]} tags the devices that send a beacon
 * @returns {object[]} the newest first, each with the `name` of the device that it is, or of the tag
 */
export function newestOfEach(sightings, tags) {
    const names = new Map(tags.map(({ id, beacon }) => [beacon.toLowerCase(), id]));
    const newest = new Map();
    for (const sighting of sightings) {
        const beacon = beaconText(sighting);
        const known = newest.get(beacon);
        if (known && Date.parse(known.sampleTime) >= Date.parse(sighting.sampleTime)) { continue; }
        newest.set(beacon, { ...sighting, beacon, name: names.get(beacon.toLowerCase()) ?? beacon });
    }
    return [...newest.values()].sort((left, right) => Date.parse(right.sampleTime) - Date.parse(left.sampleTime));
}

/** How near somebody is to what hears them. */
export function nearnessWords({ proximity, distance }) {
    return listed([
        proximities.includes(proximity) && t(`operations.proximity.${proximity}`),
        distance !== undefined && t("operations.about", { length: lengthWords(distance) }),
    ]);
}

/** Which beacons a region is made of: a scanner's name, or a UUID with its numbers. */
export function beaconWords({ scanner, uuid, major, minor }) {
    if (scanner) { return t("operations.scanner", { name: legible(scanner) }); }
    return [uuid, major, minor].filter((part) => part !== undefined).map((part) => legible(part)).join(":");
}

/**
 * Gateways with their devices, devices that send a beacon, and regions that beacons make.
 * @param {object[]} users @param {object[]} devices @param {{collection: string, features: object[]}[]} collections
 */
export function radios(users, devices, collections) {
    const names = new Set(users.filter(({ role }) => role === "gateway").map(({ name }) => name));
    return {
        gateways: devices.filter(({ user }) => names.has(user)),
        idle: [...names].filter((name) => !devices.some(({ user }) => user === name)),
        tags: devices.filter(({ beacon }) => beacon !== undefined),
        regions: collections.flatMap(({ collection, features }) => features
            .filter(({ properties }) => properties?.beacon)
            .map(({ id, properties }) => ({ key: `${collection}/${id}`, name: properties.name || id,
                beacon: properties.beacon }))),
    };
}

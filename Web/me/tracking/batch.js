/** The requests by which fixes are sent, and the server's answers, in the form of the API. Pure. */

/** The largest number of positions that the API takes in one request. */
export const batchLimit = 1000;

const ranges = { altitude: [-1e7, 1e7], speed: [0, 1e6], heading: [0, 360], battery: [0, 100] };

/**
 * Whether a value read from the disk is a fix: another version of the app, or a fault of the disk, may have left
 * others.
 */
export function isReadable({ latitude, longitude, timeMs }) {
    return Number.isFinite(latitude) && Number.isFinite(longitude) && !Number.isNaN(new Date(timeMs).getTime());
}

/** A fix in the form of the API's positions. */
export function position(fix, device) {
    const { latitude, longitude, timeMs, accuracy95, altitude, speed, heading, battery } = fix;
    return {
        device, latitude, longitude, sampleTime: new Date(timeMs).toISOString(),
        ...(accuracy95 === undefined ? {} : { accuracy: accuracy95, accuracyPercent: 95 }),
        ...measured({ altitude, speed, heading, battery }),
    };
}

/** The measurements that the server accepts as numbers; a receiver may report NaN, or a speed below 0. */
function measured(values) {
    return Object.fromEntries(Object.entries(values).filter(([name, value]) =>
        Number.isFinite(value) && value >= ranges[name][0] && value <= ranges[name][1]));
}

/**
 * Finds the fixes of a batch that a refusal names.
 * @param {import("../../console/shared/http.js").Problem} problem a 400
 * @param {number} count the number of fixes in the batch
 * @returns {{faults: Map<number, string>, isDeviceMissing: boolean}} `faults`: the reasons by the fix's index in the
 *     batch; `isDeviceMissing`: the only fault of the named fixes is that the server does not know the device
 */
export function faultsOf(problem, count) {
    const faults = new Map();
    let devices = 0;
    for (const { pointer, detail } of problem.errors) {
        const [, place, member] = /^\/(\d+)(?:\/(\w+))?/.exec(pointer ?? "") ?? [];
        if (place === undefined || Number(place) >= count) { continue; }
        if (member === "device") { devices += 1; }
        if (!faults.has(Number(place))) { faults.set(Number(place), `${member ?? ""} ${detail ?? ""}`.trim()); }
    }
    return { faults, isDeviceMissing: devices > 0 && devices === problem.errors.length };
}

/** The body of a request from a text: compressed if the browser can and the text is long enough to gain by it. */
export async function packed(text) {
    if (text.length < 4096 || !globalThis.CompressionStream) { return { body: text, headers: json }; }
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
    return { body: await new Response(stream).blob(), headers: { ...json, "Content-Encoding": "gzip" } };
}

const json = Object.freeze({ "Content-Type": "application/json" });

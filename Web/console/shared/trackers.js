/**
 * What a tracker app needs in order to report to this server: the content of a QR code, and its settings in the app's
 * own words. It is the same that `muster device setup` prints. Pure.
 */
import { serverAddress } from "./owntracks.js";

/** The apps, in the order in which they are offered. */
export const trackerApps = Object.freeze(["traccar", "overland", "gpslogger", "ulogger", "phonetrack"]);

/** The names of the apps, which no language translates. */
export const trackerNames = Object.freeze({
    traccar: "Traccar Client", overland: "Overland", gpslogger: "GPSLogger", ulogger: "μlogger",
    phonetrack: "PhoneTrack",
});

const paths = {
    traccar: "osmand", overland: "overland", gpslogger: "osmand", ulogger: "ulogger", phonetrack: "osmand",
};

/** The fields of a report with GPSLogger's and PhoneTrack's variables; `spd` says that its speed is in m/s. */
const gpsLoggerBody = "lat=%LAT&lon=%LON&timestamp=%TIMESTAMP&acc=%ACC&alt=%ALT&spd=%SPD&dir=%DIR&batt=%BATT";

/**
 * @param {string} app one of `trackerApps`
 * @param {{server: string, user: string, device: string, token: string}} of
 * @returns {{link?: string, settings: [name: string, value: string][]}|undefined} `link` is what the app takes as a
 *     code; undefined if `server` is no http or https address, or is too long
 */
export function trackerSetup(app, { server, user, device, token }) {
    const address = serverAddress(server, paths[app]);
    if (address === undefined) { return undefined; }
    switch (app) {
    case "traccar":
        return {
            link: `${address}/${token}?id=${encodeURIComponent(device)}`,
            settings: [["Server URL", `${address}/${token}`], ["Device identifier", device]],
        };
    case "overland":
        return {
            link: `overland://setup?url=${encodeURIComponent(address)}&token=${encodeURIComponent(token)}`
                + `&device_id=${encodeURIComponent(device)}`,
            settings: [["Server URL", address], ["Device ID", device], ["Access token", token]],
        };
    case "ulogger":
        return {
            settings: [
                ["User name", user], ["Password", token], ["Server URL", address], ["Live synchronization", "on"],
            ],
        };
    case "phonetrack":
        return {
            settings: [
                ["Target address", `${address}?${gpsLoggerBody}`], ["Use POST method", "on"], ["HTTP login", user],
                ["HTTP password", token],
            ],
        };
    default:
        return {
            settings: [
                ["URL", address], ["HTTP Method", "POST"], ["HTTP Body", gpsLoggerBody],
                ["Basic Authentication, username", user], ["Basic Authentication, password", token],
            ],
        };
    }
}

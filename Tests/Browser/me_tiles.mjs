/** A server of map tiles for the tests of the member's app: two files around Berlin. */

export const root = "https://muster.example/team/";
export const box = [13.3, 52.45, 13.5, 52.55];
export const streets = { name: "Straßen 1", kind: "vector", minZoom: 0, maxZoom: 12, bounds: [13, 52, 14, 53] };
export const photograph = { name: "photo", kind: "raster", minZoom: 10, maxZoom: 11, bounds: [13.4, 52, 14, 53] };
export const files = [streets, photograph];

/** A server of tiles. */
export function tileServer({ tag = (path) => `"${path}-gzip"`, status = () => 200 } = {}) {
    const asked = [];
    return {
        asked, index: { tiles: files },
        fetch: async (address, { headers = {} } = {}) => {
            const path = decodeURIComponent(new URL(address).pathname.replace("/team/tiles/", ""));
            asked.push(path);
            const code = headers["If-None-Match"] === tag(path) ? 304 : status(path);
            return new Response([204, 304].includes(code) ? null : `bytes of ${path}`,
                { status: code, headers: { ETag: tag(path) } });
        },
    };
}

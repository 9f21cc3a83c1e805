/**
 * The map beneath the marks, as a style of MapLibre: the world that the server ships, and above it the tile files that
 * its operator added, each within its bounds. Everything comes from this server; labels are drawn from the page's own
 * fonts (`glyphs.js`).
 */
import { basemapColours } from "./basemap-colours.js";
import { label, nameIn } from "./basemap-labels.js";
import { schemaOf } from "./basemap-schemas.js";
import { glyphsURL } from "./glyphs.js";
import { root } from "../shared/http.js";

/** The name under which the server lists the map that it ships. */
const world = "world";

/**
 * The style of the map: its sources, and its layers from the ground up.
 *
 * The ids of its sources and layers begin with `basemap:`, so layers of the caller's own keep clear of them. Where
 * `index.style` is set, the operator chose a style of their own, and the caller gives MapLibre that address instead.
 *
 * @param {object} options
 * @param {{tiles: TileFile[]}} options.index what `/tiles/index.json` says
 * @param {boolean} options.isDark whether the page is dark
 * @param {string} options.language the language of the page, as BCP 47 has it
 * @param {string} [options.address] below which the tiles are; the server's pages' folder, unless told
 * @returns {object} a style of MapLibre, version 8
 *
 * @typedef {{name: string, kind: "vector" | "raster", minZoom: number, maxZoom: number,
 *     bounds: [number, number, number, number], attribution?: string,
 *     layers: {id: string, fields: string[]}[]}} TileFile
 */
export function basemapStyle({ index, isDark, language, address = root }) {
    const colours = basemapColours(isDark);
    const shipped = index.tiles.find(isShipped);
    const added = index.tiles.filter((file) => !isShipped(file));
    const drawn = added.map((file) => drawnFile(file, { colours, isDark, language }));
    const sources = Object.fromEntries(index.tiles.map((file) => [sourceName(file), tileSource(file, address)]));
    return {
        version: 8,
        glyphs: glyphsURL,
        sources: Object.assign(sources, ...drawn.map((file) => file.sources)),
        layers: [
            { id: "basemap:background", type: "background", paint: { "background-color": colours.water } },
            ...(shipped ? worldGround(colours) : []),
            ...drawn.flatMap((file) => file.ground),
            ...(shipped ? worldNames(colours, language, added.filter(hasNames)) : []),
            ...drawn.flatMap((file) => file.labels),
        ],
    };
}

function isShipped({ name }) {
    return name === world;
}

function sourceName({ name }) {
    return `basemap:${name}`;
}

function tileSource(file, address) {
    const path = `tiles/${encodeURIComponent(file.name)}`;
    return {
        type: file.kind,
        // The braces stay as they are, which `URL` would escape.
        tiles: [`${new URL(path, address).href}/{z}/{x}/{y}`],
        minzoom: file.minZoom,
        maxzoom: file.maxZoom,
        bounds: file.bounds,
        ...(file.attribution ? { attribution: file.attribution } : {}),
        ...(file.kind === "raster" ? { tileSize: 256 } : {}),
    };
}

// The world

function worldGround(colours) {
    const from = (layer) => ({ source: `basemap:${world}`, "source-layer": layer });
    return [
        { id: "basemap:land", type: "fill", ...from("land"), paint: { "fill-color": colours.land } },
        { id: "basemap:water", type: "fill", ...from("water"), paint: { "fill-color": colours.water } },
        {
            id: "basemap:states", type: "line", ...from("states"), minzoom: 3,
            // Some countries have hundreds: from afar they would be a blot.
            paint: {
                "line-color": colours.stateBorder, "line-width": byZoom(3, 0.5, 8, 1.2),
                "line-opacity": byZoom(3, 0.2, 6, 1),
            },
        },
        {
            id: "basemap:borders", type: "line", ...from("borders"),
            layout: { "line-join": "round" },
            paint: { "line-color": colours.border, "line-width": byZoom(1, 0.5, 8, 1.6) },
        },
    ];
}

/** Names of countries and towns, but not where a file has its own. */
function worldNames(colours, language, named) {
    const elsewhere = named.map((file) => ["any", ["<", ["zoom"], file.minZoom], ["!", ["within", area(file)]]]);
    const from = { source: `basemap:${world}`, "source-layer": "places" };
    const text = nameIn(language);
    return [
        label("basemap:towns", from, {
            filter: ["all", ["!=", ["get", "kind"], "country"], ["<=", ["get", "rank"], highestRank()], ...elsewhere],
            text, colour: ["case", ["==", ["get", "kind"], "capital"], colours.text, colours.quietText], colours,
            size: ["interpolate", ["linear"], ["zoom"],
                3, ["interpolate", ["linear"], ["get", "rank"], 1, 11, 6, 10],
                9, ["interpolate", ["linear"], ["get", "rank"], 1, 19, 6, 14, 11, 11]],
            order: ["-", ["get", "rank"], ["case", ["==", ["get", "kind"], "capital"], 3, 0]],
            minzoom: 2,
        }),
        label("basemap:countries", from, {
            filter: ["all", ["==", ["get", "kind"], "country"], ...elsewhere],
            text, colour: colours.text, colours, font: "bold",
            size: ["interpolate", ["linear"], ["zoom"],
                1, ["interpolate", ["linear"], ["get", "rank"], 2, 11, 6, 9],
                6, ["interpolate", ["linear"], ["get", "rank"], 2, 18, 6, 13]],
            order: ["get", "rank"],
            maxzoom: 8,
        }),
    ];
}

/** The rank down to which towns are named at a zoom: otherwise small ones would fill every gap between large ones. */
function highestRank() {
    return ["step", ["zoom"], 5, 4, 6, 5, 7, 6, 8, 7, 10, 8, 99];
}

// Files of the operator

/** What a file adds: its sources beside the tiles, its layers on the ground, and its labels. */
function drawnFile(file, { colours, isDark, language }) {
    const source = sourceName(file);
    if (file.kind === "raster") { return { sources: {}, ground: [pictures(source, isDark)], labels: [] }; }
    const { ground, labels, groundColour } = schemaOf(file).layers({ source, file, colours, language });
    if (!groundColour) { return { sources: {}, ground, labels }; }
    // The file knows its coast far better than the world beneath it does, so its whole area is painted anew.
    const floor = { type: "geojson", data: { type: "Feature", properties: {}, geometry: area(file) } };
    return {
        sources: { [`${source}:ground`]: floor },
        ground: [
            {
                id: `${source}:ground`, type: "fill", source: `${source}:ground`, minzoom: file.minZoom,
                paint: { "fill-color": groundColour, "fill-antialias": false },
            },
            ...ground,
        ],
        labels,
    };
}

function pictures(source, isDark) {
    const dimmed = { "raster-brightness-max": 0.7, "raster-saturation": -0.3 };
    return { id: source, type: "raster", source, paint: { "raster-fade-duration": 0, ...(isDark ? dimmed : {}) } };
}

function hasNames(file) {
    return file.kind === "vector" && schemaOf(file).hasNames;
}

/** The bounds of a file as a polygon. */
function area({ bounds: [west, south, east, north] }) {
    const ring = [[west, south], [east, south], [east, north], [west, north], [west, south]];
    return { type: "Polygon", coordinates: [ring] };
}

/** A number that grows from one zoom to another. */
function byZoom(fromZoom, from, toZoom, to) {
    return ["interpolate", ["linear"], ["zoom"], fromZoom, from, toZoom, to];
}

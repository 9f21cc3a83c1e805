/**
 * The map's layers above the ground, and the pictures on them. Colours come from the style sheet, so that the map is
 * light or dark with the page.
 */
import { marks } from "../shared/marks.js";
import { weights } from "./mapdata.js";

const pixelRatio = 2;
const markSize = 26;
/** From this zoom on, everybody who is safe in a muster region is drawn; before it a number stands for them. */
export const shelteredZoom = 17;
/** From this zoom on, nobody is drawn together with others. */
export const clusterZoom = 15;
/** A metre at the equator is so many pixels at zoom 0, of the 512 that the world then has. */
const pixelsPerMetre = 512 / 40_075_016.686;

/** The colours of the page as it is now. */
export function colours() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    return {
        ground: colour("map"), grid: colour("map-grid"), text: colour("text"), halo: colour("map"),
        sign: colour("on-state"), region: colour("region"), focus: colour("focus"),
        safe: colour("safe"), unsafe: colour("unsafe"), located: colour("located"), unknown: colour("unknown"),
        seemsToHaveLeft: colour("left"), checking: colour("checking"), sos: colour("sos"),
        needsHelp: colour("needs-help"), offSite: colour("off-site"),
    };
}

/** The sources of what the page draws. */
export function dataSources() {
    const plain = { type: "geojson", data: { type: "FeatureCollection", features: [] } };
    const moving = { ...plain, promoteId: "device" };
    return {
        graticule: plain, regions: plain, names: plain, track: plain, trackPoints: plain, selected: plain,
        piles: plain,
        seeming: moving, doubts: moving,
        // A pile of those who are safe is no picture at all: the count at their region stands for it.
        sheltered: {
            ...moving, cluster: true, clusterRadius: 30, clusterMaxZoom: shelteredZoom - 1, clusterMinPoints: 3,
        },
        people: {
            ...moving, cluster: true, clusterRadius: 36, clusterMaxZoom: clusterZoom, clusterMinPoints: 3,
            clusterProperties: {
                worst: ["max", ["get", "weight"]],
                calls: ["+", ["case", [">=", ["get", "weight"], weights.needsHelp], 1, 0]],
            },
        },
    };
}

/** The layers from the ground up. */
export function layers(palette) {
    return [...groundLayers(palette), ...trackLayers(palette), ...peopleLayers(palette)];
}

/** The regions and their names, above the lines of longitude and latitude. */
export function groundLayers(palette) {
    const byMuster = ["case", ["get", "muster"], palette.safe, palette.region];
    const name = {
        "text-field": ["get", "label"], "text-font": ["bold"], "text-size": 13, "text-max-width": 12, "text-padding": 1,
        "text-anchor": "bottom",
    };
    const ink = { "text-color": byMuster, "text-halo-color": palette.halo, "text-halo-width": 1.5 };
    return [
        {
            id: "graticule", type: "line", source: "graticule", minzoom: 7,
            paint: { "line-color": palette.grid, "line-width": 1 },
        },
        {
            id: "regions", type: "fill", source: "regions",
            paint: { "fill-color": byMuster, "fill-opacity": ["case", ["get", "muster"], 0.2, 0.1] },
        },
        {
            id: "region-edges", type: "line", source: "regions", filter: ["!", ["get", "muster"]],
            paint: { "line-color": palette.region, "line-width": 1.5, "line-dasharray": [4, 2] },
        },
        {
            id: "muster-edges", type: "line", source: "regions", filter: ["get", "muster"],
            paint: { "line-color": palette.safe, "line-width": 2.5 },
        },
        {
            id: "region-names", type: "symbol", source: "names", filter: ["!", ["get", "muster"]], minzoom: 12,
            layout: { ...name, "text-font": ["regular"] }, paint: ink,
        },
        { id: "muster-names", type: "symbol", source: "names", filter: ["get", "muster"], layout: name, paint: ink },
    ];
}

function trackLayers(palette) {
    return [
        {
            id: "track", type: "line", source: "track", layout: { "line-cap": "round", "line-join": "round" },
            paint: { "line-color": palette.text, "line-width": 1.5, "line-opacity": 0.7 },
        },
        {
            // What came late, or by a wrong clock, is hollow.
            id: "track-points", type: "circle", source: "trackPoints",
            paint: {
                "circle-radius": ["interpolate", ["linear"], ["zoom"], 12, 2, 17, 4],
                "circle-color": ["case", ["get", "isHollow"], palette.ground, palette.text],
                "circle-stroke-color": palette.text,
                "circle-stroke-width": ["case", ["get", "isHollow"], 1.5, 0],
                "circle-opacity": ["case", ["get", "isRough"], 0.4, 1],
                "circle-stroke-opacity": ["case", ["get", "isRough"], 0.4, 1],
            },
        },
    ];
}

function peopleLayers(palette) {
    const isAlone = ["!", ["has", "point_count"]];
    const states = Object.keys(weights);
    const byState = ["match", ["get", "state"], ...states.slice(1).flatMap((state) => [state, palette[state]]),
        palette.safe];
    return [
        {
            id: "reach", type: "circle", source: "people", minzoom: clusterZoom,
            filter: ["all", isAlone, ["has", "reach"], ["!", ["get", "isRough"]]], paint: reachPaint(byState, 0.1),
        },
        {
            id: "selected-reach", type: "circle", source: "selected", filter: ["has", "reach"],
            paint: reachPaint(byState, 0),
        },
        {
            id: "doubts", type: "line", source: "doubts",
            paint: { "line-color": palette.text, "line-width": 1.5, "line-dasharray": [2, 2] },
        },
        {
            // Where fixes that are not believed seem to be: hollow, so that nobody takes it for where someone is.
            id: "seeming", type: "circle", source: "seeming",
            paint: {
                "circle-radius": 7, "circle-color": palette.ground, "circle-opacity": 0.6,
                "circle-stroke-color": palette.text, "circle-stroke-width": 2,
            },
        },
        {
            id: "selected", type: "circle", source: "selected",
            paint: {
                "circle-radius": 17, "circle-opacity": 0,
                "circle-stroke-color": palette.focus, "circle-stroke-width": 3,
            },
        },
        // Nobody who is safe is drawn over a number that tells of others who may not be.
        ...markLayers("sheltered", palette, isAlone),
        ...clusterLayers(palette, states),
        ...markLayers("people", palette, isAlone),
        ...pileLayers(palette),
    ];
}

/** How far the number of a pile stands from its place, to the right and up, in pixels. */
const pileOffset = [14, -14];

/** How many lie on each other, beside their marks. */
function pileLayers(palette) {
    return [
        {
            id: "piles", type: "circle", source: "piles",
            paint: {
                "circle-radius": 11, "circle-color": palette.text, "circle-stroke-color": palette.halo,
                "circle-stroke-width": 2, "circle-translate": pileOffset,
            },
        },
        {
            id: "pile-counts", type: "symbol", source: "piles",
            layout: {
                "text-field": ["to-string", ["get", "count"]], "text-font": ["bold"], "text-size": 12,
                "text-allow-overlap": true, "text-ignore-placement": true,
            },
            paint: { "text-color": palette.ground, "text-translate": pileOffset },
        },
    ];
}

/** The layers of those who are drawn one by one. */
function markLayers(source, palette, isAlone) {
    const from = { source, filter: isAlone };
    const faded = ["case", ["has", "fade"], ["get", "fade"],
        ["any", ["get", "isStale"], ["get", "isRough"]], 0.55, 1];
    const id = source === "people" ? "" : "sheltered-";
    return [
        {
            id: `${id}headings`, type: "symbol", ...from, filter: ["all", isAlone, ["has", "heading"]], minzoom: 14,
            layout: {
                "icon-image": "heading", "icon-rotate": ["get", "heading"], "icon-rotation-alignment": "map",
                "icon-allow-overlap": true, "icon-ignore-placement": true,
            },
        },
        {
            id: `${id}devices`, type: "symbol", ...from,
            layout: {
                "icon-image": ["concat", "mark|", ["get", "state"], ["case", ["get", "isChecking"], "|checking", ""]],
                "icon-allow-overlap": true,
                "icon-ignore-placement": true,
                "icon-size": ["interpolate", ["linear"], ["zoom"], 12, 0.55, 17, 1],
                // Whoever is not safe is drawn over the others.
                "symbol-sort-key": ["get", "weight"],
            },
            paint: { "icon-opacity": faded },
        },
        {
            id: `${id}device-names`, type: "symbol", ...from,
            minzoom: source === "people" ? clusterZoom : shelteredZoom,
            layout: {
                "text-field": ["get", "label"], "text-font": ["bold"], "text-size": 12, "text-anchor": "top",
                "text-offset": [0, 1], "text-max-width": 12, "text-padding": 1,
                "symbol-sort-key": ["-", 0, ["get", "weight"]],
            },
            paint: {
                "text-color": palette.text, "text-halo-color": palette.halo, "text-halo-width": 1.5,
                "text-opacity": faded,
            },
        },
    ];
}

/** Many as one number, coloured by the one to look for first; a call for help among them stands out. */
function clusterLayers(palette, states) {
    const byWorst = ["match", ["get", "worst"],
        ...states.slice(1).flatMap((state) => [weights[state], palette[state]]), palette.safe];
    return [
        {
            id: "clusters", type: "circle", source: "people", filter: ["has", "point_count"],
            paint: {
                "circle-radius": ["step", ["get", "point_count"], 13, 10, 15, 100, 18, 1000, 22],
                "circle-color": byWorst,
                "circle-stroke-color": ["case", [">", ["get", "calls"], 0], palette.sos, palette.halo],
                "circle-stroke-width": ["case", [">", ["get", "calls"], 0], 6, 2],
            },
        },
        {
            id: "cluster-counts", type: "symbol", source: "people", filter: ["has", "point_count"],
            layout: {
                "text-field": ["concat",
                    ["match", ["get", "worst"], weights.sos, "SOS\n", weights.needsHelp, "!\n", ""],
                    ["to-string", ["get", "point_count"]]],
                "text-font": ["bold"], "text-size": 12, "text-allow-overlap": true, "text-ignore-placement": true,
            },
            paint: { "text-color": palette.sign },
        },
    ];
}

/** A circle whose radius on the ground is `reach`, in metres at the equator's scale. */
export function reachPaint(colour, opacity) {
    return {
        "circle-radius": ["interpolate", ["exponential", 2], ["zoom"],
            0, ["*", ["get", "reach"], pixelsPerMetre], 24, ["*", ["get", "reach"], pixelsPerMetre * 2 ** 24]],
        "circle-color": colour, "circle-opacity": opacity,
        "circle-stroke-color": colour, "circle-stroke-width": 1, "circle-stroke-opacity": 0.5,
    };
}

/**
 * Draws the picture of a name.
 * @returns {{image: ImageData, options: {pixelRatio: number}} | undefined} undefined when the name is not one of ours
 */
export function drawPicture(name, palette) {
    if (name === "heading") { return { image: headingImage(palette), options: { pixelRatio } }; }
    const [kind, state, how] = name.split("|");
    if (kind !== "mark" || !(state in marks)) { return undefined; }
    return { image: markImage(state, palette, how === "checking"), options: { pixelRatio } };
}

/** The mark of a state; with a dashed ring around it while a fix that does not fit is being checked. */
function markImage(state, palette, isChecking) {
    const margin = isChecking ? 9 : 3;
    const context = canvas(markSize + 2 * margin, markSize + 2 * margin);
    context.translate(margin, margin);
    context.scale(markSize / 24, markSize / 24);
    context.lineJoin = "round";
    context.lineCap = "round";
    const shape = new Path2D(marks[state].shape);
    context.strokeStyle = palette.halo;
    context.lineWidth = 4;
    context.stroke(shape);
    context.fillStyle = palette[state];
    context.fill(shape);
    context.strokeStyle = palette.sign;
    context.lineWidth = 2.4;
    context.stroke(new Path2D(marks[state].sign));
    if (isChecking) {
        context.strokeStyle = palette.text;
        context.lineWidth = 1.8;
        context.setLineDash([4, 4]);
        context.beginPath();
        context.arc(12, 12, 17, 0, 2 * Math.PI);
        context.stroke();
    }
    return pixels(context);
}

/** An arrow head that points north, beyond the mark that will lie on its middle. */
function headingImage(palette) {
    const size = 48;
    const context = canvas(size, size);
    context.translate(size / 2, size / 2);
    context.fillStyle = palette.text;
    context.strokeStyle = palette.halo;
    context.lineWidth = 2;
    const arrow = new Path2D("M0 -23L6 -13L-6 -13Z");
    context.stroke(arrow);
    context.fill(arrow);
    return pixels(context);
}

function canvas(width, height) {
    const element = document.createElement("canvas");
    element.width = width * pixelRatio;
    element.height = height * pixelRatio;
    const context = element.getContext("2d", { willReadFrequently: true });
    context.scale(pixelRatio, pixelRatio);
    return context;
}

function pixels(context) {
    return context.getImageData(0, 0, context.canvas.width, context.canvas.height);
}

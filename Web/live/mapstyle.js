/**
 * The map's layers and the pictures on them. Names are drawn on a canvas, so that the map needs no fonts from anywhere;
 * colours come from the style sheet, so that the map is light or dark with the page.
 */
import { marks } from "./marks.js";

const pixelRatio = 2;
const markSize = 26;
const fontSize = 13;
const longestName = 40;

/** The colours of the page as it is now. */
export function colours() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    return {
        ground: colour("map"),
        grid: colour("map-grid"),
        text: colour("text"),
        halo: colour("map"),
        sign: colour("on-state"),
        safe: colour("safe"),
        unsafe: colour("unsafe"),
        located: colour("located"),
        unknown: colour("unknown"),
        seemsToHaveLeft: colour("left"),
        checking: colour("checking"),
        sos: colour("sos"),
        needsHelp: colour("needs-help"),
        offSite: colour("off-site"),
        region: colour("region"),
    };
}

/** A style with no source from outside. */
export function mapStyle(palette) {
    const data = { type: "geojson", data: { type: "FeatureCollection", features: [] } };
    return {
        version: 8,
        sources: {
            graticule: data, regions: data, names: data, trails: data, accuracy: data, devices: data, track: data,
            trackPoints: data, seeming: data, doubts: data,
        },
        layers: layers(palette),
    };
}

/** The layers from the ground up. */
export function layers(palette) {
    const known = ["safe", "checking", "located", "unsafe", "seemsToHaveLeft", "sos", "needsHelp", "offSite"];
    const others = known.flatMap((state) => [state, palette[state]]);
    const byState = ["match", ["get", "state"], ...others, palette.unknown];
    const byMuster = ["case", ["get", "muster"], palette.safe, palette.region];
    const name = { "icon-image": ["get", "picture"], "icon-padding": 1 };
    return [
        { id: "ground", type: "background", paint: { "background-color": palette.ground } },
        { id: "graticule", type: "line", source: "graticule", paint: { "line-color": palette.grid, "line-width": 1 } },
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
            // Rough ones would cover the whole map: their edge is enough.
            id: "accuracy", type: "fill", source: "accuracy", filter: ["!", ["get", "isRough"]],
            paint: { "fill-color": byState, "fill-opacity": 0.1 },
        },
        {
            id: "accuracy-edges", type: "line", source: "accuracy",
            paint: { "line-color": byState, "line-width": 1, "line-opacity": 0.4 },
        },
        {
            id: "trails", type: "line", source: "trails", layout: { "line-cap": "round", "line-join": "round" },
            paint: {
                "line-color": byState,
                "line-width": ["interpolate", ["linear"], ["zoom"], 12, 0.5, 17, 2.5],
                "line-opacity": 0.5,
            },
        },
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
        // Where there is no room for all names, those of the layers further down this list are shown.
        {
            id: "region-names", type: "symbol", source: "names", filter: ["!", ["get", "muster"]],
            layout: { ...name, "icon-anchor": "bottom" },
        },
        {
            id: "device-names", type: "symbol", source: "devices",
            layout: {
                ...name,
                "icon-anchor": "top",
                "icon-offset": [0, 12],
                "symbol-sort-key": ["match", ["get", "state"], ["sos", "needsHelp"], 0, "unsafe", 1, "unknown", 2, 3],
            },
        },
        {
            id: "muster-names", type: "symbol", source: "names", filter: ["get", "muster"],
            layout: { ...name, "icon-anchor": "bottom" },
        },
        {
            id: "devices", type: "symbol", source: "devices",
            layout: {
                "icon-image": ["concat", "mark|", ["get", "state"], ["case", ["get", "isChecking"], "|checking", ""]],
                "icon-allow-overlap": true,
                "icon-ignore-placement": true,
                "icon-size": ["interpolate", ["linear"], ["zoom"], 12, 0.55, 17, 1],
                // Whoever is not safe is drawn over the others.
                "symbol-sort-key": [
                    "match", ["get", "state"], ["sos", "needsHelp"], 5, ["unsafe", "seemsToHaveLeft"], 4, "unknown", 3,
                    "checking", 2, 1,
                ],
                "symbol-z-order": "source",
            },
            paint: { "icon-opacity": ["case", ["get", "isRough"], 0.6, 1] },
        },
    ];
}

/** The name of a picture of a text in a colour of the palette; `drawPicture` draws it when the map first asks. */
export function pictureName(colour, text) {
    return `name|${colour}|${text}`;
}

/**
 * Draws the picture of that name.
 * @returns {{image: ImageData, options: {pixelRatio: number}} | undefined} undefined when the name is not one of ours
 */
export function drawPicture(name, palette) {
    const [kind, colour, ...rest] = name.split("|");
    if (kind === "mark" && colour in marks) {
        return { image: markImage(colour, palette, rest[0] === "checking"), options: { pixelRatio } };
    }
    if (kind !== "name") { return undefined; }
    return { image: textImage(shortened(rest.join("|")), palette[colour], palette), options: { pixelRatio } };
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

function textImage(text, colour, palette) {
    const font = `600 ${fontSize}px system-ui, sans-serif`;
    const ruler = canvas(1, 1);
    ruler.font = font;
    const context = canvas(Math.ceil(ruler.measureText(text).width) + 8, fontSize + 8);
    context.font = font;
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.strokeStyle = palette.halo;
    context.lineWidth = 4;
    context.strokeText(text, 4, fontSize / 2 + 4);
    context.fillStyle = colour;
    context.fillText(text, 4, fontSize / 2 + 4);
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

function shortened(text) {
    const characters = [...text];
    return characters.length > longestName ? `${characters.slice(0, longestName - 1).join("")}…` : text;
}

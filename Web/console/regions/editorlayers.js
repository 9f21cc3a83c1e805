/** The layers of the map on which regions are edited, above the regions that there are. */
import { groundLayers } from "../map/mapstyle.js";

const plain = { type: "geojson", data: { type: "FeatureCollection", features: [] } };

/** The sources of what this screen draws. */
export function editorSources() {
    return {
        regions: plain, names: plain, other: plain, preview: plain, previewNames: plain,
        draft: { ...plain, promoteId: "id" }, rubber: plain, handles: plain, faults: plain,
    };
}

/** The layers from the regions up. @param {object} palette colours of the page @param {boolean} isCoarse by finger */
export function editorLayers(palette, isCoarse) {
    return [
        ...groundLayers(palette).filter(({ source }) => source !== "graticule"),
        ...comparedLayers(palette),
        {
            id: "draft-fill", type: "fill", source: "draft", filter: ["==", ["get", "part"], "fill"],
            paint: { "fill-color": palette.focus, "fill-opacity": 0.18 },
        },
        {
            id: "draft-edges", type: "line", source: "draft", filter: ["==", ["get", "part"], "edge"],
            layout: { "line-join": "round" }, paint: { "line-color": palette.focus, "line-width": 3 },
        },
        {
            id: "rubber", type: "line", source: "rubber",
            paint: {
                "line-color": palette.focus, "line-width": ["case", ["has", "isClosing"], 1, 2.5],
                "line-dasharray": [2, 2],
            },
        },
        ...handleLayers(palette, isCoarse ? 1.5 : 1),
        {
            id: "faults", type: "circle", source: "faults",
            paint: {
                "circle-radius": 13, "circle-color": palette.halo, "circle-opacity": 0.85,
                "circle-stroke-color": palette.unsafe, "circle-stroke-width": 3,
            },
        },
        {
            id: "fault-signs", type: "symbol", source: "faults",
            layout: {
                "text-field": "!", "text-font": ["bold"], "text-size": 18, "text-allow-overlap": true,
                "text-ignore-placement": true,
            },
            paint: { "text-color": palette.unsafe },
        },
    ];
}

/** Another leader's shape, and what a file would bring: both dashed, as they are not stored here. */
function comparedLayers(palette) {
    return [
        {
            id: "other", type: "fill", source: "other",
            paint: { "fill-color": palette.needsHelp, "fill-opacity": 0.12 },
        },
        {
            id: "other-edges", type: "line", source: "other",
            paint: { "line-color": palette.needsHelp, "line-width": 3, "line-dasharray": [3, 2] },
        },
        {
            id: "preview", type: "fill", source: "preview",
            paint: { "fill-color": palette.focus, "fill-opacity": 0.15 },
        },
        {
            id: "preview-edges", type: "line", source: "preview",
            paint: { "line-color": palette.focus, "line-width": 2, "line-dasharray": [3, 1] },
        },
        {
            id: "preview-names", type: "symbol", source: "previewNames",
            layout: {
                "text-field": ["get", "label"], "text-font": ["bold"], "text-size": 13, "text-anchor": "bottom",
                "text-max-width": 12, "text-padding": 1,
            },
            paint: { "text-color": palette.focus, "text-halo-color": palette.halo, "text-halo-width": 1.5 },
        },
    ];
}

function handleLayers(palette, scale) {
    const kind = ["get", "kind"];
    const isChosen = ["get", "isSelected"];
    return [{
        id: "handles", type: "circle", source: "handles",
        paint: {
            "circle-radius": ["*", scale, ["match", kind, "middle", 4, ["case", isChosen, 8, 6]]],
            "circle-color": ["case", isChosen, palette.focus, palette.halo],
            "circle-opacity": ["match", kind, "middle", 0.7, 1],
            "circle-stroke-color": palette.focus,
            "circle-stroke-opacity": ["match", kind, "middle", 0.7, 1],
            "circle-stroke-width": ["case", isChosen, 4, 2],
        },
    }];
}

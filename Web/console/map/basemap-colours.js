/**
 * The colours of the map beneath the marks. Land, water and labels stay grey, so that the red, yellow and green of
 * people and regions are the only strong colours on the map.
 */
const light = {
    water: "#d3dde4",
    land: "#f4f4f1",
    wood: "#e9eee5",
    park: "#e6ede1",
    sand: "#f1eee4",
    builtUp: "#ededea",
    building: "#e1e1de",
    buildingEdge: "#d2d2cf",
    road: "#ffffff",
    roadEdge: "#d7d9d9",
    path: "#cfd2d2",
    rail: "#c6caca",
    border: "#9aa3a9",
    stateBorder: "#cdd3d6",
    text: "#4d565d",
    quietText: "#717b82",
    waterText: "#6d8494",
    halo: "#f8f8f6",
};

const dark = {
    water: "#0d1418",
    land: "#222a2f",
    wood: "#232f2b",
    park: "#24312b",
    sand: "#2d2e2a",
    builtUp: "#272f34",
    building: "#2f373c",
    buildingEdge: "#394248",
    road: "#3b454b",
    roadEdge: "#171c20",
    path: "#343d43",
    rail: "#3a4349",
    border: "#5d6a73",
    stateBorder: "#364148",
    text: "#b4bec5",
    quietText: "#8b979f",
    waterText: "#66808f",
    halo: "#171d21",
};

/** The colours for a page that is light or dark. @param {boolean} isDark */
export function basemapColours(isDark) {
    return isDark ? dark : light;
}

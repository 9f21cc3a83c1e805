/**
 * How the layers of a vector file are drawn. The schemas of Protomaps (version 4) and OpenMapTiles are known by their
 * layers; of any other file each layer is drawn as plain areas, lines and points.
 *
 * https://docs.protomaps.com/basemaps/layers, https://openmaptiles.org/schema/
 */
import { label, nameIn } from "./basemap-labels.js";

/**
 * The schema of a vector file.
 * @param {{layers: {id: string, fields: string[]}[]}} file
 * @returns {{hasNames: boolean, layers: (options: {source: string, file: object, colours: object,
 *     language: string}) => {ground: object[], labels: object[], groundColour?: string}}}
 */
export function schemaOf(file) {
    const names = new Set(file.layers.map(({ id }) => id));
    if (names.has("earth") && names.has("roads")) { return { hasNames: names.has("places"), layers: protomaps }; }
    if (names.has("transportation") || names.has("landcover") && names.has("water")) {
        return { hasNames: names.has("place"), layers: openMapTiles };
    }
    return { hasNames: false, layers: unknown };
}

// Protomaps

function protomaps({ source, file, colours, language }) {
    const layer = layersOf(source, file);
    const isKind = (...kinds) => ["in", ["get", "kind"], ["literal", kinds]];
    const text = nameIn(language);
    return {
        groundColour: colours.water,
        ground: layer.present([
            layer.fill("earth", "earth", colours.land),
            layer.fill("wood", "landuse", colours.wood,
                isKind("forest", "wood", "grassland", "scrub", "nature_reserve")),
            layer.fill("park", "landuse", colours.park,
                isKind("park", "cemetery", "golf_course", "pitch", "recreation_ground")),
            layer.fill("sand", "landuse", colours.sand, isKind("beach", "sand")),
            layer.fill("built-up", "landuse", colours.builtUp,
                isKind("industrial", "school", "hospital", "university", "aerodrome", "commercial", "military")),
            layer.fill("water", "water", colours.water, ["==", ["geometry-type"], "Polygon"]),
            layer.line("stream", "water", colours.water, width(10, 0.5, 18, 4), isKind("river", "stream", "canal")),
            layer.building("buildings", colours),
            layer.line("path", "roads", colours.path, width(13, 0.5, 18, 2), isKind("path"),
                { "line-dasharray": [2, 1] }),
            layer.line("rail", "roads", colours.rail, width(9, 0.4, 18, 2), isKind("rail")),
            ...layer.road("roads", colours, {
                minor: isKind("minor_road", "other"), medium: isKind("major_road", "medium_road"),
                major: isKind("highway"),
            }),
            layer.border("boundaries", colours, ["<=", ["coalesce", ["get", "kind_detail"], 2], 2]),
        ]),
        labels: layer.present([
            layer.roadName("roads", text, colours),
            layer.waterName("water", text, colours),
            layer.placeName("places", text, colours, {
                rank: ["-", 20, ["coalesce", ["get", "population_rank"], 0]],
                isLarge: isKind("country", "region"), hidden: isKind("region"),
            }),
        ]),
    };
}

// OpenMapTiles

function openMapTiles({ source, file, colours, language }) {
    const layer = layersOf(source, file);
    const isClass = (...classes) => ["in", ["get", "class"], ["literal", classes]];
    const text = nameIn(language);
    return {
        groundColour: colours.land,
        ground: layer.present([
            layer.fill("built-up", "landuse", colours.builtUp,
                isClass("industrial", "commercial", "school", "university", "hospital", "military", "retail")),
            layer.fill("wood", "landcover", colours.wood, isClass("wood", "grass")),
            layer.fill("sand", "landcover", colours.sand, isClass("sand")),
            layer.fill("park", "park", colours.park),
            layer.fill("water", "water", colours.water),
            layer.line("stream", "waterway", colours.water, width(8, 0.5, 18, 5)),
            layer.building("building", colours),
            layer.line("path", "transportation", colours.path, width(13, 0.5, 18, 2), isClass("path", "track"),
                { "line-dasharray": [2, 1] }),
            layer.line("rail", "transportation", colours.rail, width(9, 0.4, 18, 2), isClass("rail", "transit")),
            ...layer.road("transportation", colours, {
                minor: isClass("minor", "service", "tertiary", "street", "street_limited"),
                medium: isClass("primary", "secondary"), major: isClass("motorway", "trunk"),
            }),
            layer.border("boundary", colours, ["<=", ["get", "admin_level"], 2]),
        ]),
        labels: layer.present([
            layer.roadName("transportation_name", text, colours),
            layer.waterName("water_name", text, colours),
            layer.placeName("place", text, colours, {
                rank: ["coalesce", ["get", "rank"], 20], isLarge: isClass("country", "state"),
                hidden: isClass("continent", "state", "province"),
            }),
        ]),
    };
}

// Any other file

function unknown({ source, file, colours, language }) {
    const layer = layersOf(source, file);
    const is = (type) => ["==", ["geometry-type"], type];
    const ids = file.layers.map(({ id }) => id);
    const named = file.layers.filter(({ fields }) => fields.some((field) => field.startsWith("name")));
    return {
        ground: [
            ...ids.map((id) => layer.fill(`${id}:areas`, id, colours.builtUp, is("Polygon"), { "fill-opacity": 0.6 })),
            ...ids.map((id) => layer.line(`${id}:lines`, id, colours.border, width(6, 0.5, 18, 2), ["!", is("Point")])),
            ...ids.map((id) => layer.points(`${id}:points`, id, colours, is("Point"))),
        ],
        labels: named.map(({ id }) => label(`${source}:${id}:names`, { source, "source-layer": id }, {
            text: nameIn(language), colour: colours.text, colours, size: 11, filter: is("Point"), offset: [0, -1],
        })),
    };
}

// Layers that schemas share

/** Makes the layers of one file; their ids begin with the source's. */
function layersOf(source, file) {
    const existing = new Set(file.layers.map(({ id }) => id));
    const layer = (id, from, type, filter, rest) => (
        { id: `${source}:${id}`, type, source, "source-layer": from, ...(filter ? { filter } : {}), ...rest });
    const fill = (id, from, colour, filter, paint = {}) => (
        layer(id, from, "fill", filter, { paint: { "fill-color": colour, ...paint } }));
    const line = (id, from, colour, lineWidth, filter, paint = {}) => layer(id, from, "line", filter, {
        layout: { "line-cap": "line-dasharray" in paint ? "butt" : "round", "line-join": "round" },
        paint: { "line-color": colour, "line-width": lineWidth, ...paint },
    });
    return {
        fill,
        line,
        points: (id, from, colours, filter) => layer(id, from, "circle", filter, {
            paint: {
                "circle-radius": width(6, 1.5, 18, 4), "circle-color": colours.quietText,
                "circle-stroke-color": colours.halo, "circle-stroke-width": 1,
            },
        }),
        /** Without the layers that this file lacks. */
        present: (layers) => layers.filter((each) => existing.has(each["source-layer"])),
        building: (from, colours) => ({
            ...fill(from, from, colours.building, undefined, { "fill-outline-color": colours.buildingEdge }),
            minzoom: 13,
        }),
        border: (from, colours, filter) => line(from, from, colours.border, width(3, 0.7, 12, 2), filter),
        /** Roads in three widths; all edges are drawn before all surfaces, so that crossings are open. */
        road: (from, colours, { minor, medium, major }) => {
            const kinds = [
                ["minor", minor, width(12, 0.5, 18, 12), width(12, 1, 18, 14)],
                ["medium", medium, width(8, 0.5, 18, 18), width(8, 1, 18, 20)],
                ["major", major, width(5, 0.7, 18, 22), width(5, 1.4, 18, 25)],
            ];
            return [
                ...kinds.map(([id, filter, , edge]) => line(`${id}-edge`, from, colours.roadEdge, edge, filter)),
                ...kinds.map(([id, filter, surface]) => line(id, from, colours.road, surface, filter)),
            ];
        },
        roadName: (from, text, colours) => label(`${source}:road-names`, { source, "source-layer": from }, {
            text, colour: colours.quietText, colours, size: width(13, 10, 18, 13), placement: "line", minzoom: 13,
            filter: ["==", ["geometry-type"], "LineString"],
        }),
        waterName: (from, text, colours) => label(`${source}:water-names`, { source, "source-layer": from }, {
            text, colour: colours.waterText, colours, size: 11, filter: ["==", ["geometry-type"], "Point"],
        }),
        /** Names of places, the important first. @param {object} kinds how the schema tells them apart */
        placeName: (from, text, colours, { rank, isLarge, hidden }) => (
            label(`${source}:place-names`, { source, "source-layer": from }, {
                text, colour: ["case", isLarge, colours.text, colours.quietText], colours,
                size: ["interpolate", ["linear"], ["zoom"],
                    4, ["case", isLarge, 12, 10],
                    14, ["interpolate", ["linear"], rank, 4, 20, 16, 12]],
                order: rank, filter: ["!", hidden],
            })),
    };
}

function width(fromZoom, from, toZoom, to) {
    return ["interpolate", ["exponential", 1.4], ["zoom"], fromZoom, from, toZoom, to];
}

/** The map's features, made from the state. Pure. */
import { circleRing, drawable, labelPoint, unwrap } from "./geodesy.js";
import { pictureName } from "./mapstyle.js";
import { isChecking } from "./presence.js";
import { seemsToHaveLeft, shownState } from "./safety.js";
import { isCoarse, latestPosition } from "./state.js";

/** An accuracy beyond this says nothing about where someone is, and its circle would cover the map. */
const largestAccuracyMetres = 20_000;
/** The circle of each position that is shown: most do not move between two pictures. */
const circles = new WeakMap();

/** Regions as polygons and their names as points. */
export function regionFeatures(regions) {
    const shapes = [];
    const names = [];
    for (const region of regions.values()) {
        const geometry = drawable(region.geometry, region.radius);
        if (!geometry) { continue; }
        const properties = { id: region.id, collection: region.collection, muster: region.muster };
        shapes.push(feature(geometry, properties));
        const picture = pictureName(region.muster ? "safe" : "region", region.name);
        names.push(feature({ type: "Point", coordinates: labelPoint(geometry) }, { picture, muster: region.muster }));
    }
    return { shapes: collected(shapes), names: collected(names) };
}

/** Devices as points, with their accuracy as circles and the way they came as lines. */
export function deviceFeatures(state) {
    const devices = [];
    const accuracy = [];
    const trails = [];
    const seeming = [];
    const doubts = [];
    for (const member of state.members.values()) {
        const properties = { user: member.user, state: shownState(state, member) };
        const hasLeft = seemsToHaveLeft(member);
        for (const [device, position] of member.positions) {
            const { estimate, checking } = member.beliefs.get(device) ?? {};
            // While its fixes are not believed, a device is drawn where it is believed to be; they are drawn hollow.
            // That of a person who seems to have left is drawn where the fixes are, not in the region that was left.
            const isDoubted = Boolean(checking && estimate);
            const [believed, doubted] = isDoubted && !hasLeft ? [estimate, checking] : [position, estimate];
            const coordinates = [believed.longitude, believed.latitude];
            if (isDoubted) {
                const other = [doubted.longitude, doubted.latitude];
                const hollow = feature({ type: "Point", coordinates: other }, { ...properties, device });
                if (!hasLeft) { seeming.push(hollow); }
                doubts.push(feature({ type: "LineString", coordinates: unwrap([coordinates, other]) }, properties));
            }
            const name = member.positions.size > 1 ? device : member.user;
            const picture = pictureName("text", name);
            const isRough = isCoarse(position);
            const told = { ...properties, device, picture, isRough, isChecking: isChecking(member, device) };
            devices.push(feature({ type: "Point", coordinates }, told));
            if (position.accuracy > 0 && position.accuracy <= largestAccuracyMetres) {
                accuracy.push(feature(accuracyCircle(position), { ...properties, isRough }));
            }
            const trail = state.trails.get(device) ?? [];
            if (trail.length > 1) {
                trails.push(feature({ type: "LineString", coordinates: unwrap(trail) }, properties));
            }
        }
    }
    return {
        devices: collected(devices), accuracy: collected(accuracy), trails: collected(trails),
        seeming: collected(seeming), doubts: collected(doubts),
    };
}

/** A track as its points and the line through those that say exactly where the device was. */
export function trackFeatures(track) {
    const points = track?.points ?? [];
    const place = ({ longitude, latitude }) => [longitude, latitude];
    const way = points.filter((point) => !point.isRough).map(place);
    const line = way.length > 1 ? [feature({ type: "LineString", coordinates: unwrap(way) }, {})] : [];
    const dots = points.map((point, index) => feature({ type: "Point", coordinates: place(point) },
        { index, isRough: point.isRough, isHollow: point.isLate || point.isAhead }));
    return { track: collected(line), trackPoints: collected(dots) };
}

/** The points that a view of everything must hold: rough positions only when there is nothing else. */
export function extent(state) {
    const points = [];
    const rough = [];
    for (const region of state.regions.values()) {
        const geometry = drawable(region.geometry, region.radius);
        if (!geometry) { continue; }
        const parts = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
        for (const rings of parts) { points.push(...rings[0]); }
    }
    for (const member of state.members.values()) {
        const position = latestPosition(member);
        if (position) { (isCoarse(position) ? rough : points).push([position.longitude, position.latitude]); }
    }
    return points.length > 0 ? points : rough;
}

function accuracyCircle(position) {
    let circle = circles.get(position);
    if (!circle) {
        const ring = circleRing([position.longitude, position.latitude], position.accuracy, 36);
        circle = { type: "Polygon", coordinates: [ring] };
        circles.set(position, circle);
    }
    return circle;
}

function feature(geometry, properties) {
    return { type: "Feature", geometry, properties };
}

function collected(features) {
    return { type: "FeatureCollection", features };
}

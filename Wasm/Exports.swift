// What the WebAssembly module offers to its host. Compiled into one module with Sources/MusterGeometry by Scripts/wasm;
// no part of the Swift package. Wasm/regions.mjs is the other side.

/// The one index of this instance of the module; a WebAssembly module has one thread.
nonisolated(unsafe) private var index = RegionIndex()
nonisolated(unsafe) private var found: [Int32] = []

/// Puts a polygon or multipolygon under a number.
///
/// - Parameters:
///   - positions: longitude and latitude of every position of all rings, one after the other.
///   - ringLengths: how many positions each ring has; the last repeats the first.
///   - ringCounts: how many rings each polygon has, the exterior first.
///   - polygonCount: how many polygons there are.
/// - Returns: 0, or 1 when the shape is not valid and nothing was put.
@_expose(wasm, "putPolygons")
@_cdecl("putPolygons")
public func putPolygons(
    _ id: Int32, _ positions: UnsafePointer<Double>, _ ringLengths: UnsafePointer<Int32>,
    _ ringCounts: UnsafePointer<Int32>, _ polygonCount: Int32
) -> Int32 {
    var polygons: [[[RawVertex]]] = []
    var (position, ring) = (0, 0)
    for polygon in 0..<Int(polygonCount) {
        var rings: [[RawVertex]] = []
        for _ in 0..<ringCounts[polygon] {
            let end = position + Int(ringLengths[ring])
            rings.append(
                (position..<end).map {
                    RawVertex(longitude: positions[2 * $0], latitude: positions[2 * $0 + 1])
                })
            (position, ring) = (end, ring + 1)
        }
        polygons.append(rings)
    }
    do throws(GeometryFaults) {
        let shape =
            polygons.count == 1
            ? try Shape.validated(polygon: polygons[0]) : try Shape.validated(multiPolygon: polygons)
        index.put(shape, as: id)
        return 0
    } catch {
        return 1
    }
}

/// Puts a geodesic circle under a number.
///
/// - Returns: 0, or 1 when the circle is not valid and nothing was put.
@_expose(wasm, "putCircle")
@_cdecl("putCircle")
public func putCircle(_ id: Int32, _ longitude: Double, _ latitude: Double, _ radiusMetres: Double) -> Int32 {
    do throws(GeometryFaults) {
        let centre = RawVertex(longitude: longitude, latitude: latitude)
        index.put(try Shape.validated(circleAround: centre, radiusMetres: radiusMetres), as: id)
        return 0
    } catch {
        return 1
    }
}

/// Removes the region with a number.
@_expose(wasm, "remove")
@_cdecl("remove")
public func remove(_ id: Int32) { index.remove(id) }

/// Makes the index quick again after many changes; its answers stay the same.
@_expose(wasm, "rebuild")
@_cdecl("rebuild")
public func rebuild() {
    if let plan = index.rebuild { index.adopt(plan.build()) }
}

/// Finds the regions that hold a place, ascending; they stay at `foundRegions()` until the next question.
///
/// - Returns: how many there are; −1 for a place that is not on the globe.
@_expose(wasm, "find")
@_cdecl("find")
public func find(_ longitude: Double, _ latitude: Double) -> Int32 {
    guard let place = try? Coordinate(latitude: latitude, longitude: longitude) else { return -1 }
    found.removeAll(keepingCapacity: true)
    index.regions(containing: place, into: &found)
    return Int32(found.count)
}

/// Where the numbers are that `find` found.
@_expose(wasm, "foundRegions")
@_cdecl("foundRegions")
public func foundRegions() -> UnsafePointer<Int32>? { found.withUnsafeBufferPointer { $0.baseAddress } }

/// Metres on the WGS-84 ellipsoid between two places on the globe; NaN when one is not on it.
@_expose(wasm, "distance")
@_cdecl("distance")
public func distance(
    _ longitude: Double, _ latitude: Double, _ otherLongitude: Double, _ otherLatitude: Double
) -> Double {
    guard let from = try? Coordinate(latitude: latitude, longitude: longitude),
        let to = try? Coordinate(latitude: otherLatitude, longitude: otherLongitude)
    else { return .nan }
    return from.distance(to: to).value
}

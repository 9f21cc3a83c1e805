// Functions that the WebAssembly module exports to its host, for regions and geodesics. Scripts/wasm compiles them with
// Sources/MusterGeometry and a part of Sources/MusterCore into one module; they are no part of the Swift package. The
// host calls them in Web/engine/engine.js. Times are milliseconds since 1970; an unknown number is NaN.

/// The phone of this instance of the module. It needs no lock, because a WebAssembly module has one thread.
nonisolated(unsafe) let phone = Phone()
/// The numbers that the last call answered. The host reads them with `answerAddress()` and `answerCount()`.
nonisolated(unsafe) var answer: [Double] = []
nonisolated(unsafe) private var found: [Int32] = []
nonisolated(unsafe) private var foundInOne = Answers<Int32>()

/// The address of the first element of `answer`, as the last call set it.
@_expose(wasm, "answer")
@_cdecl("answer")
public func answerAddress() -> UnsafePointer<Double>? { answer.withUnsafeBufferPointer { $0.baseAddress } }

// MARK: Regions

/// Sets how the team's tracker filters positions, and after how many seconds of silence a person's safety is unknown.
///
/// - Parameter filter: the index of the filter in `PositionFilter.allCases`.
@_expose(wasm, "setTeam")
@_cdecl("setTeam")
public func setTeam(_ filter: Int32, _ silenceSeconds: Double, _ worksAtZero: Int32) {
    phone.setTeam(
        filter: PositionFilter.allCases[Int(filter)], silenceSeconds: silenceSeconds, worksAtZero: worksAtZero != 0)
}

/// Puts a collection. Its policy, raw or confident, decides when its regions are crossed.
@_expose(wasm, "putCollection")
@_cdecl("putCollection")
public func putCollection(_ number: Int32, _ isRaw: Int32) {
    phone.put(
        RegionCollection(number: CollectionNumber(number), name: "", policy: isRaw != 0 ? .raw : .confident))
}

/// Puts a polygon or multipolygon under a number.
///
/// - Parameters:
///   - collection: the number of a collection that was put.
///   - kind: the sum of 1 for a muster region and, if the region sets a mode, 2 × (1 + the mode's raw value).
///   - dwellSeconds: NaN for a region without a dwell time.
///   - positions: longitude and latitude of every position of all rings, one after the other.
///   - ringLengths: how many positions each ring has; the last repeats the first.
///   - ringCounts: how many rings each polygon has, the exterior first.
///   - polygonCount: how many polygons there are.
/// - Returns: 0, or 1 when the shape is not valid and nothing was put.
@_expose(wasm, "putPolygons")
@_cdecl("putPolygons")
public func putPolygons(
    _ id: Int32, _ collection: Int32, _ kind: Int32, _ dwellSeconds: Double, _ exitDelaySeconds: Double,
    _ positions: UnsafePointer<Double>, _ ringLengths: UnsafePointer<Int32>, _ ringCounts: UnsafePointer<Int32>,
    _ polygonCount: Int32
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
        put(shape, id, collection, kind, dwellSeconds, exitDelaySeconds)
        return 0
    } catch {
        return 1
    }
}

/// Puts a geodesic circle under a number; the parameters are those of `putPolygons`.
///
/// - Returns: 0, or 1 when the circle is not valid and nothing was put.
@_expose(wasm, "putCircle")
@_cdecl("putCircle")
public func putCircle(
    _ id: Int32, _ collection: Int32, _ kind: Int32, _ dwellSeconds: Double, _ exitDelaySeconds: Double,
    _ longitude: Double, _ latitude: Double, _ radiusMetres: Double
) -> Int32 {
    do throws(GeometryFaults) {
        let centre = RawVertex(longitude: longitude, latitude: latitude)
        put(
            try Shape.validated(circleAround: centre, radiusMetres: radiusMetres), id, collection, kind, dwellSeconds,
            exitDelaySeconds)
        return 0
    } catch {
        return 1
    }
}

private func put(
    _ shape: Shape, _ id: Int32, _ collection: Int32, _ kind: Int32, _ dwellSeconds: Double, _ exitDelaySeconds: Double
) {
    phone.put(
        Region(
            number: RegionNumber(id), collection: CollectionNumber(collection), id: "", name: "", shape: shape,
            isMuster: kind & 1 != 0,
            mode: kind > 1 ? RegionMode(rawValue: UInt8(truncatingIfNeeded: kind / 2 - 1)) : nil,
            dwellSeconds: dwellSeconds.isNaN ? nil : dwellSeconds, exitDelaySeconds: exitDelaySeconds))
}

/// Removes the region with a number.
@_expose(wasm, "removeRegion")
@_cdecl("removeRegion")
public func removeRegion(_ id: Int32) { phone.remove(RegionNumber(id)) }

/// Rebuilds the index of regions, which makes queries quick after many edits. Their results stay the same.
@_expose(wasm, "rebuild")
@_cdecl("rebuild")
public func rebuild() { phone.rebuild() }

/// Evaluates again what edits of regions may have changed. The host calls it after its edits.
@_expose(wasm, "review")
@_cdecl("review")
public func review(_ now: Double) {
    guard isMoment(now) else { return }
    phone.review(now: Instant(milliseconds: Int64(now)))
}

/// Whether a number from the host is a time within the range of JavaScript's `Date`.
func isMoment(_ milliseconds: Double) -> Bool { abs(milliseconds) <= 8.64e15 }

/// Finds the regions that hold a place, ascending; they stay at `foundRegions()` until the next question.
///
/// - Returns: how many there are; −1 for a place that is not on the globe.
@_expose(wasm, "find")
@_cdecl("find")
public func find(_ longitude: Double, _ latitude: Double) -> Int32 {
    guard let place = try? Coordinate(latitude: latitude, longitude: longitude) else { return -1 }
    phone.engine.catalog.regions(containing: place, in: phone.collections, into: &foundInOne)
    found.removeAll(keepingCapacity: true)
    for number in foundInOne { found.append(number) }
    return Int32(found.count)
}

/// Where the numbers are that `find` found.
@_expose(wasm, "foundRegions")
@_cdecl("foundRegions")
public func foundRegions() -> UnsafePointer<Int32>? { found.withUnsafeBufferPointer { $0.baseAddress } }

/// The distance in metres from a place to a region's boundary, positive inside. NaN for a place that is not on the
/// globe, and for a region that was not put.
@_expose(wasm, "boundaryDistance")
@_cdecl("boundaryDistance")
public func boundaryDistance(_ id: Int32, _ longitude: Double, _ latitude: Double) -> Double {
    guard let place = try? Coordinate(latitude: latitude, longitude: longitude) else { return .nan }
    return phone.engine.catalog.signedDistance(from: place, to: RegionNumber(id))?.value ?? .nan
}

// MARK: Geodesics

/// The distance in metres on the WGS-84 ellipsoid between two places; NaN when one is not on the globe. Sets `answer`
/// to the bearings of the shortest line at both ends, in the direction of travel, −180 to 180 degrees.
@_expose(wasm, "inverse")
@_cdecl("inverse")
public func inverse(
    _ longitude: Double, _ latitude: Double, _ otherLongitude: Double, _ otherLatitude: Double
) -> Double {
    guard let from = try? Coordinate(latitude: latitude, longitude: longitude),
        let to = try? Coordinate(latitude: otherLatitude, longitude: otherLongitude)
    else { return .nan }
    let line = Geodesic(from: from, to: to)
    answer = [line.initialAzimuth.value, line.finalAzimuth.value]
    return line.distance.value
}

/// Sets `answer` to the end of the line with this start, bearing and length: longitude, latitude, and bearing there.
///
/// - Returns: 0, or 1 when a number is not finite or not on the globe.
@_expose(wasm, "direct")
@_cdecl("direct")
public func direct(_ longitude: Double, _ latitude: Double, _ bearing: Double, _ metres: Double) -> Int32 {
    guard let from = try? Coordinate(latitude: latitude, longitude: longitude), bearing.isFinite, metres.isFinite else {
        return 1
    }
    let line = Geodesic(from: from, azimuth: Degrees(bearing), distance: Metres(metres))
    answer = [line.end.longitude, line.end.latitude, line.finalAzimuth.value]
    return 0
}

package import MusterCore
package import MusterGeometry

/// Regions as GeoJSON.
extension JSONWriter {
    /// Writes a region as a GeoJSON Feature: a circle as a Point with the property `radius`, in metres, and a region
    /// without a place with a geometry of null.
    ///
    /// The properties that have a meaning for a region show its present state; all others are written as the client
    /// sent them.
    ///
    /// - Parameters:
    ///   - isMuster: whether it is a muster region, by its own mark or by a rule; nil for its own mark. Where only a
    ///     rule makes it one, `musterByRule` beside the properties says so.
    ///   - scanner: the name of the scanner that decides who is inside, `user/device`; nil when no scanner decides.
    package mutating func feature(
        _ region: Region, isMuster: Bool? = nil, scanner: String? = nil, musterRules: [String] = []
    ) {
        beginObject()
        member("type", "Feature")
        member("id", region.id)
        key("geometry")
        if let shape = region.shape { geometry(shape) } else { raw("null") }
        key("properties")
        beginObject()
        member("name", region.name)
        member("muster", isMuster ?? region.isMuster)
        if let mode = region.mode { member("crossingMode", mode.wireName.description) }
        if let dwell = region.dwellSeconds { member("dwell", dwell) }
        if region.exitDelaySeconds > 0 { member("exitDelay", region.exitDelaySeconds) }
        if case .circle(let circle) = region.shape { member("radius", circle.radius.value) }
        if let beacon = region.beacon {
            key("beacon")
            value(beacon, scanner: scanner)
        }
        if let properties = region.properties {
            otherMembers(of: properties, isCircle: region.shape?.isCircle ?? false)
        }
        endObject()
        // Not properties, which a client that stores the Feature again would make the region's own; `RegionReader`
        // reads the mark of such a Feature as none.
        if isMuster == true, !region.isMuster { member("musterByRule", true) }
        if !musterRules.isEmpty {
            key("musterRules")
            beginArray()
            for rule in musterRules { value(rule) }
            endArray()
        }
        endObject()
    }

    /// Writes a shape as a GeoJSON geometry.
    package mutating func geometry(_ shape: Shape) {
        beginObject()
        switch shape {
        case .polygon(let polygon):
            member("type", "Polygon")
            key("coordinates")
            rings(of: polygon)
        case .multiPolygon(let polygons):
            member("type", "MultiPolygon")
            key("coordinates")
            beginArray()
            for polygon in polygons { rings(of: polygon) }
            endArray()
        case .circle(let circle):
            member("type", "Point")
            key("coordinates")
            position(circle.centre)
        }
        endObject()
    }

    private mutating func rings(of polygon: Polygon) {
        beginArray()
        for ring in [polygon.exterior] + polygon.holes {
            beginArray()
            for coordinate in ring { position(coordinate) }
            endArray()
        }
        endArray()
    }

    /// Writes a position, longitude first.
    private mutating func position(_ coordinate: Coordinate) {
        beginArray()
        value(coordinate.longitude)
        value(coordinate.latitude)
        endArray()
    }

    /// Writes the properties of an object that no field of a region holds. A text that is no object has none.
    fileprivate mutating func otherMembers(of text: String, isCircle: Bool) {
        var text = text
        text.withUTF8 { bytes in
            var reader = JSONReader(UnsafeRawBufferPointer(bytes))
            guard (try? reader.beginObject()) != nil else { return }
            while let key = try? reader.nextKey() {
                guard let value = try? reader.skip() else { return }
                let name = key.string
                let isKnown = name == "radius" ? isCircle : PropertiesDraft.keys.contains(name)
                guard !isKnown else { continue }
                self.key(name)
                raw(String(decoding: value, as: UTF8.self))
            }
        }
    }
}

extension Region {
    /// The members of `properties` that no field of the region holds, as JSON; empty for none.
    package var ownProperties: [UInt8] {
        guard let properties else { return [] }
        var writer = JSONWriter()
        writer.otherMembers(of: properties, isCircle: shape?.isCircle ?? false)
        return writer.bytes
    }
}

extension Shape {
    fileprivate var isCircle: Bool { circle != nil }
}

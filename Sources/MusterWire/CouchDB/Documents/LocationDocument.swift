package import MusterCore
import MusterGeometry

/// Reads the position in a location document.
package enum LocationDocument {
    /// Returns the position in the body of a document, in the format of the location tracker's app: a GeoJSON Feature
    /// with a Point, and `properties.timestamp` or else `created_at` in milliseconds since 1970. `accuracy`,
    /// `altitude`, `speed`, `heading` and `battery` are optional; values out of range are ignored.
    ///
    /// - Parameter receivedAt: the received time of the position.
    /// - Returns: nil for any other document.
    package static func position(in body: [UInt8], receivedAt: Instant) -> Position? {
        let found = body.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            return Result { () throws(JSONError) in try Reading(&reader) }
        }
        guard let reading = try? found.get(), let coordinate = reading.coordinate,
            let time = reading.timestamp ?? reading.createdAt
        else { return nil }
        let accuracy = reading.accuracy.flatMap { $0 > 0 && TrackerRange.accuracyMetres.contains($0) ? $0 : nil }
        return Position(
            coordinate: coordinate, sampleTime: Instant(milliseconds: time), receivedTime: receivedAt,
            accuracy: accuracy.map { Metres($0) },
            altitude: reading.altitude.flatMap { TrackerRange.altitudeMetres.contains($0) ? Metres($0) : nil },
            speed: reading.speed.flatMap { TrackerRange.metresPerSecond.contains($0) ? $0 : nil },
            heading: reading.heading.flatMap { (0...360).contains($0) ? ($0 == 360 ? 0 : $0) : nil },
            battery: reading.battery.flatMap { (0...100).contains($0) ? $0 : nil }, source: .couchDB)
    }
}

/// The members of a location document that make up its position.
private struct Reading {
    var coordinate: Coordinate?
    var createdAt: Int64?
    var timestamp: Int64?
    var accuracy: Double?
    var altitude: Double?
    var speed: Double?
    var heading: Double?
    var battery: Double?

    /// The accepted times in milliseconds since 1970: the years 1900 to 9999.
    private static let times: ClosedRange<Int64> = -2_208_988_800_000...253_402_300_799_999

    init(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.peek() == .object else { return }
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key.string {
            case "geometry": coordinate = try Self.point(&reader)
            case "created_at": createdAt = try Self.time(&reader)
            case "properties": try readProperties(&reader)
            default: _ = try reader.skip()
            }
        }
    }

    private mutating func readProperties(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.peek() == .object else {
            _ = try reader.skip()
            return
        }
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key.string {
            case "timestamp": timestamp = try Self.time(&reader)
            case "accuracy": accuracy = try Self.number(&reader)
            case "altitude": altitude = try Self.number(&reader)
            case "speed": speed = try Self.number(&reader)
            case "heading": heading = try Self.number(&reader)
            case "battery": battery = try Self.number(&reader)
            default: _ = try reader.skip()
            }
        }
    }

    private static func time(_ reader: inout JSONReader) throws(JSONError) -> Int64? {
        guard let number = try number(&reader), let time = Int64(exactly: number.rounded()) else { return nil }
        return times.contains(time) ? time : nil
    }

    private static func number(_ reader: inout JSONReader) throws(JSONError) -> Double? {
        guard try reader.peek() == .number else {
            _ = try reader.skip()
            return nil
        }
        let number = try reader.number()
        return number.isFinite ? number : nil
    }

    private static func point(_ reader: inout JSONReader) throws(JSONError) -> Coordinate? {
        guard case .object(let members) = try reader.tree(valueLimit: 1_000_000) else { return nil }
        let geometry = JSONValue.object(members)
        guard geometry["type"]?.string == "Point", let values = geometry["coordinates"]?.elements, values.count >= 2,
            let longitude = values[0].number, let latitude = values[1].number
        else { return nil }
        return try? Coordinate(latitude: latitude, longitude: longitude)
    }
}

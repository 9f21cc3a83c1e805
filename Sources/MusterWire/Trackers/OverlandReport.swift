package import MusterCore
import MusterGeometry

/// The batches of Overland (https://github.com/aaronpk/Overland-iOS#api): GeoJSON Features in `locations`.
package enum OverlandReport {
    /// The largest number of motions of a position, and of bytes of one.
    private static let motionLimit = 8
    private static let motionLimitBytes = 32

    /// Reads a batch. `current` and `trip`, which may come with it, repeat positions of later batches, and are left
    /// out.
    ///
    /// - Throws: `JSONError` when the body is not even nearly JSON, has no array `locations`, or too many of them.
    package static func report(parsing body: UnsafeRawBufferPointer, receivedAt: Instant) throws(JSONError)
        -> TrackerReport
    {
        let value = try JSONValue(lenientlyParsing: body)
        guard let locations = value["locations"]?.elements else {
            let found = value["locations"]
            throw JSONError(
                pointer: "/locations", offset: 0,
                reason: found.map { .wrongType(expected: .array, found: $0.kind) } ?? .missing)
        }
        guard locations.count <= TrackerReport.positionLimit else {
            throw JSONError(
                pointer: "/locations", offset: 0, reason: .tooMany(limit: TrackerReport.positionLimit))
        }
        var report = TrackerReport()
        for (index, location) in locations.enumerated() {
            add(location, at: "/locations/\(index)", to: &report, receivedAt: receivedAt)
        }
        return report
    }

    private static func add(
        _ feature: JSONValue, at pointer: String, to report: inout TrackerReport, receivedAt: Instant
    ) {
        let properties = feature["properties"]
        // A visit, an end of a trip or an event of the app repeats an earlier place with the time of the event.
        if let properties, properties["action"] != nil || properties["type"] != nil { return }
        let coordinates = feature["geometry"]?["coordinates"]?.elements ?? []
        guard coordinates.count >= 2,
            let longitude = coordinates[0].trackerNumber(within: TrackerRange.longitudes),
            let latitude = coordinates[1].trackerNumber(within: TrackerRange.latitudes)
        else { return report.addFault("\(pointer)/geometry: has no longitude and latitude.") }
        guard let properties, let time = properties["timestamp"]?.trackerTime else {
            return report.addFault("\(pointer)/properties/timestamp: is no time.")
        }
        let isAltitudeKnown = properties["vertical_accuracy"]?.number.map { $0 >= 0 } ?? true
        report.positions.append(
            Position(
                tracked: Coordinate(validLatitude: latitude, longitude: longitude), at: time, receivedAt: receivedAt,
                accuracy: properties["horizontal_accuracy"]?.deviceNumber,
                altitude: isAltitudeKnown ? properties["altitude"]?.deviceNumber : nil,
                speed: properties["speed"]?.deviceNumber, heading: properties["course"]?.deviceNumber,
                battery: properties["battery_level"]?.batteryPerCent, source: .overland,
                attributes: attributes(properties)))
    }

    /// Whether the battery is being charged, and how the person moves, as the text of one object; nil when neither is
    /// known. The name of the Wi-Fi network is not kept.
    private static func attributes(_ properties: JSONValue) -> String? {
        let charge: Bool? =
            switch properties["battery_state"]?.string {
            case "charging", "full": true
            case "unplugged": false
            default: nil
            }
        let motions = (properties["motion"]?.elements ?? []).prefix(motionLimit).compactMap(\.string)
            .filter { $0.utf8.count <= motionLimitBytes }
        if charge == nil, motions.isEmpty { return nil }
        let bytes = JSONWriter.object { writer in
            if let charge { writer.member("charge", charge) }
            if !motions.isEmpty {
                writer.key("motion")
                writer.beginArray()
                for motion in motions { writer.value(motion) }
                writer.endArray()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

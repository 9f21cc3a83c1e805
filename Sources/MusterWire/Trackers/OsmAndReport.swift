package import MusterCore
import MusterGeometry

/// The protocol that OsmAnd began and Traccar's clients, GPSLogger and many trackers speak: the fields of a form
/// (https://www.traccar.org/osmand/), or the JSON of newer Traccar Clients.
package enum OsmAndReport {
    /// A speed of one knot in metres a second.
    private static let knot = 1852.0 / 3600
    /// The error of a receiver's ranges in metres, by which a dilution of precision becomes an accuracy.
    private static let rangeErrorMetres = 5.0

    // MARK: Fields

    /// Reads the fields of one report.
    ///
    /// `alt`, `acc`, `dir` and `spd` are GPSLogger's names. `spd` is in metres a second, as that app has it; `speed` is
    /// in knots. A report without a time counts as measured now.
    package static func report(_ fields: FormFields, receivedAt: Instant) -> TrackerReport {
        var report = TrackerReport()
        let stated = fields.text("timestamp", "time")
        let time = stated.flatMap { Instant(trackerText: $0) }
        let place = fields.place
        if fields.texts("alarm").contains(where: { $0.lowercased() == "sos" }) {
            report.calls.append(.init(sampleTime: time, coordinate: try? place.get()))
        }
        // The tracker itself says that it has no fix.
        if fields.boolean("valid") == false { return report }
        let coordinate: Coordinate
        switch place {
        case .success(let found): coordinate = found
        case .failure(let fault):
            report.addFault(fault.words)
            return report
        }
        if stated == nil ? fields.isAmbiguous("timestamp") || fields.isAmbiguous("time") : time == nil {
            report.addFault("timestamp: is no time.")
            return report
        }
        let accuracy = fields.number("accuracy", "acc") ?? fields.number("hdop").map { $0 * rangeErrorMetres }
        report.positions.append(
            Position(
                tracked: coordinate, at: time ?? receivedAt, receivedAt: receivedAt, accuracy: accuracy,
                altitude: fields.number("altitude", "alt"),
                speed: fields.number("speed").map { $0 * knot } ?? fields.number("spd"),
                heading: fields.number("bearing", "heading", "dir"), battery: fields.number("batt"), source: .osmAnd,
                attributes: attributes(charge: fields.boolean("charge"), mock: fields.boolean("mock"))))
        return report
    }

    // MARK: JSON

    /// Reads the JSON of one request: a report, or an array of them. The `location` of a report is one or an array.
    ///
    /// - Throws: `JSONError` when the body is not even nearly JSON, is neither an object nor an array, or has too many
    ///   locations.
    package static func report(parsing body: UnsafeRawBufferPointer, receivedAt: Instant) throws(JSONError)
        -> TrackerReport
    {
        let value = try JSONValue(lenientlyParsing: body)
        guard value.members != nil || value.elements != nil else {
            throw JSONError(pointer: "", offset: 0, reason: .wrongType(expected: .object, found: value.kind))
        }
        var locations: [(pointer: String, value: JSONValue)] = []
        for (index, part) in (value.elements ?? [value]).enumerated() {
            let pointer = value.elements == nil ? "" : "/\(index)"
            let found = part["location"] ?? part
            let own = part["location"] == nil ? pointer : "\(pointer)/location"
            if let elements = found.elements {
                locations += elements.enumerated().map { ("\(own)/\($0.offset)", $0.element) }
            } else {
                locations.append((own, found))
            }
            guard locations.count <= TrackerReport.positionLimit else {
                throw JSONError(pointer: "", offset: 0, reason: .tooMany(limit: TrackerReport.positionLimit))
            }
        }
        var report = TrackerReport()
        for location in locations { add(location.value, at: location.pointer, to: &report, receivedAt: receivedAt) }
        return report
    }

    /// Adds one location, as the app's library writes it: speeds in metres a second, −1 for what is unknown.
    private static func add(
        _ location: JSONValue, at pointer: String, to report: inout TrackerReport, receivedAt: Instant
    ) {
        let coords = location["coords"]
        let latitude = coords?["latitude"]?.trackerNumber(within: TrackerRange.latitudes)
        let longitude = coords?["longitude"]?.trackerNumber(within: TrackerRange.longitudes)
        var coordinate: Coordinate?
        if let latitude, let longitude { coordinate = Coordinate(validLatitude: latitude, longitude: longitude) }
        let time = location["timestamp"]?.trackerTime
        let alarm = location["extras"]?["alarm"] ?? location["alarm"]
        if alarm?.string?.lowercased() == "sos" {
            report.calls.append(.init(sampleTime: time, coordinate: coordinate))
        }
        guard let coordinate else {
            return report.addFault("\(pointer)/coords: has no latitude and longitude.")
        }
        guard let time else { return report.addFault("\(pointer)/timestamp: is no time.") }
        let battery = location["battery"]
        let isAltitudeKnown = coords?["altitude_accuracy"]?.number.map { $0 >= 0 } ?? true
        report.positions.append(
            Position(
                tracked: coordinate, at: time, receivedAt: receivedAt, accuracy: coords?["accuracy"]?.deviceNumber,
                altitude: isAltitudeKnown ? coords?["altitude"]?.deviceNumber : nil,
                speed: coords?["speed"]?.deviceNumber, heading: coords?["heading"]?.deviceNumber,
                battery: battery?["level"]?.batteryPerCent, source: .osmAnd,
                attributes: attributes(charge: battery?["is_charging"]?.boolean, mock: location["mock"]?.boolean)))
    }

    /// What a position has no field for, as the text of one object; nil when there is nothing.
    private static func attributes(charge: Bool?, mock: Bool?) -> String? {
        if charge == nil, mock != true { return nil }
        let bytes = JSONWriter.object { writer in
            if let charge { writer.member("charge", charge) }
            if mock == true { writer.member("mock", true) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONValue {
    /// A battery's charge in per cent, to a tenth, from a share of 1; nil outside 0 to 1, as −1 is for an unknown one.
    var batteryPerCent: Double? { trackerNumber(within: 0...1).map { ($0 * 1000).rounded() / 10 } }
}

import MusterCoding
package import MusterCore
import MusterGeometry

/// The sightings of one request.
package struct ReportedSightings: Hashable, Sendable {
    /// The name of the device that listened; nil when the caller's credential determines the device.
    package var deviceName: String?
    /// The end of the listening; nil when the request does not contain it.
    package var listenedUntil: Instant?
    /// The sightings, in the order of the request.
    package var sightings: [Sighting] = []
    /// The number of advertisements that identify no beacon.
    package var unknownCount = 0
    /// The number of advertisements with encrypted BTHome.
    package var encryptedCount = 0
    /// The number of advertisements that could not be read.
    package var malformedCount = 0

    package init() {}
}

/// The faults found in a body. Decoding may stop before it has found all.
package struct BodyFaults: Error, Hashable, Sendable {
    /// One fault: a JSON pointer, and words that follow it.
    package struct Fault: Hashable, Sendable {
        package var pointer: String
        package var words: String
    }

    /// The faults; at least one.
    package var faults: [Fault]
}

/// Reads the native form of sightings: `{"device":…,"listenedUntil":…,"sightings":[…]}`.
package struct SightingDecoder {
    /// The largest number of sightings in one request.
    package static let limit = 1_000
    private static let faultLimit = 100

    private var faults: [BodyFaults.Fault] = []
    private var reported = ReportedSightings()
    private let receivedAt: Instant

    private init(receivedAt: Instant) { self.receivedAt = receivedAt }

    /// Decodes a body.
    ///
    /// - Throws: `JSONError` for text that is not JSON, and `BodyFaults` with the faults of the body. The whole body is
    ///   then rejected.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, receivedAt: Instant
    ) throws -> ReportedSightings {
        let body = try JSONValue(parsing: bytes, depthLimit: 4, valueLimit: 16 * limit)
        var decoder = SightingDecoder(receivedAt: receivedAt)
        decoder.read(body)
        guard decoder.faults.isEmpty else { throw BodyFaults(faults: decoder.faults) }
        return decoder.reported
    }

    private mutating func read(_ body: JSONValue) {
        guard let members = body.members else { return record("", "must be an object") }
        for member in members where !["device", "listenedUntil", "sightings"].contains(member.key) {
            record("/\(member.key)", "is unknown")
        }
        if let device = body["device"] {
            reported.deviceName = device.string
            if device.string == nil { record("/device", "must be a string") }
        }
        if let until = body["listenedUntil"] { reported.listenedUntil = time(until, at: "/listenedUntil") }
        guard let items = body["sightings"]?.elements else {
            if body["listenedUntil"] == nil || body["sightings"] != nil { record("/sightings", "must be an array") }
            return
        }
        guard items.count <= Self.limit else { return record("/sightings", "has more than \(Self.limit) elements") }
        reported.sightings.reserveCapacity(items.count)
        for (index, item) in items.enumerated() { read(item, at: "/sightings/\(index)") }
    }

    private mutating func read(_ item: JSONValue, at path: String) {
        guard let members = item.members else { return record(path, "must be an object") }
        let known = [
            "uuid", "major", "minor", "address", "advertisement", "sampleTime", "distance", "signalStrength",
            "proximity",
        ]
        for member in members where !known.contains(member.key) { record("\(path)/\(member.key)", "is unknown") }
        let identities = ["uuid", "address", "advertisement"].filter { item[$0] != nil }
        guard identities.count == 1 else {
            return record(path, "needs one of uuid, address and advertisement")
        }
        let sampleTime = time(item["sampleTime"], at: "\(path)/sampleTime")
        let strength = number(item["signalStrength"], in: -200...50, at: "\(path)/signalStrength")
        var distance = number(item["distance"], in: 0...100_000, at: "\(path)/distance").map { Metres($0) }
        let proximity = proximity(item["proximity"], at: "\(path)/proximity")
        guard let (beacon, power) = beacon(of: item, named: identities[0], at: path), let sampleTime else { return }
        if distance == nil, let strength, let power {
            distance = BeaconPolicy.distance(signal: strength, power: Double(power))
        }
        reported.sightings.append(
            Sighting(
                of: beacon, sampleTime: sampleTime, receivedTime: receivedAt, distance: distance,
                signalStrength: strength, proximity: proximity))
    }

    /// Returns an item's beacon, and its strength at 1 m. Returns nil after recording a fault, and after counting an
    /// advertisement that identifies no beacon.
    private mutating func beacon(of item: JSONValue, named key: String, at path: String) -> (Beacon, Int?)? {
        guard let text = item[key]?.string else {
            record("\(path)/\(key)", "must be a string")
            return nil
        }
        switch key {
        case "address":
            if let beacon = Beacon(address: text) { return (beacon, nil) }
            record("\(path)/address", "must be a Bluetooth address of 12 hexadecimal digits")
        case "advertisement":
            guard let payload = Hexadecimal.decode(text.utf8), payload.count <= AdvertisementReader.limitBytes else {
                record(
                    "\(path)/advertisement", "must be at most \(AdvertisementReader.limitBytes) bytes in hexadecimal")
                return nil
            }
            do {
                let read = try Advertisement(reading: payload)
                if read.encryptedCount > 0 { reported.encryptedCount += 1 }
                if let frame = read.identifyingFrame, let beacon = frame.beacon {
                    return (beacon, frame.powerAtOneMetre)
                }
                reported.unknownCount += 1
            } catch {
                reported.malformedCount += 1
            }
        default:
            let major = sixteenBits(item["major"], at: "\(path)/major")
            let minor = sixteenBits(item["minor"], at: "\(path)/minor")
            guard let uuid = BeaconUUID(text) else {
                record("\(path)/uuid", "must be a UUID of 32 hexadecimal digits")
                return nil
            }
            return (Beacon(uuid: uuid, major: major, minor: minor), nil)
        }
        return nil
    }

    private mutating func time(_ value: JSONValue?, at path: String) -> Instant? {
        guard let text = value?.string, let instant = try? Instant(rfc3339: text) else {
            record(path, "must be a time in RFC 3339")
            return nil
        }
        return instant
    }

    private mutating func number(_ value: JSONValue?, in range: ClosedRange<Double>, at path: String) -> Double? {
        guard let value else { return nil }
        if let number = value.number, range.contains(number) { return number }
        record(
            path, "must be a number from \(JSONWriter.text(range.lowerBound)) to \(JSONWriter.text(range.upperBound))")
        return nil
    }

    private mutating func sixteenBits(_ value: JSONValue?, at path: String) -> UInt16 {
        guard let value else { return 0 }
        if let number = value.integer.flatMap({ UInt16(exactly: $0) }) { return number }
        record(path, "must be a whole number from 0 to 65535")
        return 0
    }

    private mutating func proximity(_ value: JSONValue?, at path: String) -> Sighting.Proximity {
        guard let value else { return .unknown }
        if let known = Sighting.Proximity.allCases.first(where: { $0.wireName.description == value.string }) {
            return known
        }
        record(path, "must be one of unknown, immediate, near, far")
        return .unknown
    }

    private mutating func record(_ pointer: String, _ words: String) {
        if faults.count < Self.faultLimit { faults.append(BodyFaults.Fault(pointer: pointer, words: words)) }
    }
}

import MusterCoding
package import MusterCore
import MusterGeometry

/// A message of a gateway about one radio that it heard. All gateways that `GatewayTopic` knows write JSON objects with
/// members of the same names, and each leaves out some.
package struct GatewayMessage: Hashable, Sendable {
    /// The sightings: one for the beacon's own identity, and one for the Bluetooth address.
    package var sightings: [Sighting] = []
    /// The number of structures in no known format; 1 if nothing identifies the sender.
    package var unknownCount = 0
    /// The number of structures that could not be read; 1 for a message that is no object.
    package var malformedCount = 0

    /// Reads a message. The clock of a gateway is not reliable, so the sighting gets the time at which it arrived.
    ///
    /// - Parameter radio: the radio's name in the topic; nil when the topic has none.
    /// - Throws: `JSONError` for text that is not JSON.
    package init(parsing bytes: [UInt8], radio: String?, receivedAt: Instant) throws(JSONError) {
        let body = try JSONValue(parsing: bytes, depthLimit: 8, valueLimit: 1_000)
        guard body.members != nil else {
            malformedCount = 1
            return
        }
        let signal = body["rssi"]?.number.flatMap { (-200...50).contains($0) ? $0 : nil }
        let stated = body["distance"]?.number.flatMap { (0...100_000).contains($0) ? Metres($0) : nil }
        var beacons: [Beacon] = []
        func add(_ beacon: Beacon?) { if let beacon, !beacons.contains(beacon) { beacons.append(beacon) } }
        let decoded = Self.beacon(in: body)
        add(decoded)
        // For an iBeacon OpenMQTTGateway writes the strength at 1 m, and else that at which the device sends.
        let reference = body["rssi@1m"] ?? (decoded == nil ? nil : body["txpower"])
        var power = reference?.number.flatMap { (-127 ... -1).contains($0) ? Int($0) : nil }
        for frame in frames(in: body) {
            add(frame.beacon)
            power = frame.powerAtOneMetre ?? power
        }
        for name in [body["id"]?.string, body["mac"]?.string, radio].compactMap({ $0 }) {
            add(Self.beacon(named: name))
            add(Beacon(address: name))
        }
        let computed = signal.flatMap { signal in
            power.map { BeaconPolicy.distance(signal: signal, power: Double($0)) }
        }
        let distance = stated ?? computed
        guard signal != nil || distance != nil else {
            malformedCount += 1
            return
        }
        if beacons.isEmpty, unknownCount == 0, malformedCount == 0 { unknownCount = 1 }
        sightings = beacons.map {
            Sighting(
                of: $0, sampleTime: receivedAt, receivedTime: receivedAt, distance: distance, signalStrength: signal)
        }
    }

    /// The beacon that the gateway decoded itself: OpenMQTTGateway writes an iBeacon's numbers.
    private static func beacon(in body: JSONValue) -> Beacon? {
        guard let uuid = body["uuid"]?.string.flatMap({ BeaconUUID($0) }) else { return nil }
        func number(_ name: String) -> UInt16? { body[name]?.integer.flatMap { UInt16(exactly: $0) } }
        guard let major = number("major"), let minor = number("minor") else { return nil }
        return Beacon(uuid: uuid, major: major, minor: minor)
    }

    /// The beacon that ESPresense names `iBeacon:UUID-major-minor`, or `altBeacon:…`.
    private static func beacon(named name: String) -> Beacon? {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ["ibeacon", "altbeacon", "abeacon"].contains(parts[0].lowercased()) else { return nil }
        let numbers = parts[1].split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 7, let major = UInt16(numbers[5]), let minor = UInt16(numbers[6]),
            let uuid = BeaconUUID(numbers[..<5].joined(separator: "-"))
        else { return nil }
        return Beacon(uuid: uuid, major: major, minor: minor)
    }

    /// The frames in raw data, which OpenMQTTGateway and Theengs Gateway publish if they are configured to.
    private mutating func frames(in body: JSONValue) -> [BeaconFrame] {
        var readings: [BeaconFrame.Reading] = []
        if let text = body["manufacturerdata"]?.string {
            let data = Hexadecimal.decode(text.utf8) ?? []
            let maker = data.count < 2 ? nil : UInt16(data[0]) | UInt16(data[1]) << 8
            readings.append(maker.map { BeaconFrame.read(Array(data.dropFirst(2)), ofManufacturer: $0) } ?? .malformed)
        }
        if let text = body["servicedata"]?.string, let service = body["servicedatauuid"]?.string.flatMap(Self.service) {
            readings.append(
                Hexadecimal.decode(text.utf8).map { BeaconFrame.read($0, ofService: service) } ?? .malformed)
        }
        return readings.compactMap { reading in
            switch reading {
            case .frame(let frame): return frame
            case .unknown: unknownCount += 1
            case .malformed: malformedCount += 1
            }
            return nil
        }
    }

    /// Reads the number of a service: `0xfcd2`, or its 128-bit form.
    private static func service(_ text: String) -> UInt16? {
        let digits = text.lowercased()
        if digits.hasPrefix("0x") { return UInt16(digits.dropFirst(2), radix: 16) }
        guard digits.hasPrefix("0000"), digits.hasSuffix("-0000-1000-8000-00805f9b34fb"), digits.utf8.count == 36
        else { return nil }
        return UInt16(digits.dropFirst(4).prefix(4), radix: 16)
    }
}

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
    /// How many of `unknownCount` are encrypted BTHome.
    package var encryptedCount = 0
    /// The number of structures that could not be read; 1 for a message that is no object.
    package var malformedCount = 0

    /// Reads a message. The clock of a gateway is not reliable, so the sighting gets the time at which it arrived.
    ///
    /// Gateways print measurements that are missing as `nan`, and names as a tag sends them, byte by byte. A member
    /// that is not needed does not matter (`JSONValue.init(lenientlyParsing:)`).
    ///
    /// - Parameter radio: the radio's name in the topic; nil when the topic has none.
    /// - Throws: `JSONError` for text that is not even nearly JSON.
    package init(parsing bytes: [UInt8], radio: String?, receivedAt: Instant) throws(JSONError) {
        let body = try JSONValue(lenientlyParsing: bytes, depthLimit: 8, valueLimit: 1_000)
        guard body.members != nil else {
            malformedCount = 1
            return
        }
        let signal = body["rssi"]?.deviceNumber.flatMap { (-200...50).contains($0) ? $0 : nil }
        let stated = body["distance"]?.deviceNumber.flatMap { (0...100_000).contains($0) ? Metres($0) : nil }
        var beacons: [Beacon] = []
        func add(_ beacon: Beacon?) { if let beacon, !beacons.contains(beacon) { beacons.append(beacon) } }
        let decoded = Self.beacon(in: body)
        add(decoded)
        // For an iBeacon OpenMQTTGateway writes the strength at 1 m, and else that at which the device sends.
        let reference = body["rssi@1m"] ?? (decoded == nil ? nil : body["txpower"])
        var power = reference?.deviceNumber.flatMap { (-127 ... -1).contains($0) ? Int($0) : nil }
        if decoded != nil, let strength = Self.happyBubblesPower(in: body) { power = strength }
        for frame in frames(in: body) {
            add(frame.beacon)
            power = frame.powerAtOneMetre ?? power
        }
        for name in [body["id"]?.deviceText, body["mac"]?.deviceText, radio].compactMap({ $0 }) {
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

    /// The beacon that the gateway decoded itself: OpenMQTTGateway and room-assistant write an iBeacon's numbers, some
    /// of them as text, and detectors of Happy Bubbles write them as text of four hexadecimal digits.
    private static func beacon(in body: JSONValue) -> Beacon? {
        guard let uuid = body["uuid"]?.deviceText.flatMap({ BeaconUUID($0) }) else { return nil }
        let isHappyBubbles = isHappyBubbles(body)
        func number(_ name: String) -> UInt16? {
            guard let value = body[name] else { return nil }
            if isHappyBubbles, let text = value.deviceText { return UInt16(text, radix: 16) }
            return value.deviceInteger.flatMap { UInt16(exactly: $0) }
        }
        guard let major = number("major"), let minor = number("minor") else { return nil }
        return Beacon(uuid: uuid, major: major, minor: minor)
    }

    /// Whether a detector of Happy Bubbles wrote the message: only these name the kind of the beacon so.
    private static func isHappyBubbles(_ body: JSONValue) -> Bool { body["beacon_type"]?.string != nil }

    /// The strength at 1 m in a message of Happy Bubbles: a signed byte as hexadecimal digits.
    private static func happyBubblesPower(in body: JSONValue) -> Int? {
        guard isHappyBubbles(body), let byte = body["tx_power"]?.deviceText.flatMap({ UInt8($0, radix: 16) }) else {
            return nil
        }
        let power = Int(Int8(bitPattern: byte))
        return power < 0 ? power : nil
    }

    /// The beacon that a name stands for: ESPresense writes `iBeacon:UUID-major-minor`, or `altBeacon:…`, and other
    /// clients of `mqtt_room` write it without the prefix, with or without the hyphens of the UUID.
    private static func beacon(named name: String) -> Beacon? {
        var rest = name[...]
        if let colon = rest.firstIndex(of: ":"), prefixes.contains(rest[..<colon].lowercased()) {
            rest = rest[rest.index(after: colon)...]
        }
        let parts = rest.split(omittingEmptySubsequences: false) { "-_:".contains($0) }
        guard parts.count == 3 || parts.count == 7, let minor = UInt16(parts[parts.count - 1]),
            let major = UInt16(parts[parts.count - 2]),
            let uuid = BeaconUUID(parts.dropLast(2).joined(separator: "-"))
        else { return nil }
        return Beacon(uuid: uuid, major: major, minor: minor)
    }

    private static let prefixes: Set<String> = ["ibeacon", "altbeacon", "abeacon"]

    /// The frames in raw data, which OpenMQTTGateway and Theengs Gateway publish if they are configured to.
    private mutating func frames(in body: JSONValue) -> [BeaconFrame] {
        var readings: [BeaconFrame.Reading] = []
        if let text = body["manufacturerdata"]?.deviceText {
            let data = Hexadecimal.decode(text.utf8) ?? []
            let maker = data.count < 2 ? nil : UInt16(data[0]) | UInt16(data[1]) << 8
            readings.append(maker.map { BeaconFrame.read(Array(data.dropFirst(2)), ofManufacturer: $0) } ?? .malformed)
        }
        if let text = body["servicedata"]?.deviceText,
            let service = body["servicedatauuid"]?.deviceText.flatMap(Self.service)
        {
            readings.append(
                Hexadecimal.decode(text.utf8).map { BeaconFrame.read($0, ofService: service) } ?? .malformed)
        }
        return readings.compactMap { reading in
            switch reading {
            case .frame(let frame): return frame
            case .unknown: unknownCount += 1
            case .encrypted:
                unknownCount += 1
                encryptedCount += 1
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

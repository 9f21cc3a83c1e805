import MusterCoding
package import MusterCore
import MusterGeometry

/// A position as a document of its user's location database, and of the union.
///
/// The document depends only on the position, and not on the protocol by which it arrived: the id identifies the
/// position, the body contains it, and the revision is a digest of the body. So a client that replicates again receives
/// the same document again.
package enum PositionDocument {
    /// The identity of a position: a device, a time and a place.
    package struct Identity: Hashable, Sendable {
        /// The device that the position is of.
        package var device: DeviceNumber
        /// When the device took the position.
        package var sampleTime: Instant
        /// The latitude, degrees.
        package var latitude: Double
        package var longitude: Double

        package init(of position: Position, device: DeviceNumber) {
            self.device = device
            sampleTime = position.sampleTime
            latitude = position.coordinate.latitude
            longitude = position.coordinate.longitude
        }

        fileprivate init(device: DeviceNumber, sampleTime: Instant, latitude: Double, longitude: Double) {
            self.device = device
            self.sampleTime = sampleTime
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// The prefix of every id.
    package static let prefix = "position-"
    /// The smallest string after every id.
    package static let end = "position."

    private static let idBytes = 9 + 10 + 1 + 15 + 1 + 32

    /// Returns the id of a position's document: `position-`, the device's number in 10 digits, the sample time in
    /// milliseconds since 1970 in 15 digits (before 1970 `-` and 14 digits that grow with the time), and latitude and
    /// longitude in 16 hexadecimal digits each. The ids of a device's positions sort by time.
    package static func id(_ place: Identity) -> String {
        var id = start(of: place.device)
        let time = place.sampleTime.milliseconds
        if time < 0 {
            id.append(UInt8(ascii: "-"))
            id.append(decimal: 100_000_000_000_000 + time, digits: 14)
        } else {
            id.append(decimal: time, digits: 15)
        }
        id.append(UInt8(ascii: "-"))
        id.append(hexadecimal: place.latitude.orderedBits)
        id.append(hexadecimal: place.longitude.orderedBits)
        return String(decoding: id, as: UTF8.self)
    }

    /// The prefix of the ids of a device's positions, and the smallest string after them.
    package static func ids(of device: DeviceNumber) -> (start: String, end: String) {
        let start = start(of: device)
        return (String(decoding: start, as: UTF8.self), String(decoding: start.dropLast() + [0x2E], as: UTF8.self))
    }

    private static func start(of device: DeviceNumber) -> [UInt8] {
        var id = Array(prefix.utf8)
        id.append(decimal: Int64(device.rawValue), digits: 10)
        id.append(UInt8(ascii: "-"))
        return id
    }

    /// Returns the device whose ids share this id's prefix, even if the id names no position; nil for any other id.
    package static func device(ofID id: String) -> DeviceNumber? {
        let rest = id.utf8.dropFirst(prefix.utf8.count)
        let digits = rest.prefix(10)
        guard id.utf8.starts(with: prefix.utf8), digits.count == 10,
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            rest.dropFirst(10).first == UInt8(ascii: "-"), let number = Int32(Substring(digits)), number > 0
        else { return nil }
        return DeviceNumber(number)
    }

    /// Returns the position that an id names; nil for any other id.
    package static func identity(of id: String) -> Identity? {
        guard id.utf8.count == idBytes, id.hasPrefix(prefix) else { return nil }
        let parts = id.dropFirst(prefix.count)
        let device = parts.prefix(10)
        let time = parts.dropFirst(11).prefix(15)
        let bits = parts.suffix(32)
        guard let number = Int32(device), number > 0, let latitude = UInt64(bits.prefix(16), radix: 16),
            let longitude = UInt64(bits.suffix(16), radix: 16),
            let milliseconds = time.first == "-"
                ? Int64(time.dropFirst()).map({ $0 - 100_000_000_000_000 }) : Int64(time)
        else { return nil }
        let place = Identity(
            device: DeviceNumber(number), sampleTime: Instant(milliseconds: milliseconds),
            latitude: Double(orderedBits: latitude), longitude: Double(orderedBits: longitude))
        return self.id(place) == id ? place : nil
    }

    /// Bounds the sample times of a device's positions whose ids sort before and after an id, or a part of one: ids up
    /// to `id` have no time after `latestBefore`, and ids from it on none before `earliestBehind`.
    ///
    /// - Returns: nil if the id has not the prefix of the device's ids. A bound is nil if there is none.
    package static func times(
        around id: String, of device: DeviceNumber
    ) -> (latestBefore: Instant?, earliestBehind: Instant?)? {
        let start = start(of: device)
        guard id.utf8.starts(with: start) else { return nil }
        let rest = id.utf8.dropFirst(start.count)
        let digits = rest.prefix(15).prefix { (0x30...0x39).contains($0) }
        let next = rest.dropFirst(digits.count).first ?? 0
        // Times before 1970 begin with a minus sign, which sorts before all digits.
        if digits.isEmpty, next < 0x30 {
            return (Instant(milliseconds: -1), next > 0x2D ? Instant(milliseconds: 0) : nil)
        }
        let least = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
        if digits.count == 15 { return (Instant(milliseconds: least), Instant(milliseconds: least)) }
        let span = (digits.count..<15).reduce(Int64(1)) { power, _ in power * 10 }
        // Whole ids continue with a digit here, so `next` decides on which side of the edge they are.
        let edge = (least + (next < 0x30 ? 0 : 1)) * span
        return (Instant(milliseconds: edge - 1), Instant(milliseconds: edge))
    }

    /// Returns the body of the document: a GeoJSON Feature, in the format of the location tracker's app.
    ///
    /// - Parameter user: the name of the user that the position belongs to.
    package static func body(_ position: Position, user: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "Feature")
        writer.member("created_at", position.sampleTime.milliseconds)
        writer.key("geometry")
        writer.beginObject()
        writer.member("type", "Point")
        writer.key("coordinates")
        writer.beginArray()
        writer.value(position.coordinate.longitude)
        writer.value(position.coordinate.latitude)
        writer.endArray()
        writer.endObject()
        writer.key("properties")
        writer.beginObject()
        writer.member("username", user)
        writer.member("timestamp", position.sampleTime.milliseconds)
        if let accuracy = position.accuracy { writer.member("accuracy", accuracy.value) }
        if let altitude = position.altitude { writer.member("altitude", altitude.value) }
        if let speed = position.speed { writer.member("speed", speed) }
        if let heading = position.heading { writer.member("heading", heading) }
        if let battery = position.battery { writer.member("battery", battery) }
        if let attributes = position.attributes {
            writer.key("attributes")
            writer.raw(attributes)
        }
        writer.endObject()
        writer.endObject()
        return writer.takeBytes()
    }
}

extension [UInt8] {
    fileprivate mutating func append(decimal number: Int64, digits: Int) {
        var divisor = (1..<digits).reduce(Int64(1)) { power, _ in power * 10 }
        for _ in 0..<digits {
            append(0x30 + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor = Swift.max(1, divisor / 10)
        }
    }
}

extension Double {
    /// The bits, in an order that is the order of the numbers. −0 counts as 0.
    fileprivate var orderedBits: UInt64 {
        let bits = (self + 0).bitPattern
        return bits >> 63 == 1 ? ~bits : bits | 1 << 63
    }

    fileprivate init(orderedBits bits: UInt64) {
        self.init(bitPattern: bits >> 63 == 1 ? bits ^ 1 << 63 : ~bits)
    }
}

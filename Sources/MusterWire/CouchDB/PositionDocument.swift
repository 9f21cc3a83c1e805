import MusterCoding
package import MusterCore
import MusterGeometry

/// A position as a document of its user's location database, and of the union.
///
/// Whatever road a position came by, it is this document: the id says which position it is, the body is made of the
/// position alone, and the revision of the body. So whoever replicates twice gets the same document twice.
package enum PositionDocument {
    /// Which position a document is.
    package struct Place: Hashable, Sendable {
        /// Whose position.
        package var device: DeviceNumber
        /// When it was taken.
        package var sampleTime: Instant
        /// Where, degrees.
        package var latitude: Double
        package var longitude: Double

        /// The place of a position.
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

    /// What every id begins with.
    package static let prefix = "position-"
    /// What stands behind every id that begins so.
    package static let end = "position."

    private static let idBytes = 9 + 10 + 1 + 15 + 1 + 32

    /// The id of a position's document: `position-`, the device's number in 10 digits, the sample time in milliseconds
    /// since 1970 in 15, and latitude and longitude in 16 hexadecimal digits each. The ids of a device's positions are
    /// in the order of its history.
    package static func id(_ place: Place) -> String {
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

    /// What the ids of a device's positions begin with, and what stands behind all of them.
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

    /// The device among the ids of whose positions an id is, though it may name none of them; nil for any other id.
    package static func device(ofID id: String) -> DeviceNumber? {
        let rest = id.utf8.dropFirst(prefix.utf8.count)
        let digits = rest.prefix(10)
        guard id.utf8.starts(with: prefix.utf8), digits.count == 10,
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            rest.dropFirst(10).first == UInt8(ascii: "-"), let number = Int32(Substring(digits)), number > 0
        else { return nil }
        return DeviceNumber(number)
    }

    /// The position that an id names; nil for any other id.
    package static func place(of id: String) -> Place? {
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
        let place = Place(
            device: DeviceNumber(number), sampleTime: Instant(milliseconds: milliseconds),
            latitude: Double(orderedBits: latitude), longitude: Double(orderedBits: longitude))
        return self.id(place) == id ? place : nil
    }

    /// The sample times of a device's positions on both sides of any id, or a part of one: ids up to it have none after
    /// the first, ids from it on none before the second. Nil for both where it says nothing of times, and for each
    /// where there is no bound.
    package static func times(
        around id: String, of device: DeviceNumber
    ) -> (latestBefore: Instant?, earliestBehind: Instant?)? {
        let start = start(of: device)
        guard id.utf8.starts(with: start) else { return nil }
        let rest = id.utf8.dropFirst(start.count)
        let digits = rest.prefix(15).prefix { (0x30...0x39).contains($0) }
        let next = rest.dropFirst(digits.count).first ?? 0
        // Times before 1970 begin with a sign, which comes before all digits.
        if digits.isEmpty, next < 0x30 {
            return (Instant(milliseconds: -1), next > 0x2D ? Instant(milliseconds: 0) : nil)
        }
        let least = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
        if digits.count == 15 { return (Instant(milliseconds: least), Instant(milliseconds: least)) }
        let span = (digits.count..<15).reduce(Int64(1)) { power, _ in power * 10 }
        // Whole ids go on with a digit here, and so are all on one side.
        let edge = (least + (next < 0x30 ? 0 : 1)) * span
        return (Instant(milliseconds: edge - 1), Instant(milliseconds: edge))
    }

    /// What the document says: a GeoJSON Feature, as the location tracker's app wrote them.
    ///
    /// - Parameter user: the name of the user whose position it is.
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
    /// Bits in the order of the numbers; −0 is 0.
    fileprivate var orderedBits: UInt64 {
        let bits = (self + 0).bitPattern
        return bits >> 63 == 1 ? ~bits : bits | 1 << 63
    }

    fileprivate init(orderedBits bits: UInt64) {
        self.init(bitPattern: bits >> 63 == 1 ? bits ^ 1 << 63 : ~bits)
    }
}

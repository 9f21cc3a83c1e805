import MusterCore
import MusterGeometry

/// The members of one message, read with the leniency that phones need: older apps write numbers as strings.
struct OwnTracksMembers {
    let members: [JSONValue.Member]
    let pointer: String

    /// The value of a key; nil when the key is absent or its value null.
    subscript(key: String) -> JSONValue? {
        guard let value = members.first(where: { $0.key == key })?.value, value != .null else { return nil }
        return value
    }

    func fault(_ key: String?, _ reason: JSONError.Reason) -> JSONError {
        JSONError(
            pointer: key.map { JSONPointer.appending($0, to: pointer) } ?? pointer, offset: 0, reason: reason)
    }

    /// Returns a text; nil when it is absent or empty.
    func text(_ key: String) -> String? { self[key]?.string.flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns a text, or a whole number as text: an id may be either.
    func identifier(_ key: String) -> String? { text(key) ?? self[key]?.integer.map { "\($0)" } }

    /// Returns a number, also one in a string; nil for anything else.
    func number(_ key: String) -> Double? {
        guard let value = self[key] else { return nil }
        if let text = value.string { return Double(text).flatMap { $0.isFinite ? $0 : nil } }
        return value.number
    }

    /// Returns a number within a range; nil for anything else. An implausible value is left out and not refused: a
    /// phone forgets a message that the server refuses, and with it the fix.
    func number(_ key: String, within range: ClosedRange<Double>) -> Double? {
        number(key).flatMap { range.contains($0) ? $0 : nil }
    }

    /// Returns a number within a range, which must be present.
    func requiredNumber(_ key: String, within range: ClosedRange<Double>) throws(JSONError) -> Double {
        guard let value = self[key] else { throw fault(key, .missing) }
        guard let number = number(key) else { throw fault(key, .wrongType(expected: .number, found: value.kind)) }
        guard range.contains(number) else {
            throw fault(key, .outOfRange(lowest: range.lowerBound, highest: range.upperBound))
        }
        return number
    }

    /// Returns a text, which must be present.
    func requiredText(_ key: String) throws(JSONError) -> String {
        guard let value = self[key] else { throw fault(key, .missing) }
        guard let text = value.string else { throw fault(key, .wrongType(expected: .string, found: value.kind)) }
        return text
    }

    private static let seconds =
        Instant.earliestInternetTime.seconds...Instant.latestInternetTime.seconds

    /// Returns a time in seconds since 1970, which must be present.
    func requiredTime(_ key: String) throws(JSONError) -> Instant {
        Instant(seconds: try requiredNumber(key, within: Self.seconds))
    }

    /// Returns a time in seconds since 1970; nil when it is absent or out of range.
    func time(_ key: String) -> Instant? { number(key, within: Self.seconds).map { Instant(seconds: $0) } }

    /// Returns a length in metres; nil unless it is above 0.
    func metres(_ key: String) -> Metres? {
        number(key, within: 0...1e8).flatMap { $0 > 0 ? Metres($0) : nil }
    }

    /// The coordinate; nil unless both of its numbers are present and on the globe.
    var coordinate: Coordinate? {
        guard let latitude = number("lat"), let longitude = number("lon") else { return nil }
        return try? Coordinate(latitude: latitude, longitude: longitude)
    }

    /// Returns the members whose key is not in `known`, as the text of one object; nil when none is left. A member that
    /// would exceed `limitBytes`, such as a picture, is left out.
    func rest(without known: Set<String>, limitBytes: Int) -> String? {
        var writer = JSONWriter()
        var isEmpty = true
        writer.beginObject()
        for member in members where !known.contains(member.key) {
            let value = member.value.bytes
            var key = JSONWriter()
            key.value(member.key)
            // The comma, the colon and the closing brace.
            guard writer.bytes.count + key.bytes.count + value.count + 3 <= limitBytes else { continue }
            writer.key(member.key)
            writer.raw(String(decoding: value, as: UTF8.self))
            isEmpty = false
        }
        writer.endObject()
        return isEmpty ? nil : String(decoding: writer.bytes, as: UTF8.self)
    }
}

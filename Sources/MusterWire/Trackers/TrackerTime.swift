import MusterCore

extension Instant {
    /// The first number that counts milliseconds and not seconds since 1970: in seconds it is the year 5138.
    private static let firstMilliseconds = 1e11

    /// Reads a time as tracker apps write it: seconds or milliseconds since 1970; or ISO 8601, whose `T` may be a
    /// space, whose offset may have no colon, and which counts as UTC without an offset. A form that decodes `+` to a
    /// space leaves a space before the offset, which is read as the `+`.
    ///
    /// - Returns: nil for any other text, and outside the years 0001 to 9999.
    init?(trackerText text: String) {
        if let number = JSONValue(decimal: text)?.number {
            self.init(trackerNumber: number)
            return
        }
        var bytes = Array(text.utf8)
        guard bytes.count >= 19, bytes.count <= 40 else { return nil }
        if bytes[10] == UInt8(ascii: " ") { bytes[10] = UInt8(ascii: "T") }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let end = bytes[19...].firstIndex { !digits.contains($0) && $0 != UInt8(ascii: ".") } ?? bytes.count
        if end == bytes.count {
            bytes.append(UInt8(ascii: "Z"))
        } else if bytes[end] == UInt8(ascii: " ") {
            bytes[end] = UInt8(ascii: "+")
        }
        // An offset of four digits, such as -0700.
        if bytes.count == end + 5, bytes[(end + 1)...].allSatisfy(digits.contains) {
            bytes.insert(UInt8(ascii: ":"), at: end + 3)
        }
        let time = bytes.withUnsafeBytes { try? Instant(rfc3339: $0) }
        guard let time else { return nil }
        self = time
    }

    /// Reads seconds or milliseconds since 1970; nil outside the years 0001 to 9999.
    init?(trackerNumber number: Double) {
        let seconds = abs(number) < Self.firstMilliseconds ? number : number / 1000
        guard (Instant.earliestInternetTime.seconds...Instant.latestInternetTime.seconds).contains(seconds) else {
            return nil
        }
        self.init(seconds: seconds)
    }
}

extension JSONValue {
    /// The time that a member of a report holds, as text or as a number; nil for anything else.
    var trackerTime: Instant? {
        if let text = deviceText { return Instant(trackerText: text) }
        return number.flatMap { Instant(trackerNumber: $0) }
    }
}

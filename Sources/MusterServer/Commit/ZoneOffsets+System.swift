import Foundation
package import MusterCore

/// The time zones of the operating system, for the engine's schedules.
extension ZoneOffsets {
    /// The time zones that the system knows, by their IANA names.
    package static let system = ZoneOffsets { zone, moment in systemSecondsAhead(zone, moment) }

    // A function of its own: Foundation in the initializer of a static property changes which names the compiler finds
    // in such initializers of other files.
    private static func systemSecondsAhead(_ zone: String, _ moment: Instant) -> Int? {
        guard isName(zone), let found = TimeZone(identifier: zone) else { return nil }
        return found.secondsFromGMT(for: Date(timeIntervalSince1970: moment.seconds))
    }

    /// Whether a text can be an IANA name: `UTC`, or an area and a place. It is not looked up otherwise, because the
    /// system finds zones as files by their names, and knows abbreviations that mean several zones.
    private static func isName(_ zone: String) -> Bool {
        guard zone != "UTC" else { return true }
        let parts = zone.split(separator: "/", omittingEmptySubsequences: false)
        return (2...3).contains(parts.count) && zone.utf8.count <= 64
            && parts.allSatisfy { part in
                part.first?.isLetter == true && part.utf8.allSatisfy { isAdmitted($0) }
            }
    }

    private static func isAdmitted(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

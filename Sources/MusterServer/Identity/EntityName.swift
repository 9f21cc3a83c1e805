/// Names of users, teams, devices, trackers and collections: 1 to 64 of the letters a–z and A–Z, digits and `._-@`, at
/// least one of them not a dot (so that no name is a relative path).
package enum EntityName {
    /// The greatest length of a name.
    package static let limit = 64
    /// The rule as a regular expression, for API schemas. The expression alone admits 127 characters; `limit` must be
    /// checked too.
    package static let pattern = "^[A-Za-z0-9._@-]{0,63}[A-Za-z0-9_@-][A-Za-z0-9._@-]{0,63}$"

    package static func isValid(_ text: String) -> Bool {
        let bytes = text.utf8
        guard (1...limit).contains(bytes.count) else { return false }
        return bytes.allSatisfy(isAdmitted) && bytes.contains { $0 != UInt8(ascii: ".") }
    }

    /// The message for a new user's name that `isFreeForUsers` refuses.
    package static let userNameRule = "must not have the form of a UUID, because a `sub` has it"

    /// Whether a new user may have a valid name: not one with the form of a UUID. Requests name a user by name or by
    /// `sub`, which is a UUID, so a name of that form could stand for somebody else.
    package static func isFreeForUsers(_ name: String) -> Bool {
        let groups = name.split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.utf8.count) != [8, 4, 4, 4, 12] || !groups.joined().allSatisfy(\.isHexDigit)
    }

    private static func isAdmitted(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "@"):
            true
        default: false
        }
    }
}

import MusterCoding

/// What databases are called.
package enum DatabaseName {
    /// The union of all users' locations.
    package static let allLocations = "lt_locations_all"
    /// Places that anyone may look for.
    package static let places = "lt_places"
    /// The users, as documents.
    package static let users = "lt_users"
    /// The users, as CouchDB's clients expect them.
    package static let couchUsers = "_users"
    /// Replications that the server runs.
    package static let replicator = "_replicator"

    private static let locationsPrefix = "lt_locations_user_"
    private static let hexPrefix = "userdb-"

    /// The name of a user's location database: `lt_locations_user_` and the name as `encodeURIComponent` writes it.
    package static func locations(of user: String) -> String {
        locationsPrefix + PercentEncoding.encode(user, sparing: "!*'()")
    }

    /// The user whose location database a name is, in either of its forms: `lt_locations_user_NAME`, where the name may
    /// be percent-encoded or not, and `userdb-HEX`, the bytes of the name in hexadecimal, as CouchDB's `couch_peruser`
    /// has them. nil for any other name.
    package static func user(ofLocations name: String) -> String? {
        if name.hasPrefix(hexPrefix) {
            guard let bytes = Hexadecimal.decode(name.utf8.dropFirst(hexPrefix.utf8.count)), !bytes.isEmpty else {
                return nil
            }
            return String(validating: bytes, as: UTF8.self)
        }
        guard name.hasPrefix(locationsPrefix), name != locationsPrefix else { return nil }
        return PercentEncoding.decode(Substring(name.utf8.dropFirst(locationsPrefix.utf8.count)))
    }

    /// Whether a database that someone makes may have this name: a lower-case letter, then lower-case letters, digits
    /// and `_$()+-/`, at most 238 bytes, as CouchDB has it.
    package static func isValid(_ name: String) -> Bool {
        guard name.utf8.count <= 238, let first = name.utf8.first, isLowerCase(first) else { return false }
        return name.utf8.allSatisfy { isLowerCase($0) || (0x30...0x39).contains($0) || "_$()+-/".utf8.contains($0) }
    }

    private static func isLowerCase(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
}

import MusterCoding

/// The names of databases that the server itself provides, and the rule for those that users create.
package enum DatabaseName {
    /// The union of all users' locations.
    package static let allLocations = "lt_locations_all"
    /// The places that every user may search.
    package static let places = "lt_places"
    /// The users, one document each.
    package static let users = "lt_users"
    /// The users under the name and in the form that CouchDB's clients expect.
    package static let couchUsers = "_users"
    /// The replications that the server runs, one document each.
    package static let replicator = "_replicator"

    private static let locationsPrefix = "lt_locations_user_"
    private static let hexPrefix = "userdb-"

    /// The name of a user's location database: `lt_locations_user_` and the user's name, percent-encoded as by
    /// JavaScript's `encodeURIComponent`.
    package static func locations(of user: String) -> String {
        locationsPrefix + PercentEncoding.encode(user, sparing: "!*'()")
    }

    /// Returns the user whose location database has this name; nil for any other name. Two forms are read:
    /// `lt_locations_user_NAME`, where NAME may be percent-encoded or not, and `userdb-HEX`, the bytes of the user's
    /// name in hexadecimal, as CouchDB's `couch_peruser` names databases.
    package static func user(ofLocations name: String) -> String? {
        if name.hasPrefix(hexPrefix) {
            guard let bytes = Hexadecimal.decode(name.utf8.dropFirst(hexPrefix.utf8.count)), !bytes.isEmpty else {
                return nil
            }
            return String(utf8: bytes)
        }
        guard name.hasPrefix(locationsPrefix), name != locationsPrefix else { return nil }
        return PercentEncoding.decode(Substring(name.utf8.dropFirst(locationsPrefix.utf8.count)))
    }

    /// Whether a user may create a database of this name. CouchDB's rule: a lower-case letter, then lower-case letters,
    /// digits and `_$()+-/`, at most 238 bytes.
    package static func isValid(_ name: String) -> Bool {
        guard name.utf8.count <= 238, let first = name.utf8.first, isLowerCase(first) else { return false }
        return name.utf8.allSatisfy { isLowerCase($0) || (0x30...0x39).contains($0) || "_$()+-/".utf8.contains($0) }
    }

    private static func isLowerCase(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
}

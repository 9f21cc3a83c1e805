/// The id that the union of all users' locations gives a document that cannot have its own id there: `user-`, the
/// number of its owner in 10 digits, a colon, and its own id.
///
/// The union uses it when another user's document has the id in the union already, when the id itself is of this form,
/// and when the id is that of another user's position. Numbers of users are never reused.
package struct QualifiedID: Hashable, Sendable {
    /// The owner's location database.
    package let database: DatabaseNumber
    /// The document's id in that database.
    package let id: String

    /// How much longer a qualified id is than the id alone, in bytes.
    package static let qualifierBytes = 16

    private static let start = "user-"
    private static let digits = 10

    /// Creates the qualified id of a document of a user's location database.
    package init(_ id: String, in database: DatabaseNumber) {
        self.id = id
        self.database = database
    }

    /// Reads a qualified id; nil for a text that is not of this form.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.starts(with: Self.start.utf8), let user = Self.user(namedBy: text),
            bytes.dropFirst(Self.qualifierBytes - 1).first == UInt8(ascii: ":"), bytes.count > Self.qualifierBytes
        else { return nil }
        database = .locations(of: user)
        id = String(Substring(bytes.dropFirst(Self.qualifierBytes)))
    }

    package var text: String { Self.prefix(of: database) + id }

    /// Returns the part that every qualified id of one database begins with.
    package static func prefix(of database: DatabaseNumber) -> String {
        let number = String(-Int64(database.rawValue))
        return start + String(repeating: "0", count: max(0, digits - number.utf8.count)) + number + ":"
    }

    /// Returns the user whose number a text names after `user-`, whatever comes after the digits; nil for a text that
    /// begins otherwise.
    package static func user(namedBy text: String) -> UserNumber? {
        let number = text.utf8.dropFirst(start.utf8.count).prefix(digits)
        guard text.utf8.starts(with: start.utf8), number.count == digits,
            number.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let value = Int32(Substring(number)), value > 0
        else { return nil }
        return UserNumber(value)
    }
}

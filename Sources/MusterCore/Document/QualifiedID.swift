/// What a user's document is called in the union of all users' locations where it cannot stand under its own id:
/// `user-`, the number of its owner in 10 digits, a colon, and its id.
///
/// It stands so where another user's document has the id in the union already, and wherever its id is itself of this
/// form or is another user's position's. Numbers of users are never given twice.
package struct QualifiedID: Hashable, Sendable {
    /// The owner's location database.
    package let database: DatabaseNumber
    /// The id that the document has there.
    package let id: String

    /// How much longer it is than the id alone.
    package static let qualifierBytes = 16

    private static let start = "user-"
    private static let digits = 10

    /// The id of a document of a user's location database.
    package init(_ id: String, in database: DatabaseNumber) {
        self.id = id
        self.database = database
    }

    /// What a text names; nil where it is not of this form.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.starts(with: Self.start.utf8), let user = Self.user(namedBy: text),
            bytes.dropFirst(Self.qualifierBytes - 1).first == UInt8(ascii: ":"), bytes.count > Self.qualifierBytes
        else { return nil }
        database = .locations(of: user)
        id = String(Substring(bytes.dropFirst(Self.qualifierBytes)))
    }

    /// The id as the union has it.
    package var text: String { Self.prefix(of: database) + id }

    /// What stands before every qualified id of one database.
    package static func prefix(of database: DatabaseNumber) -> String {
        let number = String(-Int64(database.rawValue))
        return start + String(repeating: "0", count: max(0, digits - number.utf8.count)) + number + ":"
    }

    /// The user whose number a text begins with, whatever stands behind the digits; nil where it begins otherwise.
    package static func user(namedBy text: String) -> UserNumber? {
        let number = text.utf8.dropFirst(start.utf8.count).prefix(digits)
        guard text.utf8.starts(with: start.utf8), number.count == digits,
            number.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let value = Int32(Substring(number)), value > 0
        else { return nil }
        return UserNumber(value)
    }
}

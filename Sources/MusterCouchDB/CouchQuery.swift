import MusterCoding
import MusterServer
import MusterWire

/// The query of a CouchDB client's request: most values are JSON.
struct CouchQuery: Sendable {
    private let parts: [(name: String, value: String)]

    /// All parts, in order.
    var parameters: [(name: String, value: String)] { parts }

    /// How many parts are looked at.
    private static let partLimit = 64

    /// Reads what stands behind the question mark; a plus is a blank, as in forms, and a semicolon parts as an
    /// ampersand does, as in CouchDB.
    init(_ text: String) {
        parts = text.split { $0 == "&" || $0 == ";" }.prefix(Self.partLimit).map { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let words = pair.map { word in
                PercentEncoding.decode(String(word.map { $0 == "+" ? " " : $0 })) ?? "\u{FFFD}"
            }
            return (words[0], words.count > 1 ? words[1] : "")
        }
    }

    /// A text as it stands; nil where it is absent or empty.
    func text(_ names: String...) -> String? {
        parts.first { names.contains($0.name) && !$0.value.isEmpty }?.value
    }

    /// True or false; false where it is absent.
    func flag(_ name: String, otherwise value: Bool = false) throws(CouchError) -> Bool {
        switch text(name) {
        case nil: return value
        case "true": return true
        case "false": return false
        case let text?: throw .query("Invalid value for boolean parameter: \(name)=\"\(text)\"")
        }
    }

    /// A whole number, not negative.
    func count(_ name: String) throws(CouchError) -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Int(text), (0...Int(Query.largestSequence)).contains(number) else {
            throw .query("Invalid value for integer parameter: \(name)=\"\(text)\"")
        }
        return number
    }

    /// A value that is JSON.
    func json(_ names: String...) throws(CouchError) -> JSONValue? {
        guard let part = parts.first(where: { names.contains($0.name) && !$0.value.isEmpty }) else { return nil }
        do throws(JSONError) {
            return try JSONValue(parsing: Array(part.value.utf8))
        } catch {
            throw .badRequest("invalid UTF-8 JSON in parameter: \(part.name)")
        }
    }
}

import MusterCoding
import MusterServer
import MusterWire

/// The query parameters of a CouchDB client's request. Most values are JSON.
struct CouchQuery: Sendable {
    private let parts: [(name: String, value: String)]

    /// All parameters, in order.
    var parameters: [(name: String, value: String)] { parts }

    /// The most parameters that are read; the others are ignored.
    private static let partLimit = 64

    /// Parses a query string. As in CouchDB, a plus sign is a space, and a semicolon separates parameters as an
    /// ampersand does.
    init(_ text: String) {
        parts = text.split { $0 == "&" || $0 == ";" }.prefix(Self.partLimit).map { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let words = pair.map { word in
                PercentEncoding.decode(String(word.map { $0 == "+" ? " " : $0 })) ?? "\u{FFFD}"
            }
            return (words[0], words.count > 1 ? words[1] : "")
        }
    }

    /// Returns the text of the first of these parameters; nil if it is absent or empty.
    func text(_ names: String...) -> String? {
        parts.first { names.contains($0.name) && !$0.value.isEmpty }?.value
    }

    /// Returns a boolean parameter; `value` if it is absent.
    func flag(_ name: String, otherwise value: Bool = false) throws(CouchError) -> Bool {
        switch text(name) {
        case nil: return value
        case "true": return true
        case "false": return false
        case let text?: throw .query("Invalid value for boolean parameter: \(name)=\"\(text)\"")
        }
    }

    /// Returns a parameter that is a whole number and not negative; nil if it is absent.
    func count(_ name: String) throws(CouchError) -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Int(text), (0...Int(Query.largestSequence)).contains(number) else {
            throw .query("Invalid value for integer parameter: \(name)=\"\(text)\"")
        }
        return number
    }

    /// Returns a parameter whose value is JSON; nil if it is absent.
    func json(_ names: String...) throws(CouchError) -> JSONValue? {
        guard let part = parts.first(where: { names.contains($0.name) && !$0.value.isEmpty }) else { return nil }
        do throws(JSONError) {
            return try JSONValue(parsing: Array(part.value.utf8))
        } catch {
            throw .badRequest("invalid UTF-8 JSON in parameter: \(part.name)")
        }
    }
}

import MusterCoding
package import MusterCore

/// The parameters of a request to Meshblu: those of the query and those of the body, which win.
package struct MeshbluParameters: Hashable, Sendable {
    /// The parameters, in the order in which they came first.
    package private(set) var members: [JSONValue.Member] = []

    /// The largest number of parameters that are read.
    private static let limit = 64

    /// Reads a query and a body. A body is one JSON object, or a form (`a=1&b=2`).
    ///
    /// - Parameter mediaType: the media type of the request; curl labels everything that it posts as a form.
    /// - Throws: `JSONError` for a body that should be JSON and is none.
    package init(query: String, body: [UInt8], mediaType: String?) throws(JSONError) {
        for pair in Self.form(query) { put(pair.key, pair.value) }
        guard let first = body.first(where: { !" \n\r\t".utf8.contains($0) }) else { return }
        let isForm = mediaType == "application/x-www-form-urlencoded" && first != UInt8(ascii: "{")
        if isForm {
            for pair in Self.form(String(decoding: body, as: UTF8.self)) { put(pair.key, pair.value) }
            return
        }
        for member in try JSONValue(parsing: body, depthLimit: 16, valueLimit: 1_000).members ?? [] {
            put(member.key, member.value)
        }
    }

    /// The parameter of this name; nil when there is none.
    package subscript(_ key: String) -> JSONValue? { members.first { $0.key == key }?.value }

    /// Creates an empty list of parameters.
    package init() {}

    /// Removes the parameter of this name, and returns it; nil when there is none.
    package mutating func removeMember(_ key: String) -> JSONValue? {
        members.firstIndex { $0.key == key }.map { members.remove(at: $0).value }
    }

    /// The texts that a signal carries: every parameter but the time and the credentials (`uuid` and `token`), each as
    /// text.
    package var signalValues: [Signal.Value] {
        members.filter { !["timestamp", "token", "uuid"].contains($0.key) && !$0.key.isEmpty }
            .map { Signal.Value($0.key, $0.value.signalText ?? "") }
    }

    /// A moment: RFC 3339, or milliseconds since 1970; nil when it is neither.
    package static func instant(_ value: JSONValue) -> Instant? {
        if let milliseconds = value.integer ?? value.string.flatMap({ Int64($0) }) {
            return Instant(milliseconds: milliseconds)
        }
        return value.string.flatMap { try? Instant(rfc3339: $0) }
    }

    private mutating func put(_ key: String, _ value: JSONValue) {
        if let index = members.firstIndex(where: { $0.key == key }) {
            members[index].value = value
        } else if members.count < Self.limit {
            members.append(.init(key, value))
        }
    }

    /// Reads `a=1&b=2`, in which a plus is a space. Leaves out pairs whose percent-encoding is invalid.
    private static func form(_ text: String) -> [(key: String, value: JSONValue)] {
        text.split(separator: "&").prefix(limit).compactMap { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { PercentEncoding.decode($0.replacing("+", with: " ")) }
            guard let key = pair[0], pair.count > 1 else { return pair[0].map { ($0, .string("")) } }
            return pair[1].map { (key, .string($0)) }
        }
    }
}

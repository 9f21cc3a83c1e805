/// A refused query or index, with the error and reason that CouchDB would return.
package struct MangoError: Error, Hashable, Sendable {
    /// CouchDB's error code.
    package let word: String
    /// The explanation for people, one sentence.
    package let reason: String
    /// The HTTP status.
    package let status: Int

    package init(_ word: String, _ reason: String, status: Int = 400) {
        self.word = word
        self.reason = reason
        self.status = status
    }

    /// Makes the error of an invalid selector.
    package init(_ fault: SelectorError) { self.init(fault.word, fault.reason) }

    /// No index provides the requested order.
    package static let noSortIndex = MangoError(
        "no_usable_index", "No index exists for this sort, try indexing by the sort fields.")

    /// The named index does not exist or cannot answer the query, and the request allows no other. Without a name: no
    /// index can answer it.
    package static func invalidIndex(_ names: [String]) -> MangoError {
        guard !names.isEmpty else {
            return MangoError("invalid_index", "You must specify an index with the `use_index` parameter.")
        }
        let name = names.joined(separator: ", ")
        return MangoError(
            "invalid_index",
            "_design/\(name) specified by `use_index` could not be found or it is not suitable.")
    }
}

/// Reads the members of Mango's requests.
extension JSONValue {
    /// The value as text for an error message, cut after 200 bytes.
    var text: String { String(decoding: bytes.prefix(200), as: UTF8.self) }

    /// - Throws: `MangoError` if the object has another member, because a client would believe that a misspelt one took
    ///   effect.
    func requireKeys(of known: Set<String>) throws(MangoError) {
        guard let unknown = members?.first(where: { !known.contains($0.key) }) else { return }
        throw MangoError("invalid_key", "Invalid key \(unknown.key.prefix(200)) for this request.")
    }

    /// - Throws: `MangoError` if the object has the member and it is not a whole number above zero.
    func requirePositive(_ key: String) throws(MangoError) {
        guard let value = self[key], value.integer.map({ $0 > 0 }) != true else { return }
        throw MangoError("invalid_pos_integer", "\(value.text) is not an integer greater than zero")
    }

    func flag(_ key: String) throws(MangoError) -> Bool? {
        guard let value = self[key] else { return nil }
        guard let flag = value.boolean else {
            throw MangoError("invalid_boolean", "Invalid boolean value: \(value.text)")
        }
        return flag
    }

    func text(_ key: String) throws(MangoError) -> String? {
        guard let value = self[key] else { return nil }
        guard let text = value.string else { throw MangoError("invalid_string", "Invalid string: \(value.text)") }
        return text
    }

    func count(_ key: String) throws(MangoError) -> Int? {
        guard let value = self[key] else { return nil }
        guard let count = value.integer, count >= 0 else {
            throw MangoError(
                "invalid_non_neg_integer", "\(value.text) is not an integer greater than or equal to zero")
        }
        return Int(clamping: count)
    }
}

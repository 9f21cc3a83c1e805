/// Why a query or an index is refused, in CouchDB's words.
package struct MangoError: Error, Hashable, Sendable {
    /// CouchDB's word.
    package let word: String
    /// A sentence.
    package let reason: String
    /// The status that goes with it.
    package let status: Int

    /// A refusal.
    package init(_ word: String, _ reason: String, status: Int = 400) {
        self.word = word
        self.reason = reason
        self.status = status
    }

    /// What is wrong with a selector.
    package init(_ fault: SelectorError) { self.init(fault.word, fault.reason) }

    /// No index has an order that is asked for.
    package static let noSortIndex = MangoError(
        "no_usable_index", "No index exists for this sort, try indexing by the sort fields.")

    /// The index that is named cannot be used, and no other may be; with no name, none can.
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

/// What the bodies of mango's requests say, one member each.
extension JSONValue {
    /// The value as text, cut short, for a sentence.
    var text: String { String(decoding: bytes.prefix(200), as: UTF8.self) }

    /// - Throws: `MangoError` where there is a member that nobody would read: a misspelt one would be taken for obeyed.
    func requireKeys(of known: Set<String>) throws(MangoError) {
        guard let unknown = members?.first(where: { !known.contains($0.key) }) else { return }
        throw MangoError("invalid_key", "Invalid key \(unknown.key.prefix(200)) for this request.")
    }

    /// - Throws: `MangoError` where a member is there that is no whole number above zero.
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

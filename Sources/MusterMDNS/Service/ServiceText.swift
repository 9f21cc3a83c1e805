import MusterCoding

/// The properties that a service publishes beside its name and address: keys with values, in a TXT record (RFC 6763,
/// section 6).
package struct ServiceText: Hashable, Sendable {
    /// The most bytes of a key, an equals sign and a value.
    package static let limitEntryBytes = 255
    /// The most bytes of a record: what fits in one packet (RFC 6763, section 6.2).
    package static let limitBytes = 1_300

    /// A key with its value.
    package struct Entry: Hashable, Sendable {
        /// Printable ASCII without an equals sign. Case does not matter.
        package var key: String
        /// The value; nil for a key without an equals sign, which only states that the key is present.
        package var value: [UInt8]?

        package init(key: String, value: [UInt8]?) {
            (self.key, self.value) = (key, value)
        }
    }

    /// The entries in their order. No two have the same key.
    package private(set) var entries: [Entry]

    package init(_ entries: [Entry] = []) {
        self.entries = []
        for entry in entries where self[bytes: entry.key] == nil && !contains(entry.key) { self.entries.append(entry) }
    }

    /// Reads a record. The first entry of a key counts, and an entry without a key is ignored (RFC 6763, section 6.4).
    package init(reading strings: [UInt8]) {
        var entries: [Entry] = []
        var known: Set<String> = []
        var rest = strings[...]
        while let count = rest.popFirst() {
            let string = rest.prefix(Int(count))
            rest = rest.dropFirst(Int(count))
            let parts = string.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let key = parts.first, Self.isKey(key) else { continue }
            let text = String(decoding: key, as: UTF8.self)
            guard known.insert(text.lowercased()).inserted else { continue }
            entries.append(Entry(key: text, value: parts.count > 1 ? Array(parts[1]) : nil))
        }
        self.entries = entries
    }

    private static func isKey(_ key: some Collection<UInt8>) -> Bool {
        !key.isEmpty && key.allSatisfy { $0 >= 0x20 && $0 <= 0x7E && $0 != UInt8(ascii: "=") }
    }

    /// Whether there is an entry with this key, with or without a value.
    package func contains(_ key: String) -> Bool { entries.contains { $0.key.lowercased() == key.lowercased() } }

    /// The value of a key as text; nil when there is none, or when it is not UTF-8.
    package subscript(key: String) -> String? {
        self[bytes: key].flatMap { String(utf8: $0) }
    }

    /// The value of a key; nil when there is none.
    package subscript(bytes key: String) -> [UInt8]? {
        entries.first { $0.key.lowercased() == key.lowercased() }?.value
    }

    /// The strings of a record; nil when a key is not printable ASCII without an equals sign, an entry has more than
    /// 255 bytes, or all have more than 1,300.
    package var strings: [UInt8]? {
        var strings: [UInt8] = []
        for entry in entries {
            let value = entry.value.map { [UInt8(ascii: "=")] + $0 } ?? []
            let count = entry.key.utf8.count + value.count
            guard Self.isKey(Array(entry.key.utf8)), count <= Self.limitEntryBytes else { return nil }
            strings += [UInt8(count)] + Array(entry.key.utf8) + value
        }
        guard strings.count <= Self.limitBytes else { return nil }
        return strings.isEmpty ? [0] : strings
    }
}

extension ServiceText: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Entry(key: $0.0, value: Array($0.1.utf8)) })
    }
}

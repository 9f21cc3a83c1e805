/// A text in which `*` stands for any text, including none.
///
/// A literal between two wildcards may match at the first place where it is found, because a later place never helps.
/// So one pass decides, with a search that never steps back (Knuth, Morris and Pratt 1977).
struct Wildcard: Hashable, Sendable {
    /// The bytes that a text must begin with.
    let prefix: [UInt8]
    /// The literals that must follow, in this order.
    private let middle: [Literal]
    /// The bytes that a text must end with; nil without a wildcard, when the text must be the prefix and nothing more.
    let suffix: [UInt8]?

    /// Reads a wildcard text: `\*` is an asterisk, `\\` a backslash.
    ///
    /// - Throws: `.consecutiveWildcards`, `.wildcardEscape`.
    init(_ text: String) throws(EventPatternError.Reason) {
        var literals: [[UInt8]] = [[]]
        var bytes = text.utf8.makeIterator()
        var isBehindWildcard = false
        while let byte = bytes.next() {
            if byte == UInt8(ascii: "*") {
                guard !isBehindWildcard else { throw .consecutiveWildcards }
                literals.append([])
                isBehindWildcard = true
                continue
            }
            isBehindWildcard = false
            guard byte == UInt8(ascii: "\\") else {
                literals[literals.count - 1].append(byte)
                continue
            }
            guard let escaped = bytes.next(), escaped == UInt8(ascii: "*") || escaped == UInt8(ascii: "\\") else {
                throw .wildcardEscape
            }
            literals[literals.count - 1].append(escaped)
        }
        prefix = literals[0]
        middle = literals.dropFirst().dropLast().map { Literal($0) }
        suffix = literals.count > 1 ? literals[literals.count - 1] : nil
    }

    /// Whether a text matches.
    ///
    /// - Complexity: O(bytes of the text), whatever the wildcards.
    func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.starts(with: prefix) else { return false }
        guard let suffix else { return text.count == prefix.count }
        guard text.count >= prefix.count + suffix.count, text.ends(with: suffix) else { return false }
        let end = text.count - suffix.count
        var place = prefix.count
        for literal in middle {
            guard let found = literal.end(in: text, from: place, to: end) else { return false }
            place = found
        }
        return true
    }

    /// A literal between two wildcards.
    private struct Literal: Hashable, Sendable {
        let bytes: [UInt8]
        /// The failure function of Knuth, Morris and Pratt: at index n − 1, the length of the longest proper prefix of
        /// the first n bytes that they also end with.
        let fallbacks: [Int]

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            var fallbacks = [0]
            var length = 0
            for byte in bytes.dropFirst() {
                while length > 0, bytes[length] != byte { length = fallbacks[length - 1] }
                if bytes[length] == byte { length += 1 }
                fallbacks.append(length)
            }
            self.fallbacks = fallbacks
        }

        /// Returns the index behind the literal's first occurrence; nil when none ends by `end`.
        func end(in text: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int? {
            var length = 0
            var place = start
            while place < end {
                while length > 0, bytes[length] != text[place] { length = fallbacks[length - 1] }
                if bytes[length] == text[place] { length += 1 }
                place += 1
                if length == bytes.count { return place }
            }
            return nil
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether these bytes end with `suffix`.
    func ends(with suffix: [UInt8]) -> Bool {
        count >= suffix.count && self[(count - suffix.count)...].elementsEqual(suffix)
    }
}

package import MusterCore

/// Revisions as text, such as `3-917fa2381192822767f010b95b45325b`.
extension Revision {
    /// Parses `generation-hash`, as `init(_: some StringProtocol)` does; nil if the text is not a revision.
    package init?(_ text: JSONText) {
        guard let revision = text.withBytes({ Self(parsing: $0) }) else { return nil }
        self = revision
    }
}

extension Revision.Hash {
    /// Parses the hash, which follows the dash of a revision; nil if the text is not one.
    package init?(_ text: JSONText) {
        guard let hash = text.withBytes({ Self(parsing: $0) }) else { return nil }
        self = hash
    }
}

extension JSONWriter {
    /// Writes a revision as a JSON string.
    package mutating func value(_ revision: Revision) {
        plain { bytes in
            bytes.append(decimal: Int64(revision.generation))
            bytes.append(UInt8(ascii: "-"))
            bytes.append(revision.hash)
        }
    }

    /// Writes the hash of a revision as a JSON string.
    package mutating func value(_ hash: Revision.Hash) { plain { $0.append(hash) } }
}

extension [UInt8] {
    /// Appends the hash of a revision as text.
    mutating func append(_ hash: Revision.Hash) {
        switch hash {
        case .text(let text): append(contentsOf: text.utf8)
        case .digest(let high, let low):
            let start = count
            append(contentsOf: repeatElement(0, count: 32))
            withUnsafeMutableBufferPointer {
                Revision.Hash.write(high, low, to: UnsafeMutableBufferPointer(rebasing: $0[start...]))
            }
        }
    }
}

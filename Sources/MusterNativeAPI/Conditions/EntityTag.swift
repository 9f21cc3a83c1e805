import HTTPTypes
import Hummingbird
import MusterCore
import MusterServer
import MusterWire

/// The `ETag` of a region or a rule as its editors read and store it (RFC 9110, section 8.8.3): its number and a
/// fingerprint of its content. The server computes it anew, so it is the same after a restart.
struct EntityTag: Hashable, Sendable {
    /// The number in the directory. What was removed and made again has another one.
    let number: Int32
    private let fingerprint: String

    /// Makes the tag of what has this number and this content.
    init(_ number: Int32, _ content: [UInt8]) {
        self.number = number
        fingerprint = Fingerprint.text(of: content)
    }

    /// Reads an entity tag, without its quotes.
    fileprivate init?(_ text: Substring) {
        let parts = text.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, let number = Int32(parts[0]) else { return nil }
        self.number = number
        fingerprint = String(parts[1])
    }

    /// The tag as a header has it.
    var text: String { "\"\(number)-\(fingerprint)\"" }
}

/// What has an entity tag, so that an editor's change does not undo another's that the editor has not seen.
protocol Tagged: Sendable {
    /// What messages call it.
    static var word: String { get }
    /// When it was stored last.
    var times: EditTimes { get }

    /// Returns the tag of the present content.
    func entityTag(in directory: Directory) -> EntityTag

    /// The number of what a change of this kind stored or removed; nil for other changes.
    static func edited(by change: Change) -> (number: Int32, isRemoval: Bool)?
}

/// The conditions that a request puts on an edit, `If-Match` and `If-None-Match` (RFC 9110, section 13.1).
struct EditConditions: Sendable {
    /// The entity tags of a header: any, or some.
    private enum Tags: Sendable {
        case any
        case some([EntityTag])

        init(_ header: String) {
            self =
                header.filter { $0 != " " } == "*"
                ? .any
                : .some(
                    header.split(separator: ",").prefix(100).compactMap { part in
                        let tag = part.filter { $0 != " " }
                        guard tag.count >= 2, tag.first == "\"", tag.last == "\"" else { return nil }
                        return EntityTag(tag.dropFirst().dropLast())
                    })
        }

        func match(_ present: EntityTag?) -> Bool {
            guard let present else { return false }
            if case .some(let tags) = self { return tags.contains(present) }
            return true
        }
    }

    private let required: Tags?
    private let refused: Tags?

    init(_ request: Request) {
        required = request.headers[.ifMatch].map { Tags($0) }
        refused = request.headers[.ifNoneMatch].map { Tags($0) }
    }

    /// Checks the conditions against what there is; nil where there is nothing.
    ///
    /// - Throws: `EditConflict`.
    func check<Item: Tagged>(_ present: Item?, in directory: Directory) throws(EditConflict<Item>) {
        let tag = present?.entityTag(in: directory)
        if let required, !required.match(tag) {
            var known: [Int32] = []
            if case .some(let tags) = required { known = tags.map(\.number) }
            throw EditConflict(present: present, known: known)
        }
        if let refused, refused.match(tag) { throw EditConflict(present: present, known: nil) }
    }
}

/// What there is does not meet the conditions of a request.
struct EditConflict<Item: Tagged>: Error {
    /// What there is now; nil where there is nothing.
    var present: Item?
    /// The numbers of what the caller has read, by the tags that it sent; nil where the request requires that there is
    /// nothing.
    var known: [Int32]?
}

import HTTPTypes
import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// The `ETag` of a region (RFC 9110, section 8.8.3): its number and a fingerprint of what was stored. It names the
/// region as its editors left it: that a rule makes it a muster region does not change it. It is computed, so it is
/// the same after a restart.
struct RegionTag: Hashable {
    /// The region's number. A region that was removed and made again has another one.
    let number: RegionNumber
    private let fingerprint: String

    init(_ region: Region) {
        number = region.number
        var writer = JSONWriter()
        var scanner: String?
        if case .scanner(let device) = region.beacon?.source { scanner = String(device.rawValue) }
        writer.feature(region, isMuster: region.isMuster, scanner: scanner)
        fingerprint = Fingerprint.text(of: writer.bytes)
    }

    /// Reads an entity tag, without its quotes.
    fileprivate init?(_ text: Substring) {
        let parts = text.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, let number = Int32(parts[0]) else { return nil }
        self.number = RegionNumber(number)
        fingerprint = String(parts[1])
    }

    /// The tag as a header has it.
    var text: String { "\"\(number.rawValue)-\(fingerprint)\"" }
}

/// The conditions that a request puts on an edit of a region, `If-Match` and `If-None-Match` (RFC 9110, section 13.1).
struct RegionConditions: Sendable {
    /// The entity tags of a header: any, or some.
    private enum Tags: Sendable {
        case any
        case some([RegionTag])

        init(_ header: String) {
            self =
                header.filter { $0 != " " } == "*"
                ? .any
                : .some(
                    header.split(separator: ",").prefix(100).compactMap { part in
                        let tag = part.filter { $0 != " " }
                        guard tag.count >= 2, tag.first == "\"", tag.last == "\"" else { return nil }
                        return RegionTag(tag.dropFirst().dropLast())
                    })
        }

        func match(_ region: Region?) -> Bool {
            guard let region else { return false }
            if case .some(let tags) = self { return tags.contains(RegionTag(region)) }
            return true
        }
    }

    private let required: Tags?
    private let refused: Tags?

    init(_ request: Request) {
        required = request.headers[.ifMatch].map { Tags($0) }
        refused = request.headers[.ifNoneMatch].map { Tags($0) }
    }

    /// Checks the conditions against the region as it is; nil where there is none.
    ///
    /// - Throws: `RegionConflict`.
    func check(_ region: Region?) throws(RegionConflict) {
        if let required, !required.match(region) {
            var known: [RegionNumber] = []
            if case .some(let tags) = required { known = tags.map(\.number) }
            throw RegionConflict(present: region, known: known)
        }
        if let refused, refused.match(region) { throw RegionConflict(present: region, known: nil) }
    }
}

/// A region does not meet the conditions of a request.
struct RegionConflict: Error {
    /// The region as it is; nil where there is none.
    var present: Region?
    /// The regions that the caller has read, by the tags that it sent; nil where the request requires that there is
    /// none.
    var known: [RegionNumber]?
}

extension NativeRoutes {
    /// Runs an edit of a region. Where the region does not meet the request's conditions, the error says who changed it
    /// and when.
    ///
    /// - Throws: `Problem.changedMeanwhile` instead of `RegionConflict`; the other errors of `body`.
    func tellingWhoChanged<Success>(
        _ id: String, _ body: () async throws -> Success
    ) async throws -> Success {
        do {
            return try await body()
        } catch let conflict as RegionConflict {
            throw Problem.changedMeanwhile(try await words(of: conflict, id))
        }
    }

    private func words(of conflict: RegionConflict, _ id: String) async throws -> String {
        guard let region = conflict.present else {
            let known = conflict.known ?? []
            var entry: AuditEntry?
            if !known.isEmpty {
                entry = try await newestEntry(since: nil) { change in
                    guard case .region(let number, _, removed: true) = change else { return false }
                    return known.contains(number)
                }
            }
            let fault =
                entry.map { "\(subject(of: $0)) removed the region \(id)\(time($0.at)) after you read it." }
                ?? "There is no region \(id)."
            return fault + " Nothing was stored: to make it, send it without If-Match."
        }
        let entry = try await newestEntry(since: region.times.updatedAt) { change in
            guard case .region(region.number, _, removed: false) = change else { return false }
            return true
        }
        let moment = time(entry?.at ?? region.times.updatedAt)
        guard conflict.known != nil else {
            return "There is a region \(id) already: \(subject(of: entry, isFirst: false)) stored it\(moment). "
                + "Nothing was stored: choose another id, or edit that region."
        }
        return "\(subject(of: entry)) changed the region \(id)\(moment) after you read it. "
            + "Nothing was stored: read it again, and repeat your change."
    }

    /// How many pages of a thousand entries of the audit log are searched for who changed a region.
    private static var auditPages: Int { 20 }

    /// Returns the newest audit entry of a change that `isWanted` selects, of those since a moment.
    private func newestEntry(
        since moment: Instant?, where isWanted: @escaping @Sendable (Change) -> Bool
    ) async throws -> AuditEntry? {
        try await coordinator.read { store in
            var cursor: MusterCore.LogSequence?
            for _ in 0..<Self.auditPages {
                let page = try store.audit(before: cursor, limit: 1000)
                if let entry = page.first(where: { isWanted($0.change) }) { return entry }
                guard let last = page.last, moment.map({ last.at >= $0 }) ?? true else { return nil }
                cursor = last.sequence
            }
            return nil
        }
    }

    private func subject(of entry: AuditEntry?, isFirst: Bool = true) -> String {
        entry.map { coordinator.directory.name(of: $0.author) } ?? (isFirst ? "Somebody" : "somebody")
    }

    private func time(_ moment: Instant?) -> String { moment.map { " at \($0.rfc3339)" } ?? "" }
}

import MusterCore
import MusterServer
import MusterStore
import MusterWire

extension NativeRoutes {
    /// Runs an edit. Where the present state does not meet the request's conditions, the error says who changed it, and
    /// when.
    ///
    /// - Throws: `Problem.changedMeanwhile` instead of `EditConflict`; the other errors of `body`.
    func tellingWhoChanged<Item: Tagged, Success>(
        _ kind: Item.Type, _ name: String, _ body: () async throws -> Success
    ) async throws -> Success {
        do {
            return try await body()
        } catch let conflict as EditConflict<Item> {
            throw Problem.changedMeanwhile(try await words(of: conflict, name))
        }
    }

    private func words<Item: Tagged>(of conflict: EditConflict<Item>, _ name: String) async throws -> String {
        let what = "\(Item.word) \(name)"
        guard let present = conflict.present else {
            let known = conflict.known ?? []
            var entry: AuditEntry?
            if !known.isEmpty {
                entry = try await newestEntry(since: nil) { change in
                    Item.edited(by: change).map { $0.isRemoval && known.contains($0.number) } ?? false
                }
            }
            let fault =
                entry.map { "\(subject(of: $0)) removed the \(what)\(time($0.at)) after you read it." }
                ?? "There is no \(what)."
            return fault + " Nothing was stored: to make it, send it without If-Match."
        }
        let number = present.entityTag(in: coordinator.directory).number
        let entry = try await newestEntry(since: present.times.updatedAt) { change in
            Item.edited(by: change).map { !$0.isRemoval && $0.number == number } ?? false
        }
        let moment = time(entry?.at ?? present.times.updatedAt)
        guard conflict.known != nil else {
            return "There is a \(what) already: \(subject(of: entry, isFirst: false)) stored it\(moment). "
                + "Nothing was stored: choose another id, or edit that \(Item.word)."
        }
        return "\(subject(of: entry)) changed the \(what)\(moment) after you read it. "
            + "Nothing was stored: read it again, and repeat your change."
    }

    /// How many pages of a thousand entries of the audit log are searched for who made a change.
    private static var auditPages: Int { 20 }

    /// Returns the newest audit entry of a change that `isWanted` selects, of those since a moment.
    private func newestEntry(
        since moment: Instant?, where isWanted: @escaping @Sendable (Change) -> Bool
    ) async throws -> AuditEntry? {
        try await coordinator.read { store in
            var cursor: MusterCore.LogSequence?
            for _ in 0..<Self.auditPages {
                let page = try store.audit(before: cursor, limit: 1000, withDetails: false)
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

extension Region: Tagged {
    static var word: String { "region" }

    /// Names the region as its editors left it: that a rule makes it a muster region does not change its tag.
    func entityTag(in directory: Directory) -> EntityTag {
        var writer = JSONWriter()
        var scanner: String?
        if case .scanner(let device) = beacon?.source { scanner = String(device.rawValue) }
        writer.feature(self, isMuster: isMuster, scanner: scanner)
        return EntityTag(number.rawValue, writer.bytes)
    }

    static func edited(by change: Change) -> (number: Int32, isRemoval: Bool)? {
        guard case .region(let number, _, let removed) = change else { return nil }
        return (number.rawValue, removed)
    }
}

extension Rule: Tagged {
    static var word: String { "rule" }

    func entityTag(in directory: Directory) -> EntityTag {
        var writer = JSONWriter()
        writer.beginObject()
        writer.content(of: self, in: directory)
        writer.endObject()
        return EntityTag(number.rawValue, writer.bytes)
    }

    static func edited(by change: Change) -> (number: Int32, isRemoval: Bool)? {
        guard case .directory(.rule(let number), let removed) = change else { return nil }
        return (number.rawValue, removed)
    }
}

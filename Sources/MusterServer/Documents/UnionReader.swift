package import MusterCore
import MusterDocuments
package import MusterStore
import MusterWire

/// Reads the documents of a store, and adds positions as documents to the location databases. Each position that no
/// client wrote as a document becomes one, with an id and a revision derived from the position. The store holds it only
/// as a position.
///
/// A stored document that has the id of a position replaces that document, because its owner changed or deleted it. In
/// the union, each document names its owner.
final class UnionReader: DocumentReader {
    let stored: any DocumentReader
    let positions: any PositionReader
    private let directory: Directory

    init(_ stored: any DocumentReader, _ positions: any PositionReader, in directory: Directory) {
        self.stored = stored
        self.positions = positions
        self.directory = directory
    }

    var lastSequence: LogSequence { min(stored.lastSequence, positions.lastSequence) }

    func databases() throws -> [StoredDatabase] { try stored.databases() }

    func count(idPrefix: String, in scope: DatabaseScope) throws -> Int {
        try stored.count(idPrefix: idPrefix, in: scope)
    }

    func counts(ofIDPrefix prefix: String, in database: DatabaseNumber) throws -> DocumentCounts {
        try stored.counts(ofIDPrefix: prefix, in: database)
    }

    // MARK: One document

    func document(_ id: String, in scope: DatabaseScope) throws -> StoredDocument? {
        if let document = try stored.document(id, in: scope) { return ownerMarked(document, in: scope) }
        guard let identity = PositionDocument.identity(of: id), let user = directory.devices[identity.device]?.user,
            scope == .locations || scope == .database(.locations(of: user))
        else { return nil }
        let cursor = HistoryCursor(
            sampleTime: identity.sampleTime, latitude: identity.latitude, longitude: identity.longitude)
        return try positions.position(of: identity.device, at: cursor).flatMap {
            document($0, in: scope, withBody: true)
        }
    }

    func missing(_ wanted: [WantedRevisions], in scope: DatabaseScope) throws -> [MissingRevisions] {
        var answers = try stored.missing(wanted, in: scope)
        for (index, wanted) in wanted.enumerated()
        where !answers[index].missing.isEmpty && PositionDocument.identity(of: wanted.id) != nil {
            answers[index] = MissingRevisions(wanted, in: try document(wanted.id, in: scope)?.tree)
        }
        return answers
    }

    func body(of revision: Revision, of id: String, in scope: DatabaseScope) throws -> DocumentBody? {
        if let body = try stored.body(of: revision, of: id, in: scope) {
            guard scope == .locations, let database = try stored.document(id, in: scope)?.database else { return body }
            return body.addingOwner(named: owner(of: database))
        }
        guard let document = try document(id, in: scope), document.tree.winner?.revision == revision else { return nil }
        return document.body
    }

    /// The document of a position; nil where the device or its owner no longer exists.
    private func document(_ position: SequencedPosition, in scope: DatabaseScope, withBody: Bool) -> StoredDocument? {
        guard let user = directory.devices[position.device].flatMap({ directory.users[$0.user] }) else { return nil }
        return ownerMarked(StoredDocument(position, of: user, withBody: withBody), in: scope)
    }

    /// The document as the scope shows it: in the union with its owner's name.
    private func ownerMarked(_ document: StoredDocument, in scope: DatabaseScope) -> StoredDocument {
        guard scope == .locations, let body = document.body else { return document }
        var document = document
        document.body = body.addingOwner(named: owner(of: document.database))
        return document
    }

    /// The name of the user whose location database this is; nil where the user no longer exists.
    private func owner(of database: DatabaseNumber) -> String? {
        database.user.flatMap { directory.users[$0]?.name }
    }

    // MARK: Many documents

    func counts(in scope: DatabaseScope) throws -> DocumentCounts {
        var counts = try stored.counts(in: scope)
        guard let devices = devices(in: scope) else { return counts }
        let all = try positions.positionCount(of: scope == .locations ? nil : devices)
        counts.living += max(0, all - (try stored.count(idPrefix: PositionDocument.prefix, in: scope)))
        return counts
    }

    func documents(in scope: DatabaseScope, _ range: DocumentRange) throws -> [StoredDocument] {
        let documents = try stored.documents(in: scope, range).map { ownerMarked($0, in: scope) }
        guard let devices = devices(in: scope) else { return documents }
        let others = try positions(of: devices, in: scope, range)
        guard !others.isEmpty else { return documents }
        let merged = (documents + others).sorted { left, right in
            range.isDescending ? left.id.isAfter(right.id) : right.id.isAfter(left.id)
        }
        return Array(merged.prefix(range.limit))
    }

    /// The documents of positions whose ids are in a range, in the order of the range.
    private func positions(
        of devices: [DeviceNumber], in scope: DatabaseScope, _ range: DocumentRange
    ) throws -> [StoredDocument] {
        if let lower = range.lower, !PositionDocument.end.isAfter(lower) { return [] }
        if let upper = range.upper, !upper.isAfter(PositionDocument.prefix) { return [] }
        let isShadowed = try shadows(in: scope)
        var found: [StoredDocument] = []
        for device in range.isDescending ? devices.reversed() : devices {
            let ids = PositionDocument.ids(of: device)
            if let lower = range.lower, lower.isAfter(ids.end) { continue }
            if let upper = range.upper, ids.start.isAfter(upper) { continue }
            var cursor = Self.start(of: range, in: device)
            while found.count < range.limit {
                let page = try positions.positions(
                    of: device, after: cursor, isDescending: range.isDescending,
                    limit: max(Self.leastPage, range.limit - found.count))
                guard let last = page.last else { break }
                cursor = HistoryCursor(last.position)
                let documents = page.compactMap { document($0, in: scope, withBody: range.withBodies) }
                found += try documents.filter { try range.holds($0.id) && !isShadowed($0.id) }
                if let end = documents.last?.id, range.isBehind(end) { break }
            }
            if found.count >= range.limit { break }
        }
        return found
    }

    /// The cursor in a device's history to start reading a range at: no id of the range lies before it, in the order of
    /// the range. nil for the beginning of the history.
    private static func start(of range: DocumentRange, in device: DeviceNumber) -> HistoryCursor? {
        guard let edge = range.isDescending ? range.upper : range.lower else { return nil }
        let times = PositionDocument.times(around: edge, of: device)
        // One millisecond early, because several positions may share a millisecond.
        return (range.isDescending ? times?.latestBefore : times?.earliestBehind).map { time in
            HistoryCursor(
                sampleTime: Instant(milliseconds: time.milliseconds + (range.isDescending ? 1 : -1)), latitude: 0,
                longitude: 0)
        }
    }

    func changes(
        in scope: DatabaseScope, since: LogSequence, isDescending: Bool, withBodies: Bool, limit: Int
    ) throws -> [StoredDocument] {
        let newest = lastSequence
        let page = try stored.changes(
            in: scope, since: since, isDescending: isDescending, withBodies: withBodies, limit: limit)
        let documents = page.filter { $0.sequence <= newest }.map { ownerMarked($0, in: scope) }
        guard let devices = devices(in: scope) else { return documents }
        // Positions after the last document of a full page are not on this page.
        let last = page.count == limit ? page.last?.sequence : nil
        let others = try positions(
            of: devices, in: scope, since: since, through: last, isDescending: isDescending, withBodies: withBodies,
            limit: limit)
        guard !others.isEmpty else { return documents }
        let merged = (documents + others).sorted {
            isDescending ? $0.sequence > $1.sequence : $0.sequence < $1.sequence
        }
        return Array(merged.prefix(limit))
    }

    /// The documents of positions that no stored document replaces, in the order of their changes. Returns at least
    /// `limit` of them where there are so many, because a caller takes a shorter page for the last one.
    private func positions(
        of devices: [DeviceNumber], in scope: DatabaseScope, since: LogSequence, through last: LogSequence?,
        isDescending: Bool, withBodies: Bool, limit: Int
    ) throws -> [StoredDocument] {
        let asked = max(limit, Self.leastPage)
        var found: [StoredDocument] = []
        var since = since
        var isShadowed: ((String) throws -> Bool)?
        while found.count < limit {
            let page =
                try scope == .locations
                ? positions.positionsOfAll(since: since, through: last, isDescending: isDescending, limit: asked)
                : positions.positions(
                    of: devices, since: since, through: last, isDescending: isDescending, limit: asked)
            guard let end = page.last?.sequence else { break }
            let stands = try isShadowed ?? shadows(in: scope)
            isShadowed = stands
            found += try page.compactMap { document($0, in: scope, withBody: withBodies) }.filter { try !stands($0.id) }
            if page.count < asked { break }
            since = isDescending ? LogSequence(end.rawValue - 1) : end
        }
        return found
    }

    /// The smallest number of positions to read at once, because a filter may drop most of them.
    private static let leastPage = 100

    func pendingChanges(in scope: DatabaseScope, since: LogSequence) throws -> Int {
        let documents = try stored.pendingChanges(in: scope, since: since)
        guard let devices = devices(in: scope) else { return documents }
        guard scope == .locations else { return try documents + positions.positionCount(of: devices, since: since) }
        // An exact count would read the whole log. Where the next `pendingLook` changes reach the end of the log and
        // hold no position, none is pending. Otherwise this is an upper bound.
        let last = positions.lastSequence
        guard since < last else { return documents }
        let end = LogSequence(min(last.rawValue, since.rawValue + Self.pendingLook))
        let near = try positions.positionsOfAll(since: since, through: end, isDescending: false, limit: 1)
        if near.isEmpty, end == last { return documents }
        return try documents + min(positions.positionCount(of: nil), Int(clamping: last.rawValue - since.rawValue))
    }

    /// The number of changes in which to look for a position.
    private static let pendingLook: Int64 = 10_000

    // MARK: Local documents and attachments

    func local(_ id: String, in database: DatabaseNumber) throws -> LocalDocument? {
        try stored.local(id, in: database)
    }

    func locals(in database: DatabaseNumber, _ range: DocumentRange) throws -> [LocalDocument] {
        try stored.locals(in: database, range)
    }

    func bytes(of key: [UInt8], from offset: Int64, limit: Int) throws -> [UInt8]? {
        try stored.bytes(of: key, from: offset, limit: limit)
    }

    // MARK: Parts

    /// The devices whose positions are documents of a scope, in number order; nil where none are.
    func devices(in scope: DatabaseScope) -> [DeviceNumber]? {
        switch scope {
        case .locations: directory.devices.all.map(\.number)
        case .database(let number): number.user.map { directory.devices(of: $0).sorted() }
        }
    }

    /// Returns a function that tells whether a stored document replaces the position with this id.
    func shadows(in scope: DatabaseScope) throws -> (String) throws -> Bool {
        guard try stored.count(idPrefix: PositionDocument.prefix, in: scope) > 0 else { return { _ in false } }
        return { [stored] id in try stored.document(id, in: scope) != nil }
    }
}

extension StoredDocument {
    package init(_ sequenced: SequencedPosition, of user: User, withBody: Bool) {
        let body = DocumentBody(json: PositionDocument.body(sequenced.position, user: user.name))
        let id = PositionDocument.id(.init(of: sequenced.position, device: sequenced.device))
        let edit = DocumentEdit(id: id, body: body, isDeleted: false, place: .on(nil))
        var tree = RevisionTree()
        tree.merge([RevisionDigest.revision(of: edit, on: nil)], isDeleted: false)
        self.init(
            id: id, database: .locations(of: user.number), sequence: sequenced.sequence, tree: tree,
            body: withBody ? body : nil)
    }
}

extension DocumentRange {
    package func holds(_ id: String) -> Bool {
        if let lower, lower.isAfter(id) || (id == lower && !includesLower) { return false }
        if let upper, id.isAfter(upper) || (id == upper && !includesUpper) { return false }
        return true
    }

    /// Whether the range ends before this id, in its order.
    fileprivate func isBehind(_ id: String) -> Bool {
        isDescending ? lower.map { $0.isAfter(id) } ?? false : upper.map { id.isAfter($0) } ?? false
    }
}

extension String {
    /// Whether this comes after another by bytes, as ids are ordered.
    fileprivate func isAfter(_ other: String) -> Bool { other.utf8.lexicographicallyPrecedes(utf8) }
}

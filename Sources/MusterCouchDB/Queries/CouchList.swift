import MusterCore
import MusterDocuments
import MusterWire

// How `_all_docs` and its like write their rows, page by page.

/// The kind of rows in a list.
protocol ListedRows: Sendable {
    associatedtype Row

    /// Restricts a listing to rows of this kind, and translates its range to their ids.
    func narrow(_ listing: inout CouchListing)
    /// Returns the number of all rows; nil if there is no count.
    func count(_ reader: any DocumentReader) throws -> Int?
    /// Returns the sequence of the newest change of the rows; nil if they have none.
    func newest(_ reader: any DocumentReader) throws -> MusterCore.LogSequence?
    /// Returns the rows of a range, in its order.
    func rows(in range: DocumentRange, _ reader: any DocumentReader) throws -> [Row]
    func row(_ id: String, _ reader: any DocumentReader) throws -> Row?
    /// The id that a row has in ranges.
    func id(of row: Row) -> String
    func write(
        _ row: Row, as listing: CouchListing, to writer: inout JSONWriter, _ reader: any DocumentReader) throws
}

/// The response to `_all_docs`, `_design_docs` or `_local_docs`, or to one of several queries.
struct CouchList<Rows: ListedRows>: PagedAnswer {
    private var listing: CouchListing
    private let rows: Rows
    private var size = PageSize()
    private var position = 0
    private var isBegun = false
    private var writer = JSONWriter()
    private(set) var isComplete = false

    init(_ listing: CouchListing, of rows: Rows) {
        self.listing = listing
        self.rows = rows
        rows.narrow(&self.listing)
    }

    mutating func next(_ reader: any DocumentReader) throws -> [UInt8] {
        if !isBegun {
            isBegun = true
            try begin(reader)
        }
        let count: Int
        if let keys = listing.keys {
            count = try writeKeys(keys, reader)
        } else if listing.isEmpty || listing.limit == 0 {
            count = 0
            isComplete = true
        } else {
            count = try writeRange(reader)
        }
        if isComplete {
            writer.endArray()
            writer.endObject()
        }
        let bytes = writer.takeBytes()
        size.adjust(count, bytes: bytes.count)
        return bytes
    }

    private mutating func begin(_ reader: any DocumentReader) throws {
        let count = try rows.count(reader)
        writer.beginObject()
        writer.key("total_rows")
        if let count { writer.value(count) } else { writer.null() }
        writer.key("offset")
        // The number of rows before a key is unknown.
        let isFromStart = listing.range.isDescending ? listing.range.upper == nil : listing.range.lower == nil
        if count != nil, isFromStart, listing.keys == nil { writer.value(listing.skip) } else { writer.null() }
        if listing.tellsSequence, let newest = try rows.newest(reader) {
            writer.member("update_seq", "\(newest.rawValue)")
        }
        writer.key("rows")
        writer.beginArray()
        listing.keys = listing.keys.map { keys in
            Array((listing.range.isDescending ? keys.reversed() : keys).dropFirst(listing.skip).prefix(listing.limit))
        }
    }

    private mutating func writeRange(_ reader: any DocumentReader) throws -> Int {
        // Rows that are skipped are read without their bodies.
        let isSkipping = listing.skip > 0
        listing.range.withBodies = listing.includesDocuments && !isSkipping
        listing.range.limit =
            isSkipping ? min(listing.skip, 10 * CouchLimits.pageDocuments) : min(size.count, listing.limit)
        let page = try rows.rows(in: listing.range, reader)
        if let last = page.last { listing.range.advance(past: rows.id(of: last)) }
        isComplete = page.count < listing.range.limit
        if isSkipping {
            listing.skip -= page.count
            return 0
        }
        for row in page { try rows.write(row, as: listing, to: &writer, reader) }
        listing.limit -= page.count
        if listing.limit == 0 { isComplete = true }
        return page.count
    }

    private mutating func writeKeys(_ keys: [String], _ reader: any DocumentReader) throws -> Int {
        let page = keys[position..<min(position + size.count, keys.count)]
        for key in page {
            if let row = try rows.row(key, reader) {
                try rows.write(row, as: listing, to: &writer, reader)
            } else {
                writer.beginObject()
                writer.member("key", key)
                writer.member("error", "not_found")
                writer.endObject()
            }
        }
        position += page.count
        isComplete = position == keys.count
        return page.count
    }
}

/// The documents of a database or the union, as `_all_docs` and `_design_docs` list them.
struct DocumentRows: ListedRows {
    let scope: DatabaseScope
    /// Whether only design documents are listed and counted.
    let isOfDesigns: Bool
    /// The partition to list and count; nil for the whole database.
    var partition: String?

    func narrow(_ listing: inout CouchListing) {
        if isOfDesigns { listing.keepDesigns() }
        if let partition {
            listing.range.narrow(to: partition)
            listing.keys?.removeAll { !$0.hasPrefix(partition + ":") }
        }
    }

    func count(_ reader: any DocumentReader) throws -> Int? {
        if let partition, case .database(let database) = scope {
            return try reader.counts(ofIDPrefix: partition + ":", in: database).living
        }
        guard isOfDesigns else { return try reader.counts(in: scope).living }
        // There are few design documents, so they are counted one by one.
        var all = CouchListing()
        narrow(&all)
        all.range.limit = CouchLimits.pageDocuments
        var count = 0
        while true {
            let page = try rows(in: all.range, reader)
            guard let last = page.last else { return count }
            count += page.count
            all.range.advance(past: last.id)
        }
    }

    func newest(_ reader: any DocumentReader) throws -> MusterCore.LogSequence? { try reader.newest(in: scope) }

    func rows(in range: DocumentRange, _ reader: any DocumentReader) throws -> [StoredDocument] {
        try reader.documents(in: scope, range)
    }

    func row(_ id: String, _ reader: any DocumentReader) throws -> StoredDocument? {
        try reader.document(id, in: scope)
    }

    func id(of row: StoredDocument) -> String { row.id }

    func write(
        _ document: StoredDocument, as listing: CouchListing, to writer: inout JSONWriter, _ reader: any DocumentReader
    ) throws {
        guard let winner = document.tree.winner else { return }
        writer.beginObject()
        writer.member("id", document.id)
        writer.member("key", document.id)
        writer.key("value")
        writer.beginObject()
        writer.key("rev")
        writer.value(winner.revision)
        if winner.isDeleted { writer.member("deleted", true) }
        writer.endObject()
        if listing.includesDocuments {
            writer.key("doc")
            if winner.isDeleted {
                writer.null()
            } else {
                try writer.winner(of: document, listing.view, in: scope, reader)
            }
        }
        writer.endObject()
    }
}

extension JSONWriter {
    /// Writes the winner of a document; null if the store no longer has its content.
    mutating func winner(
        of document: StoredDocument, _ view: DocumentReadOptions, in scope: DatabaseScope, _ reader: any DocumentReader
    ) throws {
        guard let node = document.tree.winner,
            let body = try document.body ?? reader.body(of: node.revision, of: document.id, in: scope)
        else { return null() }
        let found = FoundRevision(document: document, node: node, body: body, scope: scope)
        if view.attachments, !body.attachments.isEmpty {
            raw(try found.text(view, reader))
        } else {
            try self.document(found.rendering(view) { _ in true })
        }
    }
}

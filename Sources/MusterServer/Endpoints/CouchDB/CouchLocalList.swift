import MusterCore
import MusterDocuments
import MusterWire

/// The answer to `_local_docs`, or to one query of several.
struct CouchLocalList: PagedAnswer {
    private let database: DatabaseNumber?
    private var listing: CouchListing
    private var isBegun = false
    private var writer = JSONWriter()
    private var size = PageSize()
    private var position = 0
    private(set) var isComplete = false

    /// - Parameters:
    ///   - listing: its ids are whole ones, with `_local/`.
    ///   - locals: where they are kept. Those of whoever may only read are not listed.
    init(_ listing: CouchListing, in locals: LocalPlace?) {
        self.listing = listing
        database = locals?.isReader == false ? locals?.database : nil
        self.listing.keepLocals()
    }

    mutating func next(_ reader: any DocumentReader) throws -> [UInt8] {
        if !isBegun {
            isBegun = true
            try begin(reader)
        }
        var count = 0
        if let keys = listing.keys {
            count = try byKeys(keys, reader)
        } else if let database, !listing.isEmpty, listing.limit > 0 {
            count = try byRange(reader, in: database)
        } else {
            isComplete = true
        }
        if isComplete {
            writer.endArray()
            writer.endObject()
        }
        let bytes = writer.takeBytes()
        size.note(count, bytes: bytes.count)
        return bytes
    }

    private mutating func begin(_ reader: any DocumentReader) throws {
        writer.beginObject()
        // Nobody counts these, in CouchDB neither.
        writer.key("total_rows")
        writer.null()
        writer.key("offset")
        writer.null()
        if listing.tellsSequence, let database {
            writer.member("update_seq", try reader.newest(in: .database(database)).rawValue)
        }
        writer.key("rows")
        writer.beginArray()
        listing.keys = listing.keys.map { keys in
            Array((listing.range.isDescending ? keys.reversed() : keys).dropFirst(listing.skip).prefix(listing.limit))
        }
    }

    private mutating func byRange(_ reader: any DocumentReader, in database: DatabaseNumber) throws -> Int {
        let isSkipping = listing.skip > 0
        listing.range.withBodies = listing.includesDocuments && !isSkipping
        listing.range.limit =
            isSkipping ? min(listing.skip, 10 * CouchLimits.pageDocuments) : min(size.count, listing.limit)
        let locals = try reader.locals(in: database, listing.range)
        if let last = locals.last { listing.range.advance(past: last.id) }
        isComplete = locals.count < listing.range.limit
        if isSkipping {
            listing.skip -= locals.count
            return 0
        }
        for local in locals { row(local) }
        listing.limit -= locals.count
        if listing.limit == 0 { isComplete = true }
        return locals.count
    }

    private mutating func byKeys(_ keys: [String], _ reader: any DocumentReader) throws -> Int {
        let page = keys[position..<min(position + size.count, keys.count)]
        for key in page {
            let name = key.hasPrefix(DocumentID.localPrefix) ? key.dropFirst(DocumentID.localPrefix.count) : ""
            if let database, let local = try reader.local(String(name), in: database) {
                row(local)
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

    private mutating func row(_ local: LocalDocument) {
        let id = DocumentID.localPrefix + local.id
        writer.beginObject()
        writer.member("id", id)
        writer.member("key", id)
        writer.key("value")
        writer.beginObject()
        writer.member("rev", "0-\(local.revision)")
        writer.endObject()
        if listing.includesDocuments {
            writer.key("doc")
            writer.local(local, local.id)
        }
        writer.endObject()
    }
}

extension CouchListing {
    /// Leaves only documents that are never replicated, and takes `_local/` from the range.
    fileprivate mutating func keepLocals() {
        let prefix = Array(DocumentID.localPrefix.utf8)
        func rest(_ id: String) -> String { String(decoding: id.utf8.dropFirst(prefix.count), as: UTF8.self) }
        if let lower = range.lower {
            if lower.utf8.starts(with: prefix) {
                range.lower = rest(lower)
            } else {
                isEmpty = isEmpty || prefix.lexicographicallyPrecedes(lower.utf8)
                range.lower = nil
                range.includesLower = true
            }
        }
        if let upper = range.upper {
            if upper.utf8.starts(with: prefix) {
                range.upper = rest(upper)
            } else {
                isEmpty = isEmpty || upper.utf8.lexicographicallyPrecedes(prefix)
                range.upper = nil
                range.includesUpper = true
            }
        }
    }
}

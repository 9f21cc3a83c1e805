import MusterCoding
package import MusterCore
package import MusterWire

// Runs a Mango query: reads by the plan's index, and returns the documents that match.

/// A document in the result of a query.
package struct FoundDocument: Sendable {
    /// The stored document, which is returned as it was written. Nil if an index entry had all the requested fields.
    package var stored: StoredDocument?
    /// The requested fields; nil if the query asks for whole documents.
    package var fields: JSONValue?
    /// The other leaves, if the query asks for conflicts.
    package var conflicts: [Revision] = []
}

/// The result of a query.
package struct QueryAnswer: Sendable {
    /// The documents, in the requested order.
    package var documents: [FoundDocument] = []
    /// Where the next page begins; nil after the last page.
    package var bookmark: QueryBookmark?
    /// The place of the last document; nil if there are no documents. A query that continues here also returns
    /// documents that were added behind it later.
    package var end: QueryBookmark?
    /// A warning for the client; nil for none.
    package var warning: String?
    /// The number of index entries that the query read.
    package var keysExamined = 0
    /// The number of documents that the query compared with the selector.
    package var documentsExamined = 0
}

/// Runs one query: reads by the plan, tests each document with the whole selector, and stops when the page is full.
package struct QueryRun {
    private let request: FindRequest
    private let plan: QueryPlan
    private let scope: DatabaseScope
    private let reader: any DocumentReader
    private var answer = QueryAnswer()
    private var toSkip: Int

    /// The largest number of documents that one request examines. Then it returns the documents found so far, and a
    /// bookmark.
    package static let examinedLimit = 200_000
    /// The largest number of documents that are sorted in memory if no index provides the order.
    package static let sortLimit = 10_000
    private static let pageSize = 256

    /// Runs a query.
    ///
    /// - Throws: `MangoError` for a bookmark of another query, and for a sort in memory of too many documents; what
    ///   `BoundedWork.bound` and the reader throw.
    package static func run(
        _ request: FindRequest, by plan: QueryPlan, in scope: DatabaseScope, _ reader: any DocumentReader
    ) throws -> QueryAnswer {
        var run = QueryRun(request, plan, scope, reader)
        let start = try request.bookmark.map { try QueryBookmark($0, of: plan) }
        run.answer.warning = plan.warning
        if request.selector.findsNothing {
            run.answer.warning = nil
        } else if request.limit == 0 {
            run.answer.bookmark = start
        } else if plan.sortsAfterwards {
            try run.sortAll(after: start)
        } else if let index = plan.index {
            try run.read(index, after: start)
        } else {
            try run.readByID(after: start)
        }
        return run.answer
    }

    private init(
        _ request: FindRequest, _ plan: QueryPlan, _ scope: DatabaseScope, _ reader: any DocumentReader
    ) {
        self.request = request
        self.plan = plan
        self.scope = scope
        self.reader = reader
        // A bookmark points past the skipped documents.
        toSkip = request.bookmark == nil ? request.skip : 0
    }

    private mutating func read(_ index: StoredIndex, after start: QueryBookmark?) throws {
        var last = start.map { IndexEntry(key: CollationKey(stored: $0.key), id: $0.id) }
        while true {
            let page = try reader.entries(
                of: index, in: plan.range, after: last, isDescending: plan.isDescending, limit: Self.pageSize)
            for entry in page {
                answer.keysExamined += 1
                last = entry
                if plan.isCovering, let part = Self.document(of: entry, in: index) {
                    if try examine(part, at: entry) { return }
                    continue
                }
                guard let document = try reader.document(entry.id, in: scope) else { continue }
                if try examine(document, at: entry.key.bytes) { return }
            }
            if page.count < Self.pageSize { return }
        }
    }

    private mutating func readByID(after start: QueryBookmark?) throws {
        var range = plan.ids
        range.limit = Self.pageSize
        if let start { range.advance(past: start.id) }
        while true {
            let page = try reader.documents(in: scope, range)
            for document in page {
                if try examine(document, at: []) { return }
            }
            guard page.count == Self.pageSize, let last = page.last else { return }
            range.advance(past: last.id)
        }
    }

    /// Sorts all matches in memory, for databases without indexes.
    private mutating func sortAll(after start: QueryBookmark?) throws {
        guard let sort = request.sort else { return }
        let rule = IndexRule(IndexDefinition(design: "", name: "", fields: sort.fields))
        var found: [(entry: IndexEntry, document: FoundDocument)] = []
        var range = plan.ids
        range.limit = Self.pageSize
        while true {
            let page = try reader.documents(in: scope, range)
            for stored in page {
                guard let value = try matchingDocument(stored), let key = rule.key(of: value) else { continue }
                found.append((IndexEntry(key: key, id: stored.id), foundDocument(stored, value)))
                guard found.count <= Self.sortLimit, answer.documentsExamined < Self.examinedLimit else {
                    throw MangoError(
                        "no_usable_index",
                        "There is no index for this sort, and more than \(Self.sortLimit) documents to be sorted.")
                }
            }
            guard page.count == Self.pageSize, let last = page.last else { break }
            range.advance(past: last.id)
        }
        found.sort { left, right in
            plan.isDescending ? right.entry.isBefore(left.entry) : left.entry.isBefore(right.entry)
        }
        if let start {
            let mark = IndexEntry(key: CollationKey(stored: start.key), id: start.id)
            found.removeAll { plan.isDescending ? !$0.entry.isBefore(mark) : !mark.isBefore($0.entry) }
        }
        let page = found.dropFirst(toSkip).prefix(request.limit)
        answer.documents = page.map(\.document)
        guard let last = page.last?.entry else { return }
        answer.end = QueryBookmark(plan, key: last.key.bytes, id: last.id)
        if page.endIndex < found.endIndex { answer.bookmark = answer.end }
    }

    /// Builds the part of a document that an index entry holds; nil if the entry does not contain the values.
    private static func document(of entry: IndexEntry, in index: StoredIndex) -> JSONValue? {
        guard let values = entry.key.values?.dropFirst(index.definition.isPartitioned ? 1 : 0),
            values.count == index.definition.fields.count
        else { return nil }
        var document = JSONValue.object([.init("_id", .string(entry.id))])
        for (field, value) in zip(index.definition.fields, values) { document.put(value, at: field.keys[...]) }
        return document
    }

    /// Tests the part of a document that an entry holds, and adds it if it matches.
    ///
    /// - Returns: whether the page is full.
    private mutating func examine(_ part: JSONValue, at entry: IndexEntry) throws -> Bool {
        let isWanted = request.selector.matches(part)
        try BoundedWork.bound?.check()
        let found = isWanted ? FoundDocument(fields: request.projection.of(part)) : nil
        return add(found, at: QueryBookmark(plan, key: entry.key.bytes, id: entry.id))
    }

    /// Tests a document, and adds it if it matches.
    ///
    /// - Returns: whether the page is full.
    private mutating func examine(_ stored: StoredDocument, at key: [UInt8]) throws -> Bool {
        let found = try matchingDocument(stored).map { foundDocument(stored, $0) }
        return add(found, at: QueryBookmark(plan, key: key, id: stored.id))
    }

    /// Adds a match to the page, and moves the bookmark past its place. Nil is a document that does not match.
    ///
    /// - Returns: whether the page is full.
    private mutating func add(_ found: FoundDocument?, at place: QueryBookmark) -> Bool {
        if let found {
            if toSkip > 0 {
                toSkip -= 1
            } else {
                answer.documents.append(found)
                answer.end = place
            }
        }
        guard
            answer.documents.count >= request.limit
                || max(answer.documentsExamined, answer.keysExamined) >= Self.examinedLimit
        else { return false }
        answer.bookmark = place
        return true
    }

    /// Returns the document as JSON if the selector matches it; nil for a deleted document or a design document.
    ///
    /// - Throws: what `BoundedWork.bound` throws once the query has used up its bound.
    private mutating func matchingDocument(_ stored: StoredDocument) throws -> JSONValue? {
        guard let body = stored.body, let winner = stored.tree.winner, !winner.isDeleted,
            !stored.id.utf8.starts(with: "_design/".utf8)
        else { return nil }
        answer.documentsExamined += 1
        let document = JSONValue(
            documentWithID: stored.id, revision: winner.revision.text, body: body, conflicts: stored.tree.conflicts)
        let isWanted = request.selector.matches(document)
        try BoundedWork.bound?.check()
        return isWanted ? document : nil
    }

    /// Makes the result of a matching document.
    private func foundDocument(_ stored: StoredDocument, _ value: JSONValue) -> FoundDocument {
        var found = FoundDocument(stored: stored)
        if request.wantsConflicts { found.conflicts = stored.tree.conflicts }
        guard request.projection != .whole else { return found }
        found.fields = request.projection.of(value)
        return found
    }
}

/// The place where a page ended. It stays valid for the same query when documents are added or removed.
package struct QueryBookmark: Hashable, Sendable {
    /// The number of the index; 0 for ids, −1 for a sort in memory.
    private let index: Int64
    /// The key of the last document; empty for ids.
    let key: [UInt8]
    /// The id of the last document.
    let id: String

    init(_ plan: QueryPlan, key: [UInt8], id: String) {
        index = Self.index(of: plan)
        self.key = key
        self.id = id
    }

    /// Parses a bookmark.
    ///
    /// - Throws: `MangoError` if the text is no bookmark, or one of another index.
    init(_ text: String, of plan: QueryPlan) throws(MangoError) {
        let fault = MangoError("invalid_bookmark", "Invalid bookmark value: \"\(text.prefix(200))\"")
        guard text.utf8.count <= 8_192, let bytes = Base64.decode(text),
            let value = try? JSONValue(parsing: bytes), let parts = value.elements, parts.count == 3,
            let index = parts[0].integer, let key = parts[1].string.flatMap(Base64.decode), let id = parts[2].string,
            index == Self.index(of: plan)
        else { throw fault }
        self.index = index
        self.key = key
        self.id = id
    }

    /// The bookmark as a token for clients, in base 64.
    package var text: String {
        Base64.encode(
            JSONValue.array([.integer(index), .string(Base64.encode(key)), .string(id)]).bytes)
    }

    private static func index(of plan: QueryPlan) -> Int64 {
        plan.sortsAfterwards ? -1 : plan.index?.number ?? 0
    }
}

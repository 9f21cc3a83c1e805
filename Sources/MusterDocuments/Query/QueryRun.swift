import MusterCoding
package import MusterCore
package import MusterWire

/// A document that a query found.
package struct FoundDocument: Sendable {
    /// The document as it is stored: a whole one is told as it was written. Nil where an entry of an index told all
    /// that was asked for.
    package var stored: StoredDocument?
    /// The fields that were asked for; nil where all were.
    package var fields: JSONValue?
    /// Its other leaves, where they were asked for.
    package var conflicts: [Revision] = []
}

/// What a query found.
package struct QueryAnswer: Sendable {
    /// The documents, in the order that was asked for.
    package var documents: [FoundDocument] = []
    /// Where to go on; nil when there are no more.
    package var bookmark: QueryBookmark?
    /// Where the last of the documents is; nil where there are none. Whoever goes on there sees what came since.
    package var end: QueryBookmark?
    /// What whoever asks should know.
    package var warning: String?
    /// How many entries of an index were read.
    package var keysExamined = 0
    /// How many documents were looked at.
    package var documentsExamined = 0
}

/// One look for documents: follows the plan, looks at each document with the whole selector, and stops when the page
/// is full.
package struct QueryRun {
    private let request: FindRequest
    private let plan: QueryPlan
    private let scope: DatabaseScope
    private let reader: any DocumentReader
    private var answer = QueryAnswer()
    private var toSkip: Int

    /// How many documents one request looks at; then it answers what there is so far, and a bookmark.
    package static let examinedLimit = 200_000
    /// How many documents are sorted where no index has the order.
    package static let sortLimit = 10_000
    private static let pageSize = 256

    /// Answers a query.
    ///
    /// - Throws: `MangoError`, also for a bookmark of another query; what `BoundedWork.bound` and the reader throw.
    package static func answer(
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
        // A bookmark stands behind what was skipped.
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
                    if try take(part, at: entry) { return }
                    continue
                }
                guard let document = try reader.document(entry.id, in: scope) else { continue }
                if try take(document, at: entry.key.bytes) { return }
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
                if try take(document, at: []) { return }
            }
            guard page.count == Self.pageSize, let last = page.last else { return }
            range.advance(past: last.id)
        }
    }

    /// Sorts whatever matches: for databases that have no indexes.
    private mutating func sortAll(after start: QueryBookmark?) throws {
        guard let sort = request.sort else { return }
        let rule = IndexRule(IndexDefinition(design: "", name: "", fields: sort.fields))
        var found: [(entry: IndexEntry, document: FoundDocument)] = []
        var range = plan.ids
        range.limit = Self.pageSize
        while true {
            let page = try reader.documents(in: scope, range)
            for stored in page {
                guard let value = try look(at: stored), let key = rule.key(of: value) else { continue }
                found.append((IndexEntry(key: key, id: stored.id), told(stored, value)))
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

    /// The part of a document that an entry of an index holds; nil where the entry does not tell its values.
    private static func document(of entry: IndexEntry, in index: StoredIndex) -> JSONValue? {
        guard let values = entry.key.values?.dropFirst(index.definition.isPartitioned ? 1 : 0),
            values.count == index.definition.fields.count
        else { return nil }
        var document = JSONValue.object([.init("_id", .string(entry.id))])
        for (field, value) in zip(index.definition.fields, values) { document.put(value, at: field.keys[...]) }
        return document
    }

    /// Looks at the part of a document that an entry holds, and takes it when it is wanted.
    ///
    /// - Returns: whether the page ends here.
    private mutating func take(_ part: JSONValue, at entry: IndexEntry) throws -> Bool {
        let isWanted = request.selector.matches(part)
        try BoundedWork.bound?.check()
        let found = isWanted ? FoundDocument(fields: request.projection.of(part)) : nil
        return add(found, at: QueryBookmark(plan, key: entry.key.bytes, id: entry.id))
    }

    /// Looks at a document and takes it when it is wanted.
    ///
    /// - Returns: whether the page ends here.
    private mutating func take(_ stored: StoredDocument, at key: [UInt8]) throws -> Bool {
        let found = try look(at: stored).map { told(stored, $0) }
        return add(found, at: QueryBookmark(plan, key: key, id: stored.id))
    }

    /// Adds what was found at a place, if anything was.
    ///
    /// - Returns: whether the page ends here.
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

    /// The document, when the selector is fulfilled.
    ///
    /// - Throws: what `BoundedWork.bound` throws, when the query has taken as much as it may.
    private mutating func look(at stored: StoredDocument) throws -> JSONValue? {
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

    /// What is to be told of a document that is wanted.
    private func told(_ stored: StoredDocument, _ value: JSONValue) -> FoundDocument {
        var found = FoundDocument(stored: stored)
        if request.wantsConflicts { found.conflicts = stored.tree.conflicts }
        guard request.projection != .whole else { return found }
        found.fields = request.projection.of(value)
        return found
    }
}

/// Where a page ended: good for the same query whatever came and went since.
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

    /// Reads a bookmark.
    ///
    /// - Throws: `MangoError` when it is none, or one of another index.
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

    /// The bookmark as clients carry it.
    package var text: String {
        Base64.encode(
            JSONValue.array([.integer(index), .string(Base64.encode(key)), .string(id)]).bytes)
    }

    private static func index(of plan: QueryPlan) -> Int64 {
        plan.sortsAfterwards ? -1 : plan.index?.number ?? 0
    }
}

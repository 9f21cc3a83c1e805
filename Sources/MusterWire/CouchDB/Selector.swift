import MusterCoding
package import MusterCore

/// Which documents someone wants, as mango has it (`{"year": {"$gt": 2000}, "$or": […]}`): read once, then asked often.
///
/// An absent field matches nothing but `{"$exists": false}`; also not `$ne`, `$nin` and what stands under `$not`, as in
/// CouchDB. What is said of elements and keys (`$elemMatch` and its like) knows of no such rule: there `$not` is the
/// opposite.
package struct Selector: Hashable, Sendable {
    /// What a document must fulfil.
    package let test: Test

    /// How many conditions a selector may have.
    package static let testLimit = 1_000

    /// What a value must fulfil.
    package indirect enum Test: Hashable, Sendable {
        /// Every one of some tests; with none, everything does.
        case all([Test])
        /// At least one of some tests; with none, everything does, as CouchDB has it.
        case any([Test])
        /// The opposite.
        case not(Test)
        /// What stands at a place inside; where an object lacks it, only `.exists(false)` is fulfilled, and nothing
        /// where there is no such object.
        case field(FieldPath, Test)
        /// How it stands to another value.
        case compares(Comparison, JSONValue)
        /// Whether it is there at all.
        case exists(Bool)
        /// What kind of value it is; nil for a kind that there is not.
        case kind(JSONKind?)
        /// It is one of these and no array, or an array that has one of these.
        case isAmong([JSONValue])
        /// It is an array that has all of these.
        case hasAll([JSONValue])
        /// It is an array of so many.
        case count(Int64)
        /// It is a whole number with this remainder.
        case remainder(divisor: Int64, remainder: Int64)
        /// It is a text in which this is found.
        case finds(PatternExpression)
        /// It is a text that begins like this.
        case begins(String)
        /// It is an array with such an element.
        case someElement(Test)
        /// It is an array that has elements, all of them such.
        case everyElement(Test)
        /// It is an object with such a key.
        case someKey(Test)
    }

    /// How one value may stand to another, in the order of `Collation`.
    package enum Comparison: Hashable, Sendable {
        case less, atMost, equal, notEqual, atLeast, greater
    }

    /// Reads a selector.
    package init(_ value: JSONValue) throws(SelectorError) {
        guard let members = value.members else { throw .noObject }
        // Of all selectors without a condition this one alone finds everything.
        guard !members.isEmpty else {
            test = .exists(true)
            return
        }
        var reading = SelectorReading()
        test = try reading.test(value, at: .document)
        switch test {
        case .all, .any, .field: break
        default: throw .missingField
        }
    }

    /// Whether it combines nothing, as `{"$and": []}` does: `_find` then finds nothing, while a filter of `_changes` or
    /// of an index lets everything through. So CouchDB has it.
    package var findsNothing: Bool { test == .all([]) || test == .any([]) }

    /// Whether no document can match: the selector combines nothing, or asks for one value out of none.
    package var matchesNothing: Bool {
        if findsNothing { return true }
        guard case .all(let tests) = test else { return false }
        return tests.contains { test in
            if case .field(_, .isAmong([])) = test { true } else { false }
        }
    }

    /// Reads a selector.
    ///
    /// - Throws: `JSONError` when it is no JSON, `SelectorError` when it is no selector.
    package init(parsing bytes: [UInt8]) throws {
        try self.init(JSONValue(parsing: bytes))
    }

    /// Whether a document fulfils it. Counts against `BoundedWork.bound`.
    package func matches(_ document: JSONValue) -> Bool {
        test.isFulfilled(by: document, within: BoundedWork.bound)
    }

    /// Whether a document fulfils it that is given as it is stored.
    ///
    /// - Parameters:
    ///   - id: what it finds as `_id`.
    ///   - revision: what it finds as `_rev`.
    ///   - isDeleted: whether it finds `_deleted`.
    ///   - body: what it says, of which nothing is found that cannot be read.
    package func matches(id: String, revision: String, isDeleted: Bool = false, body: DocumentBody) -> Bool {
        matches(JSONValue(documentWithID: id, revision: revision, isDeleted: isDeleted, body: body))
    }
}

extension JSONValue {
    /// How many values a document may have for a selector to see what it says: tracks of 300,000 points.
    private static let documentValueLimit = 1_000_000

    /// A document as selectors see it: `_id`, `_rev`, `_deleted` where it is, its body, `_attachments` as stubs, and
    /// `_conflicts` where it has other living leaves.
    package init(
        documentWithID id: String, revision: String, isDeleted: Bool = false, body: DocumentBody,
        conflicts: [Revision] = []
    ) {
        var members: [Member] = [Member("_id", .string(id)), Member("_rev", .string(revision))]
        if isDeleted { members.append(Member("_deleted", .boolean(true))) }
        let value = try? JSONValue(parsing: body.json, depthLimit: 64, valueLimit: Self.documentValueLimit)
        if let said = value?.members { members += said }
        if !body.attachments.isEmpty {
            let stubs = body.attachments.map { Member($0.name, JSONValue(stubOf: $0)) }
            members.append(Member("_attachments", .object(stubs)))
        }
        if !conflicts.isEmpty { members.append(Member("_conflicts", .array(conflicts.map { .string($0.text) }))) }
        self = .object(members)
    }

    /// That there is a file, as a document tells it.
    private init(stubOf file: Attachment) {
        self = .object([
            Member("content_type", .string(file.contentType)), Member("revpos", .integer(Int64(file.revisionPosition))),
            Member("digest", .string("md5-" + Base64.encode(file.md5))), Member("length", .integer(file.length)),
            Member("stub", .boolean(true)),
        ])
    }
}

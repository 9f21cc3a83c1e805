import MusterCoding
package import MusterCore

/// A Mango selector, `{"year": {"$gt": 2000}, "$or": […]}`: parsed once, then applied to many documents.
///
/// As in CouchDB, an absent field matches only `{"$exists": false}`; it fails `$ne`, `$nin` and the tests under `$not`
/// too. This rule does not hold for the tests of array elements and object keys (`$elemMatch`, `$allMatch`,
/// `$keyMapMatch`): there, `$not` is the plain negation.
package struct Selector: Hashable, Sendable {
    /// The test that a document must fulfil.
    package let test: Test

    /// The largest number of conditions in a selector.
    package static let testLimit = 1_000

    /// A test of a value.
    package indirect enum Test: Hashable, Sendable {
        /// All of these tests. An empty list is always fulfilled.
        case all([Test])
        /// At least one of these tests. An empty list is always fulfilled, as in CouchDB.
        case any([Test])
        /// The negation of a test.
        case not(Test)
        /// A test of the value at a path. An object without the last key fulfils only `.exists(false)`; where there is
        /// no such object, no test is fulfilled.
        case field(FieldPath, Test)
        /// A comparison with another value.
        case compares(Comparison, JSONValue)
        /// Whether the value exists.
        case exists(Bool)
        /// The kind of the value; nil for an unknown kind, which no value has.
        case kind(JSONKind?)
        /// The value is one of these, or an array that contains one of these.
        case isAmong([JSONValue])
        /// An array that contains all of these values.
        case hasAll([JSONValue])
        /// An array with this number of elements.
        case count(Int64)
        /// A whole number with this remainder.
        case remainder(divisor: Int64, remainder: Int64)
        /// A string in which the pattern is found.
        case finds(PatternExpression)
        /// A string with this prefix.
        case begins(String)
        /// An array with an element that fulfils the test.
        case someElement(Test)
        /// An array that is not empty, whose elements all fulfil the test.
        case everyElement(Test)
        /// An object with a key that fulfils the test.
        case someKey(Test)
    }

    /// The comparisons of two values in the order of `Collation`.
    package enum Comparison: Hashable, Sendable {
        case less, atMost, equal, notEqual, atLeast, greater
    }

    /// Reads a selector.
    ///
    /// - Throws: `SelectorError`.
    package init(_ value: JSONValue) throws(SelectorError) {
        guard let members = value.members else { throw .noObject }
        // An empty selector matches every document. Other selectors without a condition do not.
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

    /// Whether the selector combines no conditions at all, as `{"$and": []}` does. As in CouchDB, `_find` then returns
    /// nothing, while a filter of `_changes` or of an index lets every document through.
    package var findsNothing: Bool { test == .all([]) || test == .any([]) }

    /// Whether no document can match: the selector combines no conditions, or requires a value out of an empty list.
    package var matchesNothing: Bool {
        if findsNothing { return true }
        guard case .all(let tests) = test else { return false }
        return tests.contains { test in
            if case .field(_, .isAmong([])) = test { true } else { false }
        }
    }

    /// Parses a selector.
    ///
    /// - Throws: `JSONError` if the bytes are not JSON, `SelectorError` if they are not a selector.
    package init(parsing bytes: [UInt8]) throws {
        try self.init(JSONValue(parsing: bytes))
    }

    /// Whether a document matches. Each test counts as a step of `BoundedWork.bound`.
    package func matches(_ document: JSONValue) -> Bool {
        test.isFulfilled(by: document, within: BoundedWork.bound)
    }

    /// Whether a stored document matches.
    ///
    /// - Parameters:
    ///  - id: the value of `_id`.
    ///  - revision: the value of `_rev`.
    ///  - isDeleted: whether `_deleted` is true; otherwise the document has no such member.
    ///  - body: the other members. A body that cannot be parsed has none.
    package func matches(id: String, revision: String, isDeleted: Bool = false, body: DocumentBody) -> Bool {
        matches(JSONValue(documentWithID: id, revision: revision, isDeleted: isDeleted, body: body))
    }
}

extension JSONValue {
    /// The largest number of values in a document that selectors can see: enough for a track of 300,000 points. The
    /// body of a larger document appears empty.
    private static let documentValueLimit = 1_000_000

    /// Makes a document as selectors see it: `_id`, `_rev`, `_deleted` if it is deleted, the members of its body,
    /// `_attachments` as stubs, and `_conflicts` if other leaves are not deleted.
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

    /// Makes the stub of an attachment, as documents contain it.
    private init(stubOf file: Attachment) {
        self = .object([
            Member("content_type", .string(file.contentType)), Member("revpos", .integer(Int64(file.revisionPosition))),
            Member("digest", .string("md5-" + Base64.encode(file.md5))), Member("length", .integer(file.length)),
            Member("stub", .boolean(true)),
        ])
    }
}

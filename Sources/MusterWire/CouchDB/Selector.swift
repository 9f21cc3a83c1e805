/// Which documents someone wants, as mango has it (`{"year": {"$gt": 2000}, "$or": […]}`): read once, then asked often.
///
/// An absent field matches nothing but `{"$exists": false}`; also not `$ne`, `$nin` and what stands under `$not`, as in
/// CouchDB.
package struct Selector: Hashable, Sendable {
    /// What a document must fulfil.
    package let test: Test

    /// How many conditions a selector may have.
    package static let testLimit = 1_000

    /// What a value must fulfil.
    package indirect enum Test: Hashable, Sendable {
        /// Every one of some tests; with none, everything does.
        case all([Test])
        /// At least one of some tests.
        case any([Test])
        /// The opposite.
        case not(Test)
        /// What stands at a place inside; where nothing does, only `.exists(false)` is fulfilled.
        case field(FieldPath, Test)
        /// How it stands to another value.
        case compares(Comparison, JSONValue)
        /// Whether it is there at all.
        case exists(Bool)
        /// What kind of value it is.
        case kind(JSONKind)
        /// It is one of these, or an array that has one of these.
        case isAmong([JSONValue])
        /// It is none of these.
        case isNotAmong([JSONValue])
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
    package init(_ value: JSONValue) throws(SelectorFault) {
        guard value.kind == .object else { throw .noObject }
        var reading = SelectorReading()
        test = try reading.test(value, at: .document)
    }

    /// Reads a selector.
    ///
    /// - Throws: `JSONFault` when it is no JSON, `SelectorFault` when it is no selector.
    package init(parsing bytes: [UInt8]) throws {
        try self.init(JSONValue(parsing: bytes))
    }

    /// Whether a document fulfils it.
    package func matches(_ document: JSONValue) -> Bool { test.isFulfilled(by: document) }

    /// Whether a document fulfils it that is given as it is stored.
    ///
    /// - Parameters:
    ///   - id: what it finds as `_id`.
    ///   - revision: what it finds as `_rev`.
    ///   - isDeleted: whether it finds `_deleted`.
    ///   - json: the text of one object, of which nothing is found that cannot be read.
    package func matches(id: String, revision: String, isDeleted: Bool = false, json: [UInt8]) -> Bool {
        matches(JSONValue(documentWithID: id, revision: revision, isDeleted: isDeleted, json: json))
    }
}

extension JSONValue {
    /// A document as selectors see it: `_id`, `_rev`, `_deleted` where it is, and what it says.
    package init(documentWithID id: String, revision: String, isDeleted: Bool = false, json: [UInt8]) {
        var members: [Member] = [Member("_id", .string(id)), Member("_rev", .string(revision))]
        if isDeleted { members.append(Member("_deleted", .boolean(true))) }
        if let body = try? JSONValue(parsing: json, depthLimit: 64), let said = body.members { members += said }
        self = .object(members)
    }
}

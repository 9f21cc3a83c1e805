import HTTPTypes
import MusterCore
import MusterDocuments
import MusterServer
import MusterWire

/// A program of a design document that `_changes` is asked to filter by: a filter function, or a view's map. None runs
/// here; a client is told whether it would be there.
struct CouchFilterProgram: Hashable, Sendable {
    /// The member of the design document that holds programs of this kind.
    private let member: String
    private let design: String
    private let name: String

    /// - Returns: nil for a query without a filter, or with one of CouchDB's own that needs no program.
    /// - Throws: `CouchError` for a name that no program can have.
    init?(_ query: CouchQuery) throws(CouchError) {
        let words: String
        let form: String
        switch query.text("filter") {
        case nil, "_doc_ids", "_selector", "_design": return nil
        case "_view":
            guard let view = query.text("view") else {
                throw .badRequest("`view` filter parameter is not provided.")
            }
            (member, words, form) = ("views", view, "`view` must be of the form `designname/viewname`")
        case let filter? where filter.hasPrefix("_"): throw .badRequest("unknown builtin filter name")
        case let filter?:
            (member, words, form) = ("filters", filter, "`filter` must be of the form `designname/filtername`")
        }
        let parts = words.split(separator: "/")
        guard parts.count == 2 else { throw .badRequest(form) }
        (design, name) = (String(parts[0]), String(parts[1]))
    }

    /// Why a feed cannot be filtered by it: the document or its member is not there, or the program would have to run.
    func refusal(in scope: DatabaseScope, _ reader: any DocumentReader) throws -> CouchError {
        guard let document = try reader.document(DocumentID.designPrefix + design, in: scope),
            let winner = document.tree.winner
        else { return .missing }
        guard !winner.isDeleted, let body = document.body else { return .deleted }
        let programs = try JSONValue(parsing: body.json, depthLimit: 64, valueLimit: .max)[member]
        guard let programs else { return .missingKey(member) }
        guard programs[name] != nil else { return .missingKey(name) }
        return .notImplemented("Filter functions")
    }
}

extension CouchError {
    /// A document has no such member.
    fileprivate static func missingKey(_ key: String) -> CouchError {
        CouchError(.notFound, "not_found", "missing json key: \(key)")
    }
}

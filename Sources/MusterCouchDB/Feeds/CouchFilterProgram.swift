import HTTPTypes
import MusterCore
import MusterDocuments
import MusterWire

/// A program of a design document that the client names as a filter of `_changes`: a filter function, or the map
/// function of a view. The server runs no programs; the error tells the client whether the program exists.
struct CouchFilterProgram: Hashable, Sendable {
    /// The member of the design document that contains the program.
    private let member: String
    private let design: String
    private let name: String

    /// - Returns: nil for a query without a filter, or with a built-in one that needs no program.
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

    /// Returns why the feed cannot use the filter: the document or the program does not exist, or the server would have
    /// to run it.
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
    /// The document lacks this member.
    fileprivate static func missingKey(_ key: String) -> CouchError {
        CouchError(.notFound, "not_found", "missing json key: \(key)")
    }
}

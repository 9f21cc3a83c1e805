import HTTPTypes
import Hummingbird
import MusterServer
import MusterWire

/// An error in the form that CouchDB's clients expect: a status, an error code and a reason.
struct CouchError: Error, Hashable, Sendable {
    let status: HTTPResponse.Status
    /// The error code, which programs compare.
    let error: String
    /// The sentence for people.
    let reason: String
    /// Additional header fields of the response.
    var headers: HTTPFields = [:]

    init(_ status: HTTPResponse.Status, _ error: String, _ reason: String) {
        self.status = status
        self.error = error
        self.reason = reason
    }

    /// The HTTP response with this error.
    var response: Response {
        var response = Response.json(status) { writer in
            writer.beginObject()
            writer.couchError(self)
            writer.endObject()
        }
        for field in headers { response.headers[field.name] = field.value }
        return response
    }
}

extension JSONWriter {
    /// Writes the members of an error into an object.
    mutating func couchError(_ error: CouchError) {
        member("error", error.error)
        member("reason", error.reason)
    }
}

// MARK: The kinds

extension CouchError {
    /// The request is malformed.
    static func badRequest(_ reason: String) -> CouchError { CouchError(.badRequest, "bad_request", reason) }

    /// A parameter of the query is malformed.
    static func query(_ reason: String) -> CouchError { CouchError(.badRequest, "query_parse_error", reason) }

    /// The document does not exist, or the principal may not see it.
    static let missing = CouchError(.notFound, "not_found", "missing")
    /// The document was deleted.
    static let deleted = CouchError(.notFound, "not_found", "deleted")
    /// The document has no such attachment.
    static let noAttachment = CouchError(
        .notFound, "not_found", "Document is missing attachment")
    /// The database does not exist. Only principals that see all databases get this error; others get `forbidden`.
    static let noDatabase = CouchError(.notFound, "not_found", "Database does not exist.")

    /// The request proves no identity.
    static func unauthorized(_ reason: String) -> CouchError {
        var error = CouchError(.unauthorized, "unauthorized", reason)
        error.headers[.wwwAuthenticate] = #"Basic realm="muster""#
        return error
    }

    /// The principal may not access the database. The response is the same whether or not the database exists.
    static let forbidden = CouchError(
        .forbidden, "forbidden", "You are not allowed to access this db.")
    /// The principal may access the database, but not do this.
    static func forbidden(_ reason: String) -> CouchError { CouchError(.forbidden, "forbidden", reason) }

    /// The edited revision is not a leaf.
    static let conflict = CouchError(.conflict, "conflict", "Document update conflict.")
    /// The database exists already.
    static let fileExists = CouchError(
        .preconditionFailed, "file_exists", "The database could not be created, the file already exists.")
    /// The document refers to an attachment that the server lacks.
    static func missingStub(_ name: String) -> CouchError {
        CouchError(.preconditionFailed, "missing_stub", "Invalid attachment stub in document for \(name)")
    }
    /// No database may have this name.
    static func illegalName(_ name: String) -> CouchError {
        badName(
            name,
            "Only lowercase characters (a-z), digits (0-9), and any of the characters _, $, (, ), +, -, and / are "
                + "allowed. Must begin with a letter, and not be one of the server's own paths.")
    }
    /// No database can be created under this name. `reason` is the sentence for people.
    static func badName(_ name: String, _ reason: String) -> CouchError {
        CouchError(.badRequest, "illegal_database_name", "Name: '\(name)'. \(reason)")
    }

    /// The body exceeds a limit.
    static func tooLarge(limitBytes: Int) -> CouchError {
        CouchError(.contentTooLarge, "too_large", "The body is larger than \(limitBytes) bytes.")
    }
    /// The route does not accept this media type.
    static func contentType(_ reason: String) -> CouchError {
        CouchError(.unsupportedMediaType, "bad_content_type", reason)
    }
    /// The server does not accept this content encoding.
    static let unknownEncoding = contentType("Only gzip and identity content-encodings are supported")
    /// The request sets `all_or_nothing`.
    static let allOrNothing = CouchError(
        .expectationFailed, "expectation_failed",
        "all_or_nothing is not supported: the server stores each document by itself.")
    /// The request reads or adds an attachment of a local document.
    static var localFiles: CouchError { badRequest("_local documents do not accept attachments.") }
    /// The feature would run JavaScript in the server.
    static func notImplemented(_ what: String) -> CouchError {
        CouchError(
            .notImplemented, "not_implemented", "\(what) need JavaScript in the server, which Muster does not run.")
    }
    /// CouchDB has the feature and Muster does not. `what` names it, in the plural.
    static func unsupported(_ what: String) -> CouchError {
        CouchError(.notImplemented, "not_implemented", "\(what) are not supported.")
    }
    /// The path supports other methods only.
    static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> CouchError {
        let list = allowed.map(\.rawValue).joined(separator: ",")
        var error = CouchError(.methodNotAllowed, "method_not_allowed", "Only \(list) allowed")
        error.headers[.allow] = list
        return error
    }
    /// The server cannot serve the request now. Nothing was changed.
    static func unavailable(_ reason: String, retryAfterSeconds: Int = 1) -> CouchError {
        var error = CouchError(.serviceUnavailable, "service_unavailable", reason)
        error.headers[.retryAfter] = "\(retryAfterSeconds)"
        return error
    }
    /// The client sends too many requests.
    static func tooManyRequests(
        retryAfterSeconds: Int, _ reason: String = "Wait, and try again."
    ) -> CouchError {
        var error = CouchError(.tooManyRequests, "too_many_requests", reason)
        error.headers[.retryAfter] = "\(retryAfterSeconds)"
        return error
    }
    /// An unexpected error in the server.
    static let internalError = CouchError(
        .internalServerError, "internal_server_error", "The server made a mistake. It is in the server's log.")
}

import HTTPTypes
import Hummingbird
import MusterServer
import MusterWire

/// What went wrong with a request, in CouchDB's words.
struct CouchError: Error, Hashable, Sendable {
    /// The answer's status.
    let status: HTTPResponse.Status
    /// The kind of fault, for programs.
    let error: String
    /// What is special about this one, for people.
    let reason: String
    /// Header fields that belong to it.
    var headers: HTTPFields = [:]

    /// A fault of a kind.
    init(_ status: HTTPResponse.Status, _ error: String, _ reason: String) {
        self.status = status
        self.error = error
        self.reason = reason
    }

    /// The answer that tells it.
    var response: Response {
        var response = Response.json(status) { writer in
            writer.beginObject()
            writer.couchFault(self)
            writer.endObject()
        }
        for field in headers { response.headers[field.name] = field.value }
        return response
    }
}

extension JSONWriter {
    /// Writes the members that tell a fault.
    mutating func couchFault(_ fault: CouchError) {
        member("error", fault.error)
        member("reason", fault.reason)
    }
}

// MARK: The kinds

extension CouchError {
    /// The request is not as it must be.
    static func badRequest(_ reason: String) -> CouchError { CouchError(.badRequest, "bad_request", reason) }

    /// A part of the query is not as it must be.
    static func query(_ reason: String) -> CouchError { CouchError(.badRequest, "query_parse_error", reason) }

    /// There is no such document, or not for these eyes.
    static let missing = CouchError(.notFound, "not_found", "missing")
    /// There was such a document.
    static let deleted = CouchError(.notFound, "not_found", "deleted")
    /// The document has no such file.
    static let noAttachment = CouchError(
        .notFound, "not_found", "Document is missing attachment")
    /// There is no such database. Only those who see all databases are told.
    static let noDatabase = CouchError(.notFound, "not_found", "Database does not exist.")

    /// Nobody said who asks.
    static func unauthorized(_ reason: String) -> CouchError {
        var fault = CouchError(.unauthorized, "unauthorized", reason)
        fault.headers[.wwwAuthenticate] = #"Basic realm="muster""#
        return fault
    }

    /// Whoever asks may not; the same answer whether the database is there or not.
    static let forbidden = CouchError(
        .forbidden, "forbidden", "You are not allowed to access this db.")
    /// Whoever asks may read, and not this.
    static func forbidden(_ reason: String) -> CouchError { CouchError(.forbidden, "forbidden", reason) }

    /// The edit was not made on a leaf.
    static let conflict = CouchError(.conflict, "conflict", "Document update conflict.")
    /// The database is there already.
    static let fileExists = CouchError(
        .preconditionFailed, "file_exists", "The database could not be created, the file already exists.")
    /// A file is named that is not there.
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
    /// No database can be made of this name, for this reason.
    static func badName(_ name: String, _ reason: String) -> CouchError {
        CouchError(.badRequest, "illegal_database_name", "Name: '\(name)'. \(reason)")
    }

    /// The body is larger than is taken.
    static func tooLarge(limitBytes: Int) -> CouchError {
        CouchError(.contentTooLarge, "too_large", "At most \(limitBytes) bytes are taken.")
    }
    /// The body is of a type that is not taken.
    static func contentType(_ reason: String) -> CouchError {
        CouchError(.unsupportedMediaType, "bad_content_type", reason)
    }
    /// The body is packed in a way that is not taken.
    static let unknownEncoding = contentType("Only gzip and identity content-encodings are supported")
    /// Many documents are to be put or none of them.
    static let allOrNothing = CouchError(
        .expectationFailed, "expectation_failed", "all_or_nothing is not supported: each document is put by itself.")
    /// A file is asked of, or put into, a document that is never replicated.
    static var localFiles: CouchError { badRequest("_local documents do not accept attachments.") }
    /// What is asked for needs JavaScript to run in the server.
    static func notImplemented(_ what: String) -> CouchError {
        CouchError(.notImplemented, "not_implemented", "\(what) need JavaScript in the server, which Muster has not.")
    }
    /// What is asked for CouchDB has and Muster has not; the words say what, in the plural.
    static func unsupported(_ what: String) -> CouchError {
        CouchError(.notImplemented, "not_implemented", "\(what) are not supported.")
    }
    /// The path takes other methods.
    static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> CouchError {
        let list = allowed.map(\.rawValue).joined(separator: ",")
        var fault = CouchError(.methodNotAllowed, "method_not_allowed", "Only \(list) allowed")
        fault.headers[.allow] = list
        return fault
    }
    /// It cannot be done now; nothing of it was done.
    static func unavailable(_ reason: String, retryAfterSeconds: Int = 1) -> CouchError {
        var fault = CouchError(.serviceUnavailable, "service_unavailable", reason)
        fault.headers[.retryAfter] = "\(retryAfterSeconds)"
        return fault
    }
    /// Too many tries.
    static func tooManyRequests(
        retryAfterSeconds: Int, _ reason: String = "Wait, and try again."
    ) -> CouchError {
        var fault = CouchError(.tooManyRequests, "too_many_requests", reason)
        fault.headers[.retryAfter] = "\(retryAfterSeconds)"
        return fault
    }
    /// We made a mistake.
    static let internalError = CouchError(
        .internalServerError, "internal_server_error", "The server made a mistake. It is in the server's log.")
}

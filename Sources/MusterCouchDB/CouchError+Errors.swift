import HTTPTypes
import Hummingbird
import MusterReplication
import MusterServer
import MusterStore
import MusterWire
import NIOCore
import NIOHTTP1

/// The translation of other layers' errors to CouchDB's.
extension CouchError {
    /// Translates an error of any layer into CouchDB's form. This is the only place that does.
    ///
    /// - Returns: nil for an unexpected error.
    init?(mapping error: any Error) {
        switch error {
        case let error as CouchError: self = error
        case let error as CouchDocumentError: self.init(mapping: error)
        case let error as JSONError: self.init(mapping: error)
        case let error as MangoError: self.init(mapping: error)
        case let error as IdentityError: self.init(mapping: error)
        case is RoleRefusal: self = .forbidden
        case let error as MultipartReader.ParsingError: self.init(mapping: error)
        case let problem as Problem: self.init(mapping: problem)
        case let error as QuotaError: self.init(mapping: error)
        case CoordinatorError.overQuota(let error): self.init(mapping: error)
        case CoordinatorError.full: self = .unavailable("The queue of writes is full.")
        case CoordinatorError.unwritable, StoreError.unwritable:
            self = .unavailable(StorageWords.refusal, retryAfterSeconds: StorageWords.retryAfterSeconds)
        case CoordinatorError.unavailable, is StoreError:
            self = .unavailable("The disk or the database refused the operation.", retryAfterSeconds: 5)
        case CoordinatorError.closed: self = .unavailable("The server is shutting down.", retryAfterSeconds: 5)
        // The client closed the connection before it had sent the body. It does not read this response, and the log
        // should not contain an error.
        case is HTTPParserError: self = .badRequest("The connection ended before the end of the body.")
        case is NIOTooManyBytesError: self = .tooLarge(limitBytes: CouchLimits.documentBytes)
        case let error as HTTPError where error.status.kind == .clientError: self = .badRequest(error.body ?? "")
        case let error as WorkLimit.InterruptionError: self.init(mapping: error)
        case WorkError.shareIsFull:
            self = .tooManyRequests(
                retryAfterSeconds: 1, "Too many of your requests are waiting. Wait until some are answered.")
        case WorkError.isFull: self = .unavailable("The queue of reads is full.")
        case is CancellationError: self = .unavailable("The request was cancelled.")
        default: return nil
        }
    }

    /// A query that exceeds its limits is a client error, because repeating it would exceed them again.
    private init(mapping error: WorkLimit.InterruptionError) {
        let advice =
            "Make an index (POST /{db}/_index) for a field that the selector compares, use fewer or simpler $regex, "
            + "or ask about fewer documents."
        switch error {
        case .deadline(let seconds):
            self.init(.badRequest, "timeout", "The query took more than \(Int(seconds)) s and was ended. \(advice)")
        case .steps(let limit):
            self.init(.badRequest, "timeout", "The query took more than \(limit) steps and was ended. \(advice)")
        case .abandoned: self = .unavailable("The request was cancelled.")
        }
    }

    private init(mapping error: CouchDocumentError) {
        switch error {
        case .notAnObject: self = .badRequest("Document must be a JSON object")
        case .illegalPartition(let words): self.init(.badRequest, "illegal_partition", words)
        case .illegalID(let words): self.init(.badRequest, "illegal_docid", words)
        case .invalidRevision: self = .badRequest("Invalid rev format")
        case .unknownMember(let name):
            self.init(.badRequest, "doc_validation", "Bad special document member: \(name)")
        case .invalidBody(let words): self = .badRequest(words)
        case .invalidMember(let words): self.init(.badRequest, "doc_validation", words)
        }
    }

    private init(mapping error: JSONError) {
        switch error.reason {
        case .tooMany(let limit):
            self.init(.contentTooLarge, "too_large", "The request has more than \(limit) entries.")
        case let reason where reason.isSyntax: self = .badRequest("invalid UTF-8 JSON: \(error)")
        default: self = .badRequest("\(error)")
        }
    }

    private init(mapping error: IdentityError) {
        switch error {
        case .missing: self = .unauthorized("You are not authorized to access this db.")
        case .refused: self = .unauthorized("Name or password is incorrect.")
        case .tooManyTries(let seconds): self = .tooManyRequests(retryAfterSeconds: seconds)
        case .busy: self = .unavailable("Too many sign-ins are in progress.")
        case .tooMany(let kind, let limit):
            self.init(.conflict, "conflict", "There are already \(limit) \(kind), the limit.")
        case .unusablePassword:
            self.init(
                .badRequest, "doc_validation",
                "A password has at least \(Identity.shortestPassword) characters and at most "
                    + "\(Identity.longestPasswordBytes) bytes.")
        case .unknown: self = .missing
        }
    }

    private init(mapping error: MultipartReader.ParsingError) {
        switch error {
        case .invalidHead: self = .badRequest("A part of the multipart body has a malformed head.")
        case .invalidBoundary: self = .badRequest("The multipart body has a malformed boundary.")
        }
    }

    /// Translates a problem of the reading of bodies, which all endpoints share.
    private init?(mapping problem: Problem) {
        switch problem.status {
        case .contentTooLarge: self.init(.contentTooLarge, "too_large", problem.detail ?? problem.title)
        case .unsupportedMediaType: self = .contentType(problem.detail ?? problem.title)
        case .unauthorized: self = .unauthorized("You are not authorized to access this db.")
        case let status where status.kind == .clientError: self = .badRequest(problem.detail ?? problem.title)
        default: return nil
        }
    }
}

extension CouchError {
    /// Translates an exceeded quota. CouchDB's clients retry after the statuses 429 and 507.
    init(mapping error: QuotaError) {
        let name = error.retryAfterSeconds == nil ? "insufficient_storage" : "too_many_requests"
        self.init(error.status, name, error.words)
        if let seconds = error.retryAfterSeconds { headers[.retryAfter] = "\(seconds)" }
    }
}

extension ReplicationError {
    /// Translates an exceeded quota. The replication retries later, and loses no document meanwhile.
    init(mapping error: QuotaError) {
        self = .busy(status: error.status.code, retryAfterSeconds: error.retryAfterSeconds.map { Double($0) })
    }
}

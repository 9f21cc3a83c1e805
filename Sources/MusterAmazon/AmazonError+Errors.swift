import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire
import NIOCore

/// How errors of other layers become AWS errors.
extension AmazonError {
    /// Turns an error of any layer into the error that an AWS client receives. This is the only place that does.
    ///
    /// - Returns: nil for an unexpected error.
    init?(mapping error: any Error) {
        switch error {
        case let fault as AmazonError: self = fault
        case let fault as SignatureError: self = AmazonError(mapping: fault)
        case let fault as JSONError:
            self = .validation("\(fault)", .cannotParse, [Field(fault.pointer, "\(fault.reason)")])
        case is NIOTooManyBytesError:
            self = AmazonError(413, "RequestEntityTooLargeException", "The body is too large.")
        case let fault as RuleError: self = AmazonError(mapping: fault)
        case let fault as DatasetError: self = AmazonError(mapping: fault)
        case let fault as PushDeviceError: self = AmazonError(mapping: fault)
        case let fault as SyncTriggerError: self = AmazonError(mapping: fault)
        case let fault as QuotaError: self = AmazonError(mapping: fault)
        case let error as CoordinatorError: self = AmazonError(mapping: error)
        case IncidentError.keepsTeam(let number):
            self = AmazonError(
                409, "ConflictException", "Incident \(number.rawValue) of its team is open: close it first.")
        case StoreError.unwritable: self = .unwritable
        case is StoreError: self = .unavailable("The disk or the database refused the operation.", retryAfterSeconds: 5)
        case WorkError.shareIsFull: self = .throttled(retryAfterSeconds: 1)
        case WorkError.isFull:
            self = .unavailable("The queue of reads is full.", retryAfterSeconds: 1)
        case is CancellationError, WorkLimit.InterruptionError.abandoned:
            self = .unavailable("The request was cancelled.", retryAfterSeconds: 1)
        case let error as HTTPError where error.status.kind == .clientError:
            self = AmazonError(error.status.code, "ValidationException", error.body ?? "The request cannot be read.")
        default: return nil
        }
    }

    /// Whether a path belongs to Amazon Location, whether or not Muster serves it.
    static func isAmazons(_ path: String) -> Bool {
        let segments = path.split(separator: "/", maxSplits: 2)
        guard let first = segments.first else { return false }
        if first == "aws" { return segments.count > 1 }
        return ["tracking", "geofencing", "tags", "metadata", "maps", "places", "routes", "identitypools"].contains(
            first)
    }

    /// The answer to operations of Amazon Location that Muster does not serve.
    static let unserved = AmazonError.validation(
        "Muster serves no such operation: it has Amazon Location's trackers, geofences and tags, and Cognito Sync.",
        .unknownOperation)

    private init(mapping error: CoordinatorError) {
        switch error {
        case .full: self = .unavailable("The queue of writes is full.", retryAfterSeconds: 1)
        case .unwritable: self = .unwritable
        case .unavailable:
            self = .unavailable("The disk or the database refused the operation.", retryAfterSeconds: 5)
        case .gone: self = .unavailable("The resource was removed during the request.", retryAfterSeconds: 1)
        case .overQuota(let fault): self = AmazonError(mapping: fault)
        case .closed: self = .unavailable("The server is shutting down.", retryAfterSeconds: 5)
        }
    }

    /// AWS clients try again by themselves after this error.
    private static var unwritable: AmazonError {
        var fault = AmazonError(500, "InternalServerException", StorageWords.refusal)
        fault.retryAfterSeconds = StorageWords.retryAfterSeconds
        return fault
    }

    private static func unavailable(_ message: String, retryAfterSeconds: Int) -> AmazonError {
        var fault = AmazonError(503, "ServiceUnavailableException", message)
        fault.retryAfterSeconds = retryAfterSeconds
        return fault
    }

    private init(mapping fault: SignatureError) {
        switch fault {
        case .missing: self.init(403, "MissingAuthenticationToken", "Missing Authentication Token")
        case .malformed(let words):
            self.init(403, "IncompleteSignatureException", "Authorization header \(words).")
        case .otherScope(let words), .otherTime(let words): self.init(403, "InvalidSignatureException", words)
        case .unknownKey:
            self.init(
                403, "UnrecognizedClientException", "The security token included in the request is invalid.")
        case .expiredToken:
            self.init(403, "ExpiredTokenException", "The security token included in the request is expired")
        case .mismatch:
            self.init(
                403, "SignatureDoesNotMatch",
                "The request signature we calculated does not match the signature you provided. "
                    + "Check your AWS Secret Access Key and signing method.")
        }
    }
}

extension AmazonError {
    /// AWS clients try again by themselves after `ThrottlingException`.
    init(mapping fault: QuotaError) {
        if let seconds = fault.retryAfterSeconds {
            self.init(429, "ThrottlingException", fault.words)
            retryAfterSeconds = seconds
        } else {
            self = .quota(fault.words)
        }
    }
}

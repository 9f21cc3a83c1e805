import MusterReplication

extension LocationTracker {
    /// The reason of a failed emission. Recorded documents stay on this device after each of these, and recording goes
    /// on.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// There is no network, or the server cannot answer now; the next emission may succeed.
        case away(reason: String)
        /// The server refused the credentials, for example because a new password deleted the database's key.
        /// `Session.signInAgain` makes another key, and `reauthenticate` adopts it.
        case unauthorized(reason: String)
        /// The server refused `count` documents for good, and has all others.
        case refusesDocuments(count: Int, reason: String)
        /// The disk of this device is full.
        case storeFull
        /// A fault that a later attempt does not mend.
        case broken(reason: String)
        /// The emission was cancelled, because no caller waited for it.
        case cancelled

        init(_ error: any Error) {
            switch error {
            case ReplicationError.unauthorized(let reason), ReplicationError.forbidden(let reason):
                self = .unauthorized(reason: reason)
            case let fault as ReplicationError where fault.isPassing: self = .away(reason: fault.description)
            case LocalStoreError.full: self = .storeFull
            case is CancellationError: self = .cancelled
            default: self = .broken(reason: "\(error)")
            }
        }

        /// One sentence without a full stop.
        public var description: String {
            switch self {
            case .away(let reason), .broken(let reason): reason
            case .unauthorized(let reason): "the server rejected this device's key; sign in again: \(reason)"
            case .refusesDocuments(let count, let reason): "the server rejected \(count) documents: \(reason)"
            case .storeFull: LocalStoreError.full.description
            case .cancelled: "the operation was cancelled"
            }
        }
    }
}

import MusterReplication

extension LocationTracker {
    /// Why an emission did not come through. Whatever it is, what was recorded is kept, and recording goes on.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// No network, or a server that cannot answer now: the next emission may come through.
        case away(reason: String)
        /// The server does not take who asks: the key to the database is gone, after the password was set anew say.
        /// `Session.signInAgain` makes another, and `reauthenticate` takes it.
        case unauthorized(reason: String)
        /// The server will not have so many documents, and has all others.
        case refusesDocuments(count: Int, reason: String)
        /// The disk of this device is full.
        case storeFull
        /// Something that waiting does not mend.
        case broken(reason: String)
        /// Nobody waited for it any more.
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
            case .unauthorized(let reason): "the server does not take who asks, sign in again: \(reason)"
            case .refusesDocuments(let count, let reason): "the server will not have \(count) of them: \(reason)"
            case .storeFull: LocalStoreError.full.description
            case .cancelled: "nobody waited for it"
            }
        }
    }
}

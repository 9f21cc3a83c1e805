public import Foundation
import MusterGeometry
import MusterReplication

/// An error of a call of `Muster`, or of its work in the background. Its text is for the person who uses the app. It
/// never contains a password or a key.
public enum MusterError: Error, Hashable, Sendable {
    /// The server's address is not an http or https address.
    case illegalServer(String)
    /// The key of the store is not 16, 24 or 32 bytes long.
    case illegalKey
    /// The coordinates or the time of a location are not valid.
    case illegalLocation
    /// Nobody is signed in.
    case signedOut
    /// The server refused the name or the password.
    case refused(reason: String)
    /// The server has a user of this name already.
    case userExists(String)
    /// The server's user of this name is another account than the one that the store belongs to.
    case anotherAccount(user: String)
    /// The store belongs to another person.
    case storeOfAnother(user: String)
    /// The server cannot be reached, or cannot answer now; waiting may help.
    case away(reason: String)
    /// The server no longer accepts this device's key: the person must sign in again.
    case signInNeeded(reason: String)
    /// The server refused some recorded documents for good. It has all others.
    case documentsRefused(count: Int, reason: String)
    /// A dataset cannot have this name, or a record this key or value.
    case illegalRecord(reason: String)
    /// The conflict handler of a dataset returned nil for a record that was changed on this device and elsewhere.
    case conflict(dataset: String, key: String)
    /// Another device wrote to the dataset during each of five attempts to synchronize it.
    case datasetContended(name: String)
    /// The server refused the changes of a dataset, because they exceed a limit.
    case datasetRefused(name: String, reason: String)
    /// This device was not registered for pushes.
    case deviceNotRegistered
    /// The disk of this device is full.
    case deviceFull
    /// The store is encrypted with another key; or only one of the two holds: the store is encrypted, `Options.key` is
    /// set.
    case wrongKey
    /// The store's file cannot be used.
    case storeUnavailable(reason: String)
    /// The credentials cannot be read or stored.
    case credentialsUnavailable(reason: String)
    /// The task was cancelled, or the person signed out meanwhile.
    case cancelled
    /// The `Muster` object was closed.
    case closed
    /// Another failure, which a later attempt does not mend.
    case unexpected(reason: String)
}

extension MusterError: LocalizedError, CustomStringConvertible {
    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .illegalServer(let text): "'\(text)' is not an http or https address"
        case .illegalKey: "the key of the store must be 16, 24 or 32 bytes long"
        case .illegalLocation: "the location is not on earth, or its time is not valid"
        case .signedOut: "nobody is signed in"
        case .refused(let reason): "the server refused to sign in: \(reason)"
        case .userExists(let name): "the server has a user \(name) already"
        case .anotherAccount(let user):
            "\(user) is another account at this server than the one that recorded on this device"
        case .storeOfAnother(let user): "this device holds what \(user) recorded"
        case .away(let reason), .unexpected(let reason): reason
        case .signInNeeded(let reason): "sign in again, the server no longer accepts this device's key: \(reason)"
        case .documentsRefused(let count, let reason):
            "the server refused \(count) of the recorded documents: \(reason)"
        case .illegalRecord(let reason): reason
        case .conflict(let dataset, let key):
            "\(key) in \(dataset) was changed on this device and on another one, and nobody decided between them"
        case .datasetContended(let name): "another device is changing \(name) at the same time; try again"
        case .datasetRefused(let name, let reason): "the server does not take the changes of \(name): \(reason)"
        case .deviceNotRegistered: "this device is not registered for pushes"
        case .deviceFull: "the disk of this device is full"
        case .wrongKey: "the store was sealed with another key"
        case .storeUnavailable(let reason): "the store on this device cannot be used now: \(reason)"
        case .credentialsUnavailable(let reason): "the credentials on this device cannot be used now: \(reason)"
        case .cancelled: "the call was cancelled"
        case .closed: "this Muster object is closed"
        }
    }

    /// The same sentence, for `localizedDescription`.
    public var errorDescription: String? { description }

    /// Converts an error of any part of Kit into the error that the app receives.
    init(_ error: any Error) {
        switch error {
        case let error as MusterError: self = error
        case let fault as SessionError: self.init(fault)
        case let failure as LocationTracker.Failure: self.init(failure)
        case let error as LocalStoreError: self.init(error)
        case let error as CredentialError: self = .credentialsUnavailable(reason: error.description)
        case is CoordinateError: self = .illegalLocation
        case is CancellationError: self = .cancelled
        case let error as ReplicationError: self.init(LocationTracker.Failure(error))
        default: self = .unexpected(reason: error.localizedDescription)
        }
    }

    private init(_ fault: SessionError) {
        switch fault {
        case .illegalServer(let text): self = .illegalServer(text)
        case .userExists(let name): self = .userExists(name)
        case .refused(let reason): self = .refused(reason: reason)
        case .unreachable, .busy: self = .away(reason: fault.description)
        case .anotherAccount(let name): self = .anotherAccount(user: name)
        case .unexpected: self = .unexpected(reason: fault.description)
        }
    }

    private init(_ failure: LocationTracker.Failure) {
        switch failure {
        case .away(let reason): self = .away(reason: reason)
        case .unauthorized(let reason): self = .signInNeeded(reason: reason)
        case .refusesDocuments(let count, let reason): self = .documentsRefused(count: count, reason: reason)
        case .storeFull: self = .deviceFull
        case .broken(let reason): self = .unexpected(reason: reason)
        case .cancelled: self = .cancelled
        }
    }

    private init(_ error: LocalStoreError) {
        switch error {
        case .full: self = .deviceFull
        case .wrongKey: self = .wrongKey
        case .unavailable(let reason): self = .storeUnavailable(reason: reason)
        case .tooNew: self = .storeUnavailable(reason: error.description)
        case .conflict, .unreadable, .noObject, .illegalID: self = .unexpected(reason: error.description)
        }
    }
}

/// Runs a body, and converts each error that it throws into a `MusterError`.
func inWords<Success: Sendable>(
    _ body: () async throws -> Success
) async throws(MusterError) -> Success {
    do {
        return try await body()
    } catch {
        throw MusterError(error)
    }
}

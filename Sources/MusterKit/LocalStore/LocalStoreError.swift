public import Foundation
import GRDB
public import MusterCore

/// An error of a `LocalStore`.
public enum LocalStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The document was changed since it was read, or exists already.
    case conflict(id: String)
    /// The body of a document cannot be decrypted or decoded.
    case unreadable(id: String)
    /// The file is encrypted with another key, or it is encrypted and no key was given, or the reverse.
    case wrongKey
    /// A value is not a JSON object, or has a member whose name begins with `_`.
    case noObject
    /// The id is empty, longer than 2,048 bytes, or begins with `_`.
    case illegalID(String)
    /// The file was written by a later version of Muster.
    case tooNew(version: Int)
    /// This device's disk is full. Nothing of the call was written; earlier documents are unchanged.
    case full
    /// The file cannot be read or written now.
    case unavailable(reason: String)

    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .conflict(let id): "document \(id) was changed by someone else"
        case .unreadable(let id): "document \(id) cannot be decoded"
        case .wrongKey: "the store is sealed under another key"
        case .noObject: "only an object whose members do not begin with _ can be a document"
        case .illegalID(let id): "'\(id.prefix(40))' cannot be a document's id"
        case .tooNew(let version): "the store is of version \(version), which is later than this program"
        case .full: "the disk of this device is full"
        case .unavailable(let reason): "the store's file cannot be used now: \(reason)"
        }
    }
}

extension LocalStoreError: LocalizedError {
    /// The same sentence, for `localizedDescription`.
    public var errorDescription: String? { description }
}

extension LocalStoreError {
    /// Runs `body`, and translates SQLite's errors to `LocalStoreError`.
    ///
    /// - Throws: `LocalStoreError`, and other errors of `body`.
    static func naming<Success>(_ body: () throws -> Success) throws -> Success {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw LocalStoreError(error)
        }
    }

    /// Runs `body`, and translates SQLite's errors to `LocalStoreError`.
    ///
    /// - Throws: `LocalStoreError`, and other errors of `body`.
    static func naming<Success>(_ body: () async throws -> Success) async throws -> Success {
        do {
            return try await body()
        } catch let error as DatabaseError {
            throw LocalStoreError(error)
        }
    }

    private init(_ error: DatabaseError) {
        self = error.resultCode == .SQLITE_FULL ? .full : .unavailable(reason: error.message ?? "SQLite refuses it")
    }
}

/// A document as it was read from a `LocalStore`.
public struct LocalDocumentValue<Value: Sendable>: Sendable {
    /// The document's id, unique in the store.
    public let id: String
    /// The revision that was read, to pass to `save` or `remove`.
    public let revision: Revision
    /// The decoded body.
    public let value: Value
    /// Whether the document has conflicting revisions of other devices.
    public let hasConflicts: Bool
}

import GRDB
public import MusterCore

/// Why a `LocalStore` did not do what was asked.
public enum LocalStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The document was changed since it was read, or is there already.
    case conflict(id: String)
    /// There is no such document.
    case missing(id: String)
    /// What a document says cannot be opened or decoded.
    case unreadable(id: String)
    /// The file was sealed under another key, or is sealed and no key was given, or is not and one was.
    case wrongKey
    /// A value is no JSON object, or has a member whose name begins with `_`.
    case noObject
    /// The id is empty, longer than 1,024 bytes, or begins with `_`.
    case illegalID(String)
    /// The file is of a later Muster.
    case tooNew(version: Int)
    /// This device's disk is full: what was to be written was not, what was written before is there.
    case full
    /// The file cannot be read or written now.
    case unavailable(reason: String)

    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .conflict(let id): "document \(id) was changed by someone else"
        case .missing(let id): "there is no document \(id)"
        case .unreadable(let id): "what document \(id) says cannot be read"
        case .wrongKey: "the store is sealed under another key"
        case .noObject: "only an object whose members do not begin with _ can be a document"
        case .illegalID(let id): "'\(id.prefix(40))' cannot be a document's id"
        case .tooNew(let version): "the store is of version \(version), which is later than this program"
        case .full: "the disk of this device is full"
        case .unavailable(let reason): "the store's file cannot be used now: \(reason)"
        }
    }
}

extension LocalStoreError {
    /// Runs `body`, and tells what SQLite refuses in our words.
    ///
    /// - Throws: `LocalStoreError`, or what else `body` throws.
    static func naming<Success>(_ body: () throws -> Success) throws -> Success {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw LocalStoreError(error)
        }
    }

    /// Runs `body`, and tells what SQLite refuses in our words.
    ///
    /// - Throws: `LocalStoreError`, or what else `body` throws.
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
    /// Its id.
    public let id: String
    /// The revision that was read; an edit is made on it.
    public let revision: Revision
    /// What it says.
    public let value: Value
    /// Whether another device said something else at the same time.
    public let hasConflicts: Bool
}

public import Foundation

/// The values that a dataset takes and returns.
extension Muster.Dataset {
    /// A record: a key and a text.
    public struct Record: Hashable, Sendable, Identifiable {
        /// The key, unique in the dataset.
        public var key: String
        /// The text.
        public var value: String
        /// The dataset's sync count at the last change of this record, as the server has it; 0 for a record that the
        /// server does not have.
        public var syncCount: Int64
        /// When the value was set, by the clock of the device that set it.
        public var modifiedAt: Date
        /// Whether the value was set on this device and the server does not have it yet.
        public var isUnsynchronized: Bool

        /// The key, so that lists of SwiftUI can tell records apart.
        public var id: String { key }
    }

    /// One side of a conflict.
    public struct Version: Hashable, Sendable {
        /// The text; nil where that side removed the record.
        public var value: String?
        /// When the value was set, by the clock of the device that set it.
        public var modifiedAt: Date
    }

    /// A record that was changed on this device and, since the last synchronization, by another device too.
    public struct Conflict: Hashable, Sendable {
        /// The dataset's name.
        public var dataset: String
        /// The record's key.
        public var key: String
        /// This device's record.
        public var local: Version
        /// The server's record.
        public var remote: Version
    }

    /// How a conflict is resolved: the conflict resolution that the app's handler returns.
    public enum Resolution: Hashable, Sendable {
        /// This device's value goes to the server.
        case local
        /// The server's value replaces this device's.
        case remote
        /// This text replaces both; nil removes the record.
        case value(String?)
    }

    /// The app's decisions during a synchronization.
    public struct Handlers: Sendable {
        /// Decides a conflict; nil ends the synchronization with `MusterError.conflict`, and the device keeps what it
        /// has. By default the last writer wins by the time of modification; where the times are equal, the server's
        /// value does.
        public var conflict: @Sendable (Conflict) async -> Resolution? = { $0.lastWriter }
        /// Called when another device deleted the dataset, also where it was created again since. True keeps what this
        /// device has and creates the dataset anew from it; false, the default, deletes it here too.
        public var deleted: @Sendable (_ dataset: String) async -> Bool = { _ in false }
        /// Called at each synchronization while the server has datasets of an identity that was merged into this
        /// person: the app copies what it needs from them, and deletes them. By default they stay.
        public var merged: @Sendable (_ dataset: String, _ from: [String]) async -> Void = { _, _ in }

        /// The defaults of every handler, which are those of Amazon's client for Cognito Sync as it is documented.
        public init() {}
    }
}

extension Muster.Dataset.Conflict {
    /// The side that was modified last; the server's side if both were modified at the same moment.
    public var lastWriter: Muster.Dataset.Resolution { local.modifiedAt > remote.modifiedAt ? .local : .remote }
}

extension Muster.Dataset.Record {
    /// A record with a value; nil for a removed one.
    init?(_ record: LocalRecord) {
        guard let value = record.value else { return nil }
        self.init(
            key: record.key, value: value, syncCount: record.syncCount, modifiedAt: record.modifiedAt.date,
            isUnsynchronized: record.isDirty)
    }
}

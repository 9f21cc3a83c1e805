import GRDB
package import MusterCore
package import MusterStore
import Synchronization

/// Subscriptions and waiting pushes are kept in tables as `SQLiteStore` has them, of a database in memory.
extension MemoryStore {
    package var hasPushDevices: Bool { get throws { try !credentials(.pushDevice).isEmpty } }

    package func pushSubscribers(to dataset: String, of user: UserNumber) throws -> [String] {
        try tables.unsafeReentrantRead { try PushTable.subscribers(to: dataset, of: user, in: $0) }
    }

    package func pushSubscriptions(of device: String) throws -> [String] {
        try tables.unsafeReentrantRead { try PushTable.subscriptions(of: device, in: $0) }
    }

    package var pushedThrough: LogSequence { contents.withLock { $0.pushedThrough } }

    package func postponedPushLanes(after device: String?, limit: Int) throws -> [PostponedPushLane] {
        try tables.unsafeReentrantRead { try PushTable.lanes(after: device, limit: limit, in: $0) }
    }

    package func postponedPushes(to device: String) throws -> [PostponedPush] {
        try tables.unsafeReentrantRead { try PushTable.pushes(to: device, in: $0) }
    }
}

extension MemoryTransaction {
    func subscribe(_ device: String, to dataset: String, of user: UserNumber) throws {
        try PushTable.subscribe(device, to: dataset, of: user, in: database)
    }

    func unsubscribe(_ device: String, from dataset: String) throws -> Bool {
        try PushTable.unsubscribe(device, from: dataset, in: database)
    }

    func removePushDevice(_ device: String) throws {
        try removeCredential(.pushDevice, key: Array(device.utf8))
        try PushTable.remove(device, in: database)
    }

    func postpone(_ push: PostponedPush) throws { try PushTable.postpone(push, in: database) }

    func forgetPush(of topic: String, to device: String) throws {
        try PushTable.forget(topic, to: device, in: database)
    }

    func setPushedThrough(_ sequence: LogSequence) throws { edits.append { $0.pushedThrough = sequence } }

    /// Removes the push devices of a user, before the user's credentials go.
    func removePushDevices(of user: UserNumber) throws {
        let stored = store.contents.withLock { $0.credentials }.filter { credentials[$0.key] == nil }
        for credential in stored.values + credentials.values.compactMap({ $0 })
        where credential.kind == .pushDevice && credential.user == user {
            try PushTable.remove(String(decoding: credential.key, as: UTF8.self), in: database)
        }
    }
}

import Foundation
import MusterStore
import MusterTestSupport

/// The stores that pass this suite.
enum StoreKind: CaseIterable, Sendable {
    case memory
    case sqlite
    /// One that merges all the time, so that reads meet every stage of it.
    case sqliteWithSmallStage
}

/// A store in a folder of its own, which goes when the test ends.
final class Bench {
    let kind: StoreKind
    let directory: String
    private(set) var store: any Store
    private let deliveryLimits: DeliveryLimits

    init(_ kind: StoreKind, deliveryLimits: DeliveryLimits = DeliveryLimits()) throws {
        self.kind = kind
        self.deliveryLimits = deliveryLimits
        directory = FileManager.default.temporaryDirectory.path + "/muster-store-" + UUID().uuidString
        store = try Self.open(kind, in: directory, deliveryLimits)
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Closes the store and opens it again; a store in memory stays as it is.
    func reopen() throws {
        guard kind != .memory else { return }
        try store.close()
        store = try Self.open(kind, in: directory, deliveryLimits)
    }

    /// Goes on with what a power loss at this moment would leave: the files as they are, nothing flushed or merged.
    func crash() throws {
        guard kind != .memory else { return }
        let remains = directory + "-crashed"
        try? FileManager.default.removeItem(atPath: remains)
        try FileManager.default.createDirectory(atPath: remains, withIntermediateDirectories: true)
        for suffix in ["", "-wal"] {
            let name = "/" + SQLiteStore.fileName + suffix
            guard FileManager.default.fileExists(atPath: directory + name) else { continue }
            try FileManager.default.copyItem(atPath: directory + name, toPath: remains + name)
        }
        try store.close()
        try FileManager.default.removeItem(atPath: directory)
        try FileManager.default.moveItem(atPath: remains, toPath: directory)
        store = try Self.open(kind, in: directory, deliveryLimits)
    }

    private static func open(
        _ kind: StoreKind, in directory: String, _ deliveryLimits: DeliveryLimits
    ) throws -> any Store {
        var options = SQLiteStore.Options()
        options.deliveryLimits = deliveryLimits
        switch kind {
        case .memory: return MemoryStore(deliveryLimits: deliveryLimits)
        case .sqlite: break
        case .sqliteWithSmallStage:
            options.stageLimit = 16
            options.epochLimit = 20
        }
        return try SQLiteStore(in: directory, options: options)
    }
}

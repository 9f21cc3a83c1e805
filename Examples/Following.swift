import MusterKit

/// The settings of an app, the same on every device of its person.
struct Settings {
    private let muster: Muster
    private let dataset: Muster.Dataset

    /// Opens them. No network is needed.
    init(_ muster: Muster) throws {
        self.muster = muster
        dataset = try muster.dataset("settings")
        dataset.handlers.conflict = { conflict in
            // Both devices added to the list: neither addition is lost.
            guard conflict.key == "favourites" else { return conflict.lastWriter }
            let both = Set(
                [conflict.local.value, conflict.remote.value].compactMap(\.self).flatMap { $0.split(separator: " ") })
            return .value(both.sorted().joined(separator: " "))
        }
    }

    /// Changes a setting: at once on this device, on the others as soon as there is a network.
    func set(_ key: String, to value: String) async throws {
        try await dataset.put(value, for: key)
        do {
            try await dataset.synchronize()
        } catch MusterError.away {
            // It is on this device's disk, and is sent when the server can be reached.
        }
    }

    /// Shows the settings, and each change of them, whichever device made it.
    func show(on screen: @Sendable ([Muster.Dataset.Record]) -> Void) async {
        for await records in dataset.records { screen(records) }
    }

    /// Handles a push in an app that receives pushes: `userInfo` is its payload.
    func receive(_ userInfo: [AnyHashable: Any]) async throws {
        guard let update = Muster.PushUpdate(userInfo) else { return }
        let dataset = try muster.dataset(update.datasetName)
        if try await dataset.lastSyncCount < update.syncCount { try await dataset.synchronize() }
    }
}

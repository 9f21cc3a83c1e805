import Logging
import MusterCore
import MusterStore
import MusterWire
import ServiceLifecycle

/// Watches the disk while the server runs. Measures its free room, logs once a minute that it refuses writes, makes a
/// test write from time to time, and catches up on postponed work when one succeeds.
struct StorageWatch: Service {
    let coordinator: StoreCoordinator
    let directory: String
    let warningBytes: Int64
    let logger: Logger
    let now: @Sendable () -> Instant
    /// Stores what the server could not store before. Where the disk refuses again, the next test write tries again.
    let onRecovery: @Sendable () async throws -> Void

    /// With less free room than this, in bytes, a successful test write does not end the refusal: the next write would
    /// fail.
    private static let recoveryBytes: Int64 = 1 << 20

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var schedule = StorageSchedule(warningBytes: warningBytes)
            while true {
                for step in schedule.takeSteps(for: coordinator.storage.status, at: now()) { await performStep(step) }
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func performStep(_ step: StorageSchedule.Step) async {
        let status = coordinator.storage.status
        switch step {
        case .measure:
            coordinator.storage.recordSpace(DiskSpace(ofFileSystemAt: directory))
            if status.isWritable { DiskReserve.make(in: directory) }
        case .testWriting: await testWriting()
        case .logRefusal:
            logger.error(
                "Writes to the disk fail; nothing can be stored until there is space",
                metadata: metadata(of: status))
        case .logRecovery: logger.notice("Writes to the disk succeed again", metadata: metadata(of: status))
        case .logLowSpace:
            logger.warning("The disk of the data folder is nearly full", metadata: metadata(of: status))
        }
    }

    private func testWriting() async {
        let space = DiskSpace(ofFileSystemAt: directory)
        coordinator.storage.recordSpace(space)
        if let space, space.freeBytes < Self.recoveryBytes { return }
        do {
            try await coordinator.testWriting()
        } catch {
            // The disk still refuses; the next turn tries again.
            logger.debug("A test write failed", metadata: ["error": "\(error)"])
            return
        }
        do {
            try await onRecovery()
        } catch CoordinatorError.unwritable {
            return
        } catch {
            logger.warning("Not everything that was put off could be made up for", metadata: ["error": "\(error)"])
        }
        coordinator.storage.recordRecovery()
    }

    private func metadata(of status: StorageHealth.Status) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["folder": "\(directory)", "failedWrites": "\(status.failedWrites)"]
        if let since = status.refusedSince { metadata["since"] = "\(since.rfc3339)" }
        if let reason = status.lastRefusal { metadata["reason"] = "\(reason)" }
        if let space = status.space { metadata["freeBytes"] = "\(space.freeBytes)" }
        return metadata
    }
}

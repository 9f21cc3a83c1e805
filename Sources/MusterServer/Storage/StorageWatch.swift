import Logging
import MusterCore
import MusterStore
import MusterWire
import ServiceLifecycle

/// Looks after the disk while the server runs: measures its room, says in the log once a minute that it refuses writes,
/// tries a write from time to time, and has everything that was put off made up for when one succeeds.
struct StorageWatch: Service {
    let coordinator: StoreCoordinator
    let directory: String
    let warningBytes: Int64
    let logger: Logger
    let now: @Sendable () -> Instant
    /// Makes up for what could not be stored. Where the disk refuses that, it is tried again after the next test write.
    let onRecovery: @Sendable () async throws -> Void

    /// With less room than this a write that succeeds does not end the refusal: the next would be refused again.
    private static let recoveryBytes: Int64 = 1 << 20

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var schedule = StorageSchedule(warningBytes: warningBytes)
            while true {
                for step in schedule.takeSteps(for: coordinator.storage.status, at: now()) { await carryOut(step) }
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func carryOut(_ step: StorageSchedule.Step) async {
        let status = coordinator.storage.status
        switch step {
        case .measure:
            coordinator.storage.recordSpace(DiskSpace(ofFileSystemAt: directory))
            if status.isWritable { DiskReserve.make(in: directory) }
        case .testWriting: await testWriting()
        case .logRefusal:
            logger.error(
                "The disk refuses what is to be stored: nothing can be stored until there is room",
                metadata: metadata(of: status))
        case .logRecovery: logger.notice("The disk takes what is to be stored again", metadata: metadata(of: status))
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
            // Refused still: it is tried again at the next turn.
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

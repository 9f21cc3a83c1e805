import MusterCore
import ServiceLifecycle

/// Deletes data older than its retention, once an hour.
struct RetentionService: Service {
    let coordinator: StoreCoordinator
    let identity: Identity
    /// How long the server keeps data, in days.
    let days: Double
    let now: @Sendable () -> Instant

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                let horizon = now().advanced(bySeconds: -days * 86_400)
                // A failed deletion is tried again in an hour.
                _ = try? await coordinator.forget(before: horizon)
                try? await coordinator.dropUnusedBlobs(at: now())
                _ = try? await identity.removeExpiredCredentials()
                try? await coordinator.removeIdleGuests(at: now())
                try await Task.sleep(for: .seconds(3600))
            }
        }
    }
}

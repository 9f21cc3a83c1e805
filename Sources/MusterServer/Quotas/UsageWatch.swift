import ServiceLifecycle

/// Has the quotas look at what is stored, every few seconds. Between two looks a user's positions may go beyond the
/// bytes that the user may have by what the rate lets through.
struct UsageWatch: Service {
    let coordinator: StoreCoordinator

    /// Seconds between two looks.
    static let seconds: Double = 10

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(Self.seconds))
                // What cannot be read now is looked at the next time.
                try? await coordinator.measureUsage()
            }
        }
    }
}

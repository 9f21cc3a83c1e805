import ServiceLifecycle

/// Measures the content of the store every few seconds. Between two measurements a user may exceed the byte limit by as
/// much as the rates admit.
struct UsageWatch: Service {
    let coordinator: StoreCoordinator

    /// Seconds between two measurements.
    static let seconds: Double = 10

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(Self.seconds))
                // A failed measurement is repeated at the next turn.
                try? await coordinator.measureUsage()
            }
        }
    }
}

import ServiceLifecycle

/// Measures what is stored, every few seconds. Between two measurements a user's positions may exceed the user's byte
/// limit by as much as the rate lets through.
struct UsageWatch: Service {
    let coordinator: StoreCoordinator

    /// Seconds between two measurements.
    static let seconds: Double = 10

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(Self.seconds))
                // A measurement that fails is made the next time.
                try? await coordinator.measureUsage()
            }
        }
    }
}

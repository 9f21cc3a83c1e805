import Testing

/// Waits until something is so, two minutes at most: longer than a busy machine takes.
func until(_ isSo: () async throws -> Bool) async throws {
    for _ in 0..<6_000 {
        if try await isSo() { return }
        try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("it did not come to be so in two minutes")
}

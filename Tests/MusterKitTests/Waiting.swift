import Testing

/// Waits until something is so, half a minute at most.
func until(_ isSo: () async throws -> Bool) async throws {
    for _ in 0..<1_500 {
        if try await isSo() { return }
        try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("it did not come to be so in half a minute")
}

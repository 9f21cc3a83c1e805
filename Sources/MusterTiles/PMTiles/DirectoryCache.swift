import Synchronization

/// The leaf directories that were read last, by their places in the file; also the faults of those that are damaged.
final class DirectoryCache: Sendable {
    typealias Outcome = Result<TileDirectory, TileFileError>

    private struct State {
        var outcomes: [UInt64: (outcome: Outcome, usedAt: UInt64)] = [:]
        var entries = 0
        var clock: UInt64 = 0
    }

    private let state = Mutex(State())
    private let mostDirectories: Int
    private let mostEntries: Int

    /// - Parameter mostEntries: how many entries all directories may have; an entry takes 24 bytes.
    init(mostDirectories: Int = 256, mostEntries: Int = 1_048_576) {
        self.mostDirectories = mostDirectories
        self.mostEntries = mostEntries
    }

    /// Returns the directory at a place, which `read` reads unless it is here. Two threads that miss the same one at
    /// the same time both read it.
    func directory(at offset: UInt64, read: () -> Outcome) throws(TileFileError) -> TileDirectory {
        let found = state.withLock { state -> Outcome? in
            state.clock += 1
            state.outcomes[offset]?.usedAt = state.clock
            return state.outcomes[offset]?.outcome
        }
        if let found { return try found.get() }
        let outcome = read()
        // The disk may do again what it once refused; a damaged directory stays damaged.
        if case .failure(let fault) = outcome, case .unreadable = fault.reason { throw fault }
        state.withLock { insert(outcome, at: offset, into: &$0) }
        return try outcome.get()
    }

    private func insert(_ outcome: Outcome, at offset: UInt64, into state: inout State) {
        guard state.outcomes[offset] == nil else { return }
        state.outcomes[offset] = (outcome, state.clock)
        state.entries += Self.size(of: outcome)
        while state.outcomes.count > mostDirectories || state.entries > mostEntries {
            guard let oldest = state.outcomes.min(by: { $0.value.usedAt < $1.value.usedAt }) else { return }
            state.outcomes[oldest.key] = nil
            state.entries -= Self.size(of: oldest.value.outcome)
        }
    }

    private static func size(of outcome: Outcome) -> Int { (try? outcome.get().entries.count) ?? 0 }
}

import MusterKit

/// A source that also shows each of its positions to somebody.
struct WatchedSource: LocationUpdateSource {
    let source: any LocationSource
    let show: @MainActor @Sendable (Muster.Location) -> Void

    init(_ source: any LocationSource, _ show: @escaping @MainActor @Sendable (Muster.Location) -> Void) {
        self.source = source
        self.show = show
    }

    func fixes() -> AsyncStream<Position> {
        AsyncStream { continuation in
            let task = Task {
                for await update in updates() { if case .fix(let fix) = update { continuation.yield(fix) } }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    func updates() -> AsyncStream<LocationUpdate> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Muster.waitingLimit)) { continuation in
            let task = Task {
                if let source = source as? any LocationUpdateSource {
                    for await update in source.updates() {
                        if case .fix(let fix) = update { await show(Muster.Location(fix)) }
                        continuation.yield(update)
                    }
                } else {
                    for await fix in source.fixes() {
                        await show(Muster.Location(fix))
                        continuation.yield(.fix(fix))
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

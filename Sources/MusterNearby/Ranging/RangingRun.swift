/// The measuring of one peer by a source, until it is cancelled.
struct RangingRun: Sendable {
    /// An event of a run.
    enum News: Sendable {
        /// The peer was measured.
        case measured(RangeMeasurement)
        /// The source has stopped, with its error if it broke. Nothing follows.
        case ended((any Error)?)
    }

    /// Ends the run. A report that is under way may still arrive.
    let cancel: @Sendable () -> Void
}

/// A source that reports its measurements by calling a function, without a task for each peer.
protocol DirectRangingSource: RangingSource {
    /// Starts to measure one peer. The function is called from other threads, or on this one after the return.
    func startDirectly(over link: RangingLink, tell: @escaping @Sendable (RangingRun.News) -> Void) -> RangingRun
}

extension RangingSource {
    /// Starts to measure one peer. The function is called from other threads, or on this one after the return.
    func start(over link: RangingLink, tell: @escaping @Sendable (RangingRun.News) -> Void) -> RangingRun {
        if let direct = self as? any DirectRangingSource { return direct.startDirectly(over: link, tell: tell) }
        let stream = measurements(over: link)
        let task = Task {
            do {
                for try await measurement in stream { tell(.measured(measurement)) }
                if !Task.isCancelled { tell(.ended(nil)) }
            } catch {
                tell(.ended(error))
            }
        }
        return RangingRun { task.cancel() }
    }
}

extension DirectRangingSource {
    /// The measurements of a run as a stream, whose end cancels the run. A slow reader gets the last eight.
    func stream(over link: RangingLink) -> AsyncThrowingStream<RangeMeasurement, any Error> {
        let (stream, continuation) = AsyncThrowingStream<RangeMeasurement, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(8))
        let run = startDirectly(over: link) { news in
            switch news {
            case .measured(let measurement): continuation.yield(measurement)
            case .ended(let error): continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in run.cancel() }
        return stream
    }
}

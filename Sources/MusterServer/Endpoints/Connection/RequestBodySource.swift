import Hummingbird
import NIOCore

/// A body that is handed to whoever answers as it comes, no faster than it is taken.
struct RequestBodySource {
    private typealias Producer = NIOThrowingAsyncSequenceProducer<
        ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Demand
    >

    private let source: Producer.Source

    /// A source, and the body that whoever answers reads. Nobody else may hold the body: that it is dropped says that
    /// nothing more will be read.
    ///
    /// - Parameters:
    ///   - onFirstRead: called from any thread when reading begins, if it does.
    ///   - onDemand: called from any thread when more is wanted.
    ///   - onDrop: called from any thread when nothing more will be read.
    static func make(
        onFirstRead: (@Sendable () -> Void)? = nil,
        onDemand: @escaping @Sendable () -> Void, onDrop: @escaping @Sendable () -> Void
    ) -> (source: RequestBodySource, body: RequestBody) {
        let made = Producer.makeSequence(
            backPressureStrategy: .init(lowWatermark: 2, highWatermark: 10), finishOnDeinit: true,
            delegate: Demand(onDemand: onDemand, onDrop: onDrop))
        let body =
            onFirstRead.map { RequestBody(asyncSequence: Announced(base: made.sequence, onFirstRead: $0)) }
            ?? RequestBody(asyncSequence: made.sequence)
        return (RequestBodySource(source: made.source), body)
    }

    /// Hands on what came.
    ///
    /// - Returns: whether more is wanted; if not, `onDemand` will be called.
    func yield(_ bytes: ByteBuffer) -> Bool {
        switch source.yield(bytes) {
        case .produceMore: true
        case .stopProducing: false
        // Nobody reads it, and `onDrop` says so.
        case .dropped: true
        }
    }

    func finish() { source.finish() }
    func finish(_ error: any Error) { source.finish(error) }

    /// A sequence that says when it is read.
    private struct Announced<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable {
        let base: Base
        let onFirstRead: @Sendable () -> Void

        func makeAsyncIterator() -> Base.AsyncIterator {
            onFirstRead()
            return base.makeAsyncIterator()
        }
    }

    private struct Demand: NIOAsyncSequenceProducerDelegate {
        let onDemand: @Sendable () -> Void
        let onDrop: @Sendable () -> Void

        func produceMore() { onDemand() }
        func didTerminate() { onDrop() }
    }
}

/// A client broke off in the middle of a request.
struct BrokenOffRequest: Error {}

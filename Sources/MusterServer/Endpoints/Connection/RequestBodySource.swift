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
    ///   - onDemand: called from any thread when more is wanted.
    ///   - onDrop: called from any thread when nothing more will be read.
    static func make(
        onDemand: @escaping @Sendable () -> Void, onDrop: @escaping @Sendable () -> Void
    ) -> (source: RequestBodySource, body: RequestBody) {
        let made = Producer.makeSequence(
            backPressureStrategy: .init(lowWatermark: 2, highWatermark: 10), finishOnDeinit: true,
            delegate: Demand(onDemand: onDemand, onDrop: onDrop))
        return (RequestBodySource(source: made.source), RequestBody(asyncSequence: made.sequence))
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

    private struct Demand: NIOAsyncSequenceProducerDelegate {
        let onDemand: @Sendable () -> Void
        let onDrop: @Sendable () -> Void

        func produceMore() { onDemand() }
        func didTerminate() { onDrop() }
    }
}

/// A client broke off in the middle of a request.
struct BrokenOffRequest: Error {}

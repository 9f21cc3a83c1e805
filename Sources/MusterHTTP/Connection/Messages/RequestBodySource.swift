import Hummingbird
import NIOCore

/// Passes a request's body to its handler while it arrives, with backpressure.
struct RequestBodySource {
    private typealias Producer = NIOThrowingAsyncSequenceProducer<
        ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Demand
    >

    private let source: Producer.Source

    /// Makes a source, and the body that the handler reads. Only the handler may hold the body, because dropping it
    /// signals that nothing more will be read.
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

    /// Passes on bytes that arrived.
    ///
    /// - Returns: whether more is wanted; if not, `onDemand` will be called.
    func yield(_ bytes: ByteBuffer) -> Bool {
        switch source.yield(bytes) {
        case .produceMore: true
        case .stopProducing: false
        // The body has been dropped, and `onDrop` reports that.
        case .dropped: true
        }
    }

    func finish() { source.finish() }
    func finish(_ error: any Error) { source.finish(error) }

    /// A sequence that reports when it is first read.
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

/// The client closed the connection in the middle of a request.
package struct BrokenOffRequest: Error {}

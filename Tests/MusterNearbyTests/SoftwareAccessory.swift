import MusterCore
import Synchronization

@testable import MusterNearby

/// An accessory made from the same document as the library: it answers each message as one made of hardware does.
final class SoftwareAccessory: AccessoryConnection {
    private struct State {
        var received: [AccessoryMessage] = []
        var continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation?
    }

    static let configuration: [UInt8] = [1, 0, 0, 0, 20] + [UInt8](repeating: 0, count: 10) + [3, 7, 8, 9]
    private let state = Mutex(State())
    /// The bytes that it sends instead of the message that its radio ranges.
    private let answerToStart: [UInt8]

    init(answerToStart: [UInt8] = AccessoryMessage.didStart.bytes) { self.answerToStart = answerToStart }

    var received: [AccessoryMessage] { state.withLock { $0.received } }

    func messages() -> AsyncThrowingStream<[UInt8], any Error> {
        let (stream, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        state.withLock { $0.continuation = continuation }
        return stream
    }

    func send(_ message: [UInt8]) async throws {
        let message = try AccessoryMessage(message)
        let continuation = state.withLock { state in
            state.received.append(message)
            return state.continuation
        }
        switch message {
        case .initialize: continuation?.yield(AccessoryMessage.configurationData(Self.configuration).bytes)
        case .configureAndStart: continuation?.yield(answerToStart)
        case .stop: continuation?.yield(AccessoryMessage.didStop.bytes)
        default: continuation?.finish()
        }
    }

    /// Sends bytes that are no answer to a message.
    func say(_ bytes: [UInt8]) { state.withLock { _ = $0.continuation?.yield(bytes) } }

    /// Ends the connection.
    func vanish() { state.withLock { $0.continuation?.finish() } }
}

/// A radio that measures what a test says, at each tick.
struct SoftwareRadio: AccessoryRadio {
    let clock: NearbyClock
    var distance: Double? = 5
    var direction: SIMD3<Double>? = SIMD3(0.6, 0, -0.8)
    var configurationBytes = 30

    func configuration(for accessory: [UInt8]) async throws -> [UInt8] {
        [UInt8](repeating: accessory[0], count: configurationBytes)
    }

    func ranges() -> AsyncThrowingStream<AccessoryRange, any Error> {
        let (ticks, distance, direction) = (clock.ticks(.milliseconds(100)), distance, direction)
        let (stream, continuation) = AsyncThrowingStream<AccessoryRange, any Error>.makeStream()
        let task = Task {
            for await now in ticks {
                continuation.yield(AccessoryRange(distance: distance, direction: direction, time: now))
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

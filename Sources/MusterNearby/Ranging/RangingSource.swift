public import MusterGeometry
import MusterMutex

/// Measures the distance and the direction to a peer: a radio, or two position receivers that exchange their positions.
///
/// A source serves any number of peers, each by a stream of its own. A stream ends when its reader stops, and throws
/// when the source breaks; it never yields a number that `RangeMeasurement` refuses.
public protocol RangingSource: Sendable {
    /// The method of measurement. Two devices measure each other with sources of the same kind.
    var kind: RangingKind { get }
    /// The capabilities of the source now, on this device.
    var capabilities: RangingCapabilities { get }
    /// Whether its measurements are simulated, in whole or in part.
    var isSimulated: Bool { get }
    /// Measures one peer until the reader stops.
    func measurements(over link: RangingLink) -> AsyncThrowingStream<RangeMeasurement, any Error>
}

extension RangingSource {
    /// Whether it can measure a distance or a direction on this device at all.
    public var isSupported: Bool { capabilities.distance != nil || capabilities.direction }

    /// Whether the kind of this source is `simulated`.
    public var isSimulated: Bool { kind == .simulated }
}

/// The kinds of sources. The numbers are those of the channel's messages.
public enum RangingKind: UInt8, Hashable, Sendable, CaseIterable {
    /// Simulated positions, with the errors of a real radio.
    case simulated = 0
    /// The fixes of both devices.
    case gps = 1
    /// The strength of a Bluetooth signal.
    case bluetooth = 2
    /// An ultra-wideband accessory.
    case accessory = 3
    /// Several sources together.
    case fused = 4
    /// The ultra-wideband radio that the platform offers for peers.
    case ultraWideband = 5
    /// Bluetooth Channel Sounding.
    case channelSounding = 6

    /// Whether the peer must run the same kind of source for this one to measure it.
    public var needsBothEnds: Bool { ![.bluetooth, .accessory, .channelSounding].contains(self) }
}

/// The capabilities of a source.
public struct RangingCapabilities: Hashable, Sendable {
    /// The precision of its distances; nil when it measures none.
    public var distance: Precision?
    /// Whether it measures a direction or an angle.
    public var direction: Bool
    /// The largest distance at which it measures; nil without a limit.
    public var reach: Metres?

    /// The precision of distances.
    public enum Precision: Hashable, Sendable {
        /// To decimetres.
        case precise
        /// To metres, or worse.
        case rough
    }

    /// Creates capabilities; by default none.
    public init(distance: Precision? = nil, direction: Bool = false, reach: Metres? = nil) {
        self.distance = distance
        self.direction = direction
        self.reach = reach
    }
}

/// The connection that a source uses to its peer: notes of at most `noteLimit` bytes, in both directions. Only the
/// source interprets their content.
public final class RangingLink: Sendable {
    /// The largest number of bytes of a note.
    public static let noteLimit = 512
    /// The notes that wait for a slow source; older ones make room, because only the last one matters.
    private static let waiting = 4

    /// Receives the notes of the peer.
    final class Listener: Sendable {
        let receive: @Sendable ([UInt8]) -> Void
        /// Called when another listener replaces this one.
        let replaced: @Sendable () -> Void

        init(receive: @escaping @Sendable ([UInt8]) -> Void, replaced: @escaping @Sendable () -> Void) {
            (self.receive, self.replaced) = (receive, replaced)
        }
    }

    /// The executor on which notes are sent and delivered; nil for a link without an event loop.
    let executor: (any EventLoopExecutor)?
    private let transmit: @Sendable ([UInt8]) -> Void
    private let listener = Mutex<Listener?>(nil)

    /// Creates a link that sends by a function, which may drop notes while the peer is too slow.
    public convenience init(send: @escaping @Sendable ([UInt8]) -> Void) { self.init(on: nil, send: send) }

    init(on executor: (any EventLoopExecutor)?, send: @escaping @Sendable ([UInt8]) -> Void) {
        self.executor = executor
        transmit = send
    }

    /// A link to nothing, for a source that needs no notes.
    public static var none: RangingLink { RangingLink { _ in } }

    /// Sends a note to the peer's source. A note that is empty or too long is dropped. On the event loop it is sent
    /// after the present task, because the caller may hold locks that the end of the channel needs.
    public func send(_ note: [UInt8]) {
        guard let executor else { return sendNow(note) }
        executor.performSoon { self.sendNow(note) }
    }

    /// Sends a note at once. The caller must hold no lock: on the event loop the channel may end, and call its owner,
    /// before this returns.
    func sendNow(_ note: [UInt8]) {
        if (1...Self.noteLimit).contains(note.count) { transmit(note) }
    }

    /// Passes a note from the peer to the source that listens. If none listens, the note is dropped.
    public func deliver(_ note: [UInt8]) { listener.withLock { $0 }?.receive(note) }

    /// Listens for the peer's notes. An earlier listener gets no more of them.
    public func notes() -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingNewest(Self.waiting))
        listen(receive: { continuation.yield($0) }, replaced: { continuation.finish() })
        return stream
    }

    /// Listens for the peer's notes by a function, which `deliver` calls. An earlier listener gets no more of them.
    @discardableResult func listen(
        receive: @escaping @Sendable ([UInt8]) -> Void, replaced: @escaping @Sendable () -> Void = {}
    ) -> Listener {
        let new = Listener(receive: receive, replaced: replaced)
        let former = listener.withLock { listener in
            defer { listener = new }
            return listener
        }
        former?.replaced()
        return new
    }

    /// Removes a listener. If it is the present one, later notes are dropped.
    func remove(_ old: Listener) {
        listener.withLock { if $0 === old { $0 = nil } }
    }
}

extension AsyncThrowingStream<RangeMeasurement, any Error> {
    /// Makes a stream of the measurements that a task yields. The task begins at once, and is cancelled when the reader
    /// of the stream ends. A slow reader gets the last eight measurements.
    ///
    /// - Parameter run: yields the measurements. The stream ends when it returns, with its error if it throws one.
    static func measuring(
        _ run: @escaping @Sendable (AsyncThrowingStream<RangeMeasurement, any Error>.Continuation) async throws -> Void
    ) -> AsyncThrowingStream<RangeMeasurement, any Error> {
        let (stream, continuation) = makeStream(bufferingPolicy: .bufferingNewest(8))
        let task = Task {
            do {
                try await run(continuation)
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

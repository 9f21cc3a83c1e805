public import MusterCore
import MusterMutex
public import MusterReplication

/// The beacons that a Bluetooth adapter of a Linux machine hears, or a virtual controller, or that a btsnoop capture
/// holds.
///
/// An adapter is used through its raw channel, in parallel with BlueZ. The process needs the right to raw packets
/// (CAP_NET_RAW), which root and a unit of systemd with `AmbientCapabilities=CAP_NET_RAW` have. An adapter that is
/// pulled out or switched off is tried again.
public struct BluetoothBeacons: BeaconSource {
    private let source: any AdvertisementSource
    private let intervalSeconds: Double
    private let now: @Sendable () -> Instant
    private let sleep: @Sendable (Double) async throws -> Void

    /// Nil, because an adapter hears all beacons.
    public var identityLimit: Int? { nil }

    /// The waits between two attempts, seconds: an exponential backoff up to the longest.
    private static let shortestWait = 1.0
    private static let longestWait = 30.0

    /// Listens to an adapter of this machine: 0 for `hci0`.
    public init(adapter: UInt16 = 0, now: @escaping @Sendable () -> Instant = ReplicationPacing.systemNow) {
        self.init(ControllerSource(adapter: adapter, now: now), now: now)
    }

    /// Listens to a virtual controller that sends H4 over TCP.
    public init(
        host: String, port: UInt16, now: @escaping @Sendable () -> Instant = ReplicationPacing.systemNow
    ) {
        self.init(ControllerSource(host: host, port: port, now: now), now: now)
    }

    /// Reads a btsnoop capture, as `btmon -w` writes it.
    ///
    /// - Parameters:
    ///   - path: the capture's file.
    ///   - end: the time to move the last packet to, with all others by as much; nil to keep the recorded times.
    /// - Throws: `MusterError.unexpected` if the file cannot be read or is not a capture.
    public init(capture path: String, movedToEndAt end: Instant? = nil) throws(MusterError) {
        do throws(RadioError) {
            self.init(try CaptureSource(path: path, movedToEndAt: end), now: ReplicationPacing.systemNow)
        } catch {
            throw .unexpected(reason: error.description)
        }
    }

    /// - Parameters:
    ///   - intervalSeconds: the length of an interval; all advertisements of a beacon in it become one sighting.
    ///   - sleep: suspends for a number of seconds.
    init(
        _ source: any AdvertisementSource, intervalSeconds: Double = 1, now: @escaping @Sendable () -> Instant,
        sleep: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) {
        self.source = source
        self.intervalSeconds = intervalSeconds
        self.now = now
        self.sleep = sleep
    }

    /// The sightings of each interval. The stream ends at the end of a capture, and with an error when Bluetooth cannot
    /// be used at all.
    public func listen(for choices: AsyncStream<[BeaconIdentity]>) -> AsyncThrowingStream<BeaconNews, any Error> {
        let limit: AsyncThrowingStream<BeaconNews, any Error>.Continuation.BufferingPolicy =
            source.isLive ? .bufferingNewest(600) : .unbounded
        let (stream, continuation) = AsyncThrowingStream<BeaconNews, any Error>.makeStream(bufferingPolicy: limit)
        let gathered = Gathered(intervalSeconds: intervalSeconds) { continuation.yield($0) }
        let task = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        try await gatherReports(into: gathered)
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
                if source.isLive {
                    group.addTask {
                        while (try? await sleep(intervalSeconds)) != nil { gathered.advance(to: now()) }
                    }
                }
                await group.next()
                group.cancelAll()
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private func gatherReports(into gathered: Gathered) async throws {
        var wait = Self.shortestWait
        while true {
            do {
                for try await news in source.listen() {
                    if news == .listening { wait = Self.shortestWait }
                    gathered.follow(news)
                }
                return gathered.finish()
            } catch let fault as RadioError {
                guard source.isLive, fault.isPassing else { throw MusterError.unexpected(reason: fault.description) }
                gathered.pause(reason: fault.description)
                try await sleep(wait)
                wait = min(wait * 2, Self.longestWait)
            }
        }
    }

    /// The sightings of the present interval. Silence counts as evidence only while the adapter works.
    private final class Gathered: Sendable {
        private struct State {
            var tally: SightingTally
            var hearing = ProvenHearing()
        }

        private let state: Mutex<State>
        private let intervalSeconds: Double
        private let tell: @Sendable (BeaconNews) -> Void

        init(intervalSeconds: Double, tell: @escaping @Sendable (BeaconNews) -> Void) {
            self.intervalSeconds = intervalSeconds
            self.tell = tell
            state = Mutex(State(tally: SightingTally(intervalSeconds: intervalSeconds)))
        }

        func follow(_ news: RadioNews) {
            switch news {
            case .listening:
                state.withLock { [intervalSeconds] state in
                    state.tally = SightingTally(intervalSeconds: intervalSeconds)
                    state.hearing.follow(news)
                }
            case .proved: state.withLock { $0.hearing.follow(news) }
            case .paused(let reason): pause(reason: reason)
            case .heard(let heard):
                tellBatch(
                    state.withLock { state in
                        state.hearing.follow(news)
                        return state.tally.add(heard)
                    })
            }
        }

        /// Ends the intervals that are over, as far as the source is known to have heard.
        func advance(to now: Instant) {
            tellBatch(state.withLock { state in state.hearing.end(at: now).flatMap { state.tally.advance(to: $0) } })
        }

        func finish() { tellBatch(state.withLock { $0.tally.finish() }) }

        func pause(reason: String) {
            finish()
            state.withLock { $0.hearing.stop() }
            tell(.unavailable(reason: reason))
        }

        private func tellBatch(_ batch: SightingBatch?) {
            if let batch { tell(.heard(batch.sightings, until: batch.until)) }
        }
    }
}

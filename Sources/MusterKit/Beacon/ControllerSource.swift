import Foundation
package import MusterCore
import MusterMutex
import MusterWire

/// Advertisements from a Bluetooth controller: an adapter of this machine, or a virtual controller over TCP.
package struct ControllerSource: AdvertisementSource {
    package let isLive = true
    private let target: ControllerConnection.Target
    private let now: @Sendable () -> Instant

    /// How long a read waits before it looks whether the reader has stopped, seconds.
    private static let waitSeconds = 0.25
    /// The largest number of advertisements that wait for the reader; beyond it the oldest are dropped.
    private static let waitingLimit = 20_000

    package var name: String { target.name }

    /// A virtual controller that speaks H4 over TCP.
    package init(host: String, port: UInt16, now: @escaping @Sendable () -> Instant) {
        target = .tcp(host: host, port: port)
        self.now = now
    }

    /// An adapter of this machine, by its number.
    package init(adapter: UInt16, now: @escaping @Sendable () -> Instant) {
        target = .adapter(adapter)
        self.now = now
    }

    package func listen() -> AsyncThrowingStream<RadioNews, any Error> {
        let (stream, continuation) = AsyncThrowingStream<RadioNews, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.waitingLimit))
        let isStopped = Flag()
        continuation.onTermination = { _ in isStopped.value.withLock { $0 = true } }
        let (target, now) = (target, now)
        Thread.detachNewThread {
            do throws(RadioError) {
                try Self.follow(target, isStopped, now) { continuation.yield($0) }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        return stream
    }

    /// Whether the reader of the stream stopped.
    private final class Flag: Sendable {
        let value = Mutex(false)
    }

    /// Keeps the controller scanning, and sends what it hears to the reader until the reader stops. Runs on its own
    /// thread.
    private static func follow(
        _ target: ControllerConnection.Target, _ isStopped: Flag, _ now: @Sendable () -> Instant,
        _ tell: (RadioNews) -> Void
    ) throws(RadioError) {
        let connection = try ControllerConnection(to: target)
        let start = ContinuousClock.now
        func seconds() -> Double { start.duration(to: .now) / .seconds(1) }
        func perform(_ turns: [ScanWatch.Turn]) throws(RadioError) {
            for turn in turns {
                switch turn {
                case .send(let packet): try connection.write(packet)
                case .begins: tell(.listening)
                case .proves: tell(.proved(now()))
                case .ends(let cause): tell(.paused("\(target.name): \(cause); listening again soon"))
                }
            }
        }
        var watch = ScanWatch(resets: target.isOwn, at: seconds())
        var reader = HCIPacketReader()
        var reading = AdvertisementReading()
        try connection.write(watch.firstCommand)
        while !isStopped.value.withLock({ $0 }) {
            reader.append(try connection.read(seconds: waitSeconds))
            while let event = try nextEvent(&reader, target) {
                if watch.isScanning {
                    for heard in reading.advertisements(in: event, at: now()) { tell(.heard(heard)) }
                }
                let turns: [ScanWatch.Turn]
                do throws(ScanSetupError) {
                    turns = try watch.follow(event, at: seconds())
                } catch {
                    throw .refused(controller: target.name, cause: "\(error)")
                }
                try perform(turns)
            }
            if watch.isSilent(at: seconds()) { throw .silent(controller: target.name) }
            try perform(watch.advance(to: seconds()))
        }
    }

    /// Returns the next event; nil until more bytes arrive. A malformed event is skipped.
    private static func nextEvent(
        _ reader: inout HCIPacketReader, _ target: ControllerConnection.Target
    ) throws(RadioError) -> HCIEvent? {
        do throws(HCIError) {
            while let packet = try reader.next() {
                if packet.kind == .event, let event = try? HCIEvent(packet.content) { return event }
            }
            return nil
        } catch {
            throw .refused(controller: target.name, cause: error.description)
        }
    }
}

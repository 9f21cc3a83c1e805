import Foundation
package import MusterCore
import MusterWire
import Synchronization

/// Advertisements from a Bluetooth controller: an adapter of this machine, or a virtual controller over TCP.
package struct ControllerSource: AdvertisementSource {
    package let isLive = true
    private let target: ControllerConnection.Target
    private let now: @Sendable () -> Instant

    /// How long the controller may take to answer a command, seconds.
    private static let answerSeconds = 5.0
    /// How long a read waits before it looks whether the reader has stopped, seconds.
    private static let waitSeconds = 0.25
    /// The number of advertisements that wait for the reader.
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
        continuation.onTermination = { _ in isStopped.value.store(true, ordering: .relaxed) }
        let (target, now) = (target, now)
        Thread.detachNewThread {
            do throws(RadioFault) {
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
        let value = Atomic(false)
    }

    /// Sets the controller up and tells what it hears until the reader stops. Runs on a thread of its own.
    private static func follow(
        _ target: ControllerConnection.Target, _ isStopped: Flag, _ now: @Sendable () -> Instant,
        _ tell: (RadioNews) -> Void
    ) throws(RadioFault) {
        let connection = try ControllerConnection(to: target)
        var setup: ScanSetup
        if case .tcp = target { setup = ScanSetup(resets: true) } else { setup = ScanSetup(resets: false) }
        var reader = HCIPacketReader()
        var reading = AdvertisementReading()
        try connection.write(setup.firstCommand)
        var askedAt = ContinuousClock.now
        while !isStopped.value.load(ordering: .relaxed) {
            reader.append(try connection.read(seconds: waitSeconds))
            while let event = try nextEvent(&reader, target) {
                if setup.isScanning {
                    for heard in reading.advertisements(in: event, at: now()) { tell(.heard(heard)) }
                    continue
                }
                do {
                    guard let command = try setup.follow(event) else {
                        if setup.isScanning { tell(.listening) }
                        continue
                    }
                    try connection.write(command)
                    askedAt = .now
                } catch let fault as RadioFault {
                    throw fault
                } catch {
                    throw .refused(controller: target.name, cause: "\(error)")
                }
            }
            if !setup.isScanning, askedAt.duration(to: .now) > .seconds(answerSeconds) {
                throw .silent(controller: target.name)
            }
        }
    }

    /// Returns the next event; nil until more bytes arrive. An event that contradicts itself is passed over.
    private static func nextEvent(
        _ reader: inout HCIPacketReader, _ target: ControllerConnection.Target
    ) throws(RadioFault) -> HCIEvent? {
        do throws(HCIFault) {
            while let packet = try reader.next() {
                if packet.kind == .event, let event = try? HCIEvent(packet.content) { return event }
            }
            return nil
        } catch {
            throw .refused(controller: target.name, cause: error.description)
        }
    }
}

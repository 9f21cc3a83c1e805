public import MusterCore
import MusterMutex
import MusterWire

/// Recorded sightings, replayed: lines of JSON, as `muster scan --json` prints them and as a device reports them.
///
/// Each line is an object with a `sampleTime` and a beacon: `beacon` in the form `UUID:major:minor`, or `uuid`, `major`
/// and `minor`, or `address`; and, where they are known, `signalStrength` (dBm), `distance` (metres) and `proximity`. A
/// line `{"listenedUntil": …}` states until when the device listened.
public struct RecordedSightings: BeaconSource {
    /// The sightings of each second in the order of time, with the times of the recording.
    public let recorded: [BeaconNews]
    private let shiftMilliseconds: Int64

    /// Nil, because a recording contains everything that was heard.
    public var identityLimit: Int? { nil }

    /// The largest number of lines of a recording.
    public static let lineLimit = 1_000_000

    /// Reads a recording.
    ///
    /// - Parameters:
    ///   - lines: the bytes of the recording.
    ///   - end: the time to move the end of the recording to, with everything before it by as much; nil to keep the
    ///     recorded times.
    /// - Throws: `MusterError.unexpected` with the number of the first line that cannot be read.
    public init(jsonLines lines: [UInt8], movedToEndAt end: Instant? = nil) throws(MusterError) {
        var sightings: [Sighting] = []
        var listened: [Instant] = []
        let texts = lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard texts.count <= Self.lineLimit else {
            throw .unexpected(reason: "a recording has at most \(Self.lineLimit) lines")
        }
        for (index, text) in texts.enumerated() where text.contains(where: { $0 > 0x20 }) {
            guard let report = Self.report(Array(text)) else {
                throw .unexpected(reason: "line \(index + 1) of the recording is not a sighting")
            }
            sightings += report.sightings
            listened += [report.listenedUntil].compactMap(\.self)
        }
        recorded = Self.news(sightings, listened)
        guard let end, case .heard(_, let last)? = recorded.last else {
            shiftMilliseconds = 0
            return
        }
        shiftMilliseconds = end.milliseconds - last.milliseconds
    }

    private static func report(_ line: [UInt8]) -> ReportedSightings? {
        guard var value = try? JSONValue(parsing: line, depthLimit: 4), var members = value.members else { return nil }
        if let text = value["beacon"]?.string {
            guard let beacon = Beacon(text) else { return nil }
            members.removeAll { $0.key == "beacon" }
            members += [
                .init("uuid", .string(beacon.uuid.description)), .init("major", .integer(Int64(beacon.major))),
                .init("minor", .integer(Int64(beacon.minor))),
            ]
            value = .object(members)
        }
        let body = value["listenedUntil"] == nil ? .object([.init("sightings", .array([value]))]) : value
        return try? body.bytes.withUnsafeBytes { bytes in
            try SightingDecoder.decode(bytes, receivedAt: Instant(milliseconds: 0))
        }
    }

    /// Groups the sightings by second, each group with the moment until which the device listened.
    private static func news(_ sightings: [Sighting], _ listened: [Instant]) -> [BeaconNews] {
        var seconds: [Int64: (sightings: [Sighting], until: Instant)] = [:]
        func extend(_ time: Instant, _ sighting: Sighting?) {
            var second = seconds[time.milliseconds / 1_000] ?? ([], time)
            if let sighting { second.sightings.append(sighting) }
            second.until = max(second.until, time)
            seconds[time.milliseconds / 1_000] = second
        }
        for var sighting in sightings {
            sighting.receivedTime = sighting.sampleTime
            extend(sighting.sampleTime, sighting)
        }
        for time in listened { extend(time, nil) }
        return seconds.sorted { $0.key < $1.key }.map { _, second in
            .heard(second.sightings.sorted { $0.sampleTime < $1.sampleTime }, until: second.until)
        }
    }

    /// The recorded sightings, as fast as the reader takes them.
    public func listen(for choices: AsyncStream<[BeaconIdentity]>) -> AsyncThrowingStream<BeaconNews, any Error> {
        let next = Counter()
        return AsyncThrowingStream {
            let index = next.takeNext()
            guard index < recorded.count, !Task.isCancelled else { return nil }
            return moved(recorded[index])
        }
    }

    private func moved(_ news: BeaconNews) -> BeaconNews {
        guard shiftMilliseconds != 0, case .heard(let sightings, let until) = news else { return news }
        return .heard(
            sightings.map { sighting in
                var sighting = sighting
                sighting.sampleTime = moved(sighting.sampleTime)
                sighting.receivedTime = sighting.sampleTime
                return sighting
            }, until: moved(until))
    }

    private func moved(_ time: Instant) -> Instant { Instant(milliseconds: time.milliseconds + shiftMilliseconds) }

    /// Counts from 0.
    private final class Counter: Sendable {
        private let next = Mutex(0)

        func takeNext() -> Int {
            next.withLock { next in
                defer { next += 1 }
                return next
            }
        }
    }
}

public import MusterCore
import MusterMutex
public import MusterReplication
import MusterWire

/// The fixes of a GPX file, replayed with new times.
public struct RecordedTrack: LocationSource {
    /// The fixes, oldest first, with the times of the file.
    public let recorded: [Position]
    /// The number of points of the file that were left out because they have no time.
    public let withoutTime: Int
    /// The new time of the first fix.
    public var start: Instant
    /// The factor by which the replay is faster than the recording.
    public var speed: Double
    /// Fixes with new times up to this one are skipped, because an earlier replay delivered them.
    public var after: Instant?
    private let now: @Sendable () -> Instant
    private let sleep: @Sendable (Double) async throws -> Void

    /// Reads the fixes of all tracks of a file, and orders them by time.
    ///
    /// - Parameters:
    ///   - bytes: the content of the file.
    ///   - start: the new time of the first fix.
    ///   - speed: the factor by which the replay is faster than the recording.
    ///   - now: the clock by which fixes are due.
    ///   - sleep: suspends for a number of seconds.
    /// - Throws: `RecordedTrackError`.
    public init(
        gpx bytes: [UInt8], start: Instant, speed: Double = 1,
        now: @escaping @Sendable () -> Instant = ReplicationPacing.systemNow,
        sleep: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) throws {
        let document: GPXDocument
        do {
            document = try GPXDocument(parsing: bytes)
        } catch {
            throw RecordedTrackError.unreadable(error.description)
        }
        let points = document.tracks.flatMap { $0.segments.flatMap { $0 } }
        recorded = points.compactMap { point in
            point.time.map { time in
                Position(
                    coordinate: point.coordinate, sampleTime: time, receivedTime: time, accuracy: point.accuracy,
                    altitude: point.elevation, speed: point.speed, heading: point.course)
            }
        }.sorted { $0.sampleTime < $1.sampleTime }
        withoutTime = points.count - recorded.count
        guard !recorded.isEmpty else { throw RecordedTrackError.noTimes }
        self.start = start
        self.speed = speed
        self.now = now
        self.sleep = sleep
    }

    /// Seconds from the first fix to the last in the replay.
    public var durationSeconds: Double {
        end?.seconds(since: start) ?? 0
    }

    /// The new time of the last fix.
    public var end: Instant? {
        var times = times()
        return recorded.indices.reduce(nil) { _, index in times.next(recorded[index]) }
    }

    private func times() -> PlayedTimes { PlayedTimes(start: start, speed: speed, first: recorded[0].sampleTime) }

    /// The new times of fixes, in order. Fixes that differ get different times at any speed, because a fix is
    /// identified by its time.
    private struct PlayedTimes {
        let start: Instant
        let speed: Double
        let first: Instant
        private var last: (fix: Position, played: Instant)?

        init(start: Instant, speed: Double, first: Instant) {
            (self.start, self.speed, self.first) = (start, speed, first)
        }

        mutating func next(_ fix: Position) -> Instant {
            var time = start.advanced(bySeconds: fix.sampleTime.seconds(since: first) / speed)
            if let last, time <= last.played {
                time = fix == last.fix ? last.played : Instant(milliseconds: last.played.milliseconds + 1)
            }
            last = (fix, time)
            return time
        }
    }

    /// A fix with its new time, and its speed over ground in proportion.
    private func played(_ fix: Position, at time: Instant) -> Position {
        var fix = fix
        fix.sampleTime = time
        fix.receivedTime = time
        if let metresPerSecond = fix.speed { fix.speed = metresPerSecond * speed }
        return fix
    }

    /// A stream of the fixes, each at its new time. A slow reader receives every fix, because the next is sent only
    /// after the one before it was read.
    public func fixes() -> AsyncStream<Position> {
        let state = Mutex((next: 0, times: times()))
        return AsyncStream {
            while !Task.isCancelled {
                let next = state.withLock { state -> Position? in
                    guard state.next < recorded.count else { return nil }
                    defer { state.next += 1 }
                    let fix = recorded[state.next]
                    return played(fix, at: state.times.next(fix))
                }
                guard let fix = next else { return nil }
                if let after, fix.sampleTime <= after { continue }
                let wait = fix.sampleTime.seconds(since: now())
                if wait > 0 { try? await sleep(wait) }
                return Task.isCancelled ? nil : fix
            }
            return nil
        }
    }
}

/// An error of reading a GPX file.
public enum RecordedTrackError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file is not GPX.
    case unreadable(String)
    /// No point in the file has a time.
    case noTimes

    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .unreadable(let reason): "the file cannot be read: \(reason)"
        case .noTimes: "no point of the file says when it was"
        }
    }
}

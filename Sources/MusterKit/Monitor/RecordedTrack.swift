public import MusterCore
public import MusterReplication
import MusterWire
import Synchronization

/// The fixes of a GPX file, played as if they were taken now.
public struct RecordedTrack: LocationSource {
    /// The fixes, oldest first, at the times that the file says.
    public let recorded: [Position]
    /// When the first fix is taken as taken.
    public var start: Instant
    /// How many times faster than it was walked.
    public var speed: Double
    /// Fixes up to this time were played before, and are passed over.
    public var after: Instant?
    private let now: @Sendable () -> Instant
    private let sleep: @Sendable (Double) async throws -> Void

    /// Why a file cannot be played.
    public enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// It cannot be read as GPX.
        case unreadable(String)
        /// No point in it has a time.
        case noTimes

        /// One sentence without a full stop.
        public var description: String {
            switch self {
            case .unreadable(let reason): "the file cannot be read: \(reason)"
            case .noTimes: "no point of the file says when it was"
            }
        }
    }

    /// The fixes of a file, all its tracks one after the other.
    ///
    /// - Parameters:
    ///   - bytes: what the file holds.
    ///   - start: when the first fix is taken as taken.
    ///   - speed: how many times faster than it was walked.
    /// - Throws: `Fault`.
    public init(
        gpx bytes: [UInt8], start: Instant, speed: Double = 1,
        now: @escaping @Sendable () -> Instant = ReplicationPacing.systemNow,
        sleep: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) throws {
        let document: GPXDocument
        do {
            document = try GPXDocument(parsing: bytes)
        } catch {
            throw Fault.unreadable(error.description)
        }
        recorded = document.tracks.flatMap { $0.segments.flatMap { $0 } }.compactMap { point in
            point.time.map { time in
                Position(
                    coordinate: point.coordinate, sampleTime: time, receivedTime: time, accuracy: point.accuracy,
                    altitude: point.elevation, speed: point.speed, heading: point.course)
            }
        }.sorted { $0.sampleTime < $1.sampleTime }
        guard !recorded.isEmpty else { throw Fault.noTimes }
        self.start = start
        self.speed = speed
        self.now = now
        self.sleep = sleep
    }

    /// Seconds from the first fix to the last, as they are played.
    public var durationSeconds: Double {
        guard let first = recorded.first, let last = recorded.last else { return 0 }
        return last.sampleTime.seconds(since: first.sampleTime) / speed
    }

    /// When the last fix is taken as taken.
    public var end: Instant? { recorded.last.map { played($0).sampleTime } }

    /// A fix as it is played.
    private func played(_ fix: Position) -> Position {
        let offset = fix.sampleTime.seconds(since: recorded[0].sampleTime) / speed
        var fix = fix
        fix.sampleTime = start.advanced(bySeconds: offset)
        fix.receivedTime = fix.sampleTime
        if let metresPerSecond = fix.speed { fix.speed = metresPerSecond * speed }
        return fix
    }

    /// The fixes, each when its time has come, and none before the one before it was taken: who is slow misses none.
    public func fixes() -> AsyncStream<Position> {
        let next = Mutex(0)
        return AsyncStream {
            while !Task.isCancelled {
                let index = next.withLock { next in
                    defer { next += 1 }
                    return next
                }
                guard index < recorded.count else { return nil }
                let fix = played(recorded[index])
                if let after, fix.sampleTime <= after { continue }
                let wait = fix.sampleTime.seconds(since: now())
                if wait > 0 { try? await sleep(wait) }
                return Task.isCancelled ? nil : fix
            }
            return nil
        }
    }
}

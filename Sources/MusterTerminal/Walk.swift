import Foundation
package import MusterCore
import MusterGeometry
import MusterHTTP
import MusterSimulator
import MusterWire

/// The fixes of GPX files in one sequence, with times in seconds from the first.
package struct Walk {
    /// A fix and its time.
    package struct Fix {
        var seconds: Double
        var point: GPXDocument.Point

        /// The fix as a position, for a walk that begins at `start` and is replayed `factor` times faster.
        package func position(from start: Instant, speed factor: Double) -> Position {
            let time = start.advanced(bySeconds: seconds / factor)
            return Position(
                coordinate: point.coordinate, sampleTime: time, receivedTime: time, accuracy: point.accuracy,
                altitude: point.elevation, speed: point.speed, heading: point.course)
        }
    }

    /// The points of a file that are walked.
    package enum Source: Sendable {
        case tracks, routes, waypoints
    }

    package private(set) var fixes: [Fix] = []
    /// The number of points without a time in files where others have one. Their times are estimated.
    package private(set) var estimatedCount = 0
    /// Whether no point has a time, so that all times follow from a speed.
    package private(set) var isUntimed = false

    /// The time from the first fix to the last, in seconds.
    package var durationSeconds: Double { fixes.last?.seconds ?? 0 }

    /// The walking speed, in metres a second, by which a time is estimated that is missing among others.
    package static let strideMetresPerSecond = 1.4
    /// The pause between the last fix of a file and the first of the next, in seconds.
    package static let pauseSeconds: Double = 60
    package static let longestPauseSeconds: Double = 600

    /// Reads GPX files.
    ///
    /// A point without a later time than its predecessor is reached at the walking speed, after at least a second.
    /// Pauses are shortened to `longestPauseSeconds`.
    ///
    /// - Parameter metresPerSecond: the speed for files in which no point has a time; nil where the caller has none.
    /// - Throws: `InputFile.Unreadable`; `CommandFailure` that names the file and, for invalid GPX, the line; for a
    ///   file without such points, or without times where no speed is given, it says what the file has.
    package init(files: [String], source: Source = .tracks, metresPerSecond: Double? = nil) throws {
        var timed: String?
        for file in files {
            let data = try InputFile.read(file)
            let document: GPXDocument
            do {
                document = try GPXDocument(parsing: Array(data))
            } catch {
                throw CommandFailure("\(file): \(error)")
            }
            let points = document.points(of: source)
            guard !points.isEmpty else { throw CommandFailure(document.absence(of: source, in: file)) }
            let untimed = points.count { $0.time == nil }
            if untimed == points.count {
                guard let metresPerSecond else {
                    throw CommandFailure(
                        "\(file): none of its \(points.count) points has a time. To walk it all the same, give "
                            + "--start, the time of the first point, and --speed, in metres a second")
                }
                isUntimed = true
                append(points, metresPerSecond: metresPerSecond)
            } else {
                timed = file
                estimatedCount += untimed
                append(points, metresPerSecond: Self.strideMetresPerSecond)
            }
        }
        if let timed, isUntimed {
            throw CommandFailure("\(timed) has times and another file has none: replay them one by one")
        }
    }

    private mutating func append(_ points: [GPXDocument.Point], metresPerSecond: Double) {
        var seconds = fixes.last.map { $0.seconds + Self.pauseSeconds } ?? 0
        var last: GPXDocument.Point?
        for point in points {
            if let last { seconds += Self.seconds(from: last, to: point, metresPerSecond) }
            fixes.append(Fix(seconds: seconds, point: point))
            last = point
        }
    }

    private static func seconds(
        from last: GPXDocument.Point, to point: GPXDocument.Point, _ metresPerSecond: Double
    ) -> Double {
        if let earlier = last.time, let later = point.time, later > earlier {
            return min(longestPauseSeconds, later.seconds(since: earlier))
        }
        return max(1, last.coordinate.distance(to: point.coordinate).value / metresPerSecond)
    }

    /// Moves every fix by the error of a phone's GPS, and sets its claimed accuracy.
    ///
    /// - Parameter seed: equal seeds give equal errors.
    package mutating func addNoise(seed: UInt64) {
        guard let first = fixes.first else { return }
        let plane = LocalPlane(origin: first.point.coordinate)
        var receiver = Receiver(Noise(.honest, environment: .suburb), chance: SeededRandom(seed: seed))
        for index in fixes.indices {
            let truth = plane.offset(fixes[index].point.coordinate)
            let reading = receiver.reading(
                of: truth, speed: fixes[index].point.speed ?? Self.strideMetresPerSecond,
                atSeconds: fixes[index].seconds)
            fixes[index].point.coordinate = plane.coordinate(reading.offset)
            fixes[index].point.accuracy = reading.accuracyMetres.map { Metres($0) }
            fixes[index].point.speed = reading.speed
        }
    }
}

extension GPXDocument {
    /// The points of the tracks, the routes or the waypoints.
    fileprivate func points(of source: Walk.Source) -> [Point] {
        switch source {
        case .tracks: tracks.flatMap { $0.segments.flatMap { $0 } }
        case .routes: routes.flatMap(\.points)
        case .waypoints: waypoints
        }
    }

    /// Says that a file has no such points, which points it has instead, and how to walk them.
    fileprivate func absence(of source: Walk.Source, in file: String) -> String {
        let kinds: [(source: Walk.Source, name: String, option: String)] = [
            (.tracks, "track points", "no option"), (.routes, "route points", "--route"),
            (.waypoints, "waypoints", "--waypoints"),
        ]
        let wanted = kinds.first { $0.source == source }?.name ?? ""
        let others = kinds.compactMap { kind -> String? in
            let count = points(of: kind.source).count
            return count == 0 ? nil : "\(count) \(kind.name), which are walked with \(kind.option)"
        }
        return "\(file) has no \(wanted)"
            + (others.isEmpty ? ", and no other point" : "; it has \(others.joined(separator: ", and "))")
    }
}

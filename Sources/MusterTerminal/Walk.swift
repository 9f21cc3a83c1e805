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

    package private(set) var fixes: [Fix] = []

    /// The time from the first fix to the last, in seconds.
    package var durationSeconds: Double { fixes.last?.seconds ?? 0 }

    /// The walking speed, in metres a second, for tracks without times.
    package static let strideMetresPerSecond = 1.4
    /// The pause between the last fix of a file and the first of the next, in seconds.
    package static let pauseSeconds: Double = 60
    package static let longestPauseSeconds: Double = 600

    /// Reads the tracks of GPX files, or the routes of a file without tracks.
    ///
    /// A point without a later time than its predecessor is reached at `strideMetresPerSecond`, after at least a
    /// second. Pauses are shortened to `longestPauseSeconds`.
    ///
    /// - Throws: `InputFile.Unreadable`; `CommandFailure` that names the file and, for invalid GPX, the line.
    package init(files: [String]) throws {
        for file in files {
            let data = try InputFile.read(file)
            let document: GPXDocument
            do {
                document = try GPXDocument(parsing: Array(data))
            } catch {
                throw CommandFailure("\(file): \(error)")
            }
            let points = document.tracks.flatMap { $0.segments.flatMap { $0 } }
            append(points.isEmpty ? document.routes.flatMap(\.points) : points)
        }
        guard !fixes.isEmpty else { throw CommandFailure("there is not a point in \(files.joined(separator: ", "))") }
    }

    private mutating func append(_ points: [GPXDocument.Point]) {
        var seconds = fixes.last.map { $0.seconds + Self.pauseSeconds } ?? 0
        var last: GPXDocument.Point?
        for point in points {
            if let last { seconds += Self.seconds(from: last, to: point) }
            fixes.append(Fix(seconds: seconds, point: point))
            last = point
        }
    }

    private static func seconds(from last: GPXDocument.Point, to point: GPXDocument.Point) -> Double {
        if let earlier = last.time, let later = point.time, later > earlier {
            return min(longestPauseSeconds, later.seconds(since: earlier))
        }
        return max(1, last.coordinate.distance(to: point.coordinate).value / strideMetresPerSecond)
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

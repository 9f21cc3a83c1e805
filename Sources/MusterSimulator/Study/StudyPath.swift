package import MusterGeometry

/// The true way of a person during a run of the study, in metres around the origin.
package enum StudyPath: Sendable {
    /// In one place all the time.
    case still(Offset, seconds: Double)
    /// Eastwards from `reach` metres west of the origin to as far east of it, with a pause in the middle, and `north`
    /// metres north of it.
    case through(reach: Double, speed: Double, pauseSeconds: Double, north: Double)
    /// In one place for `afterSeconds`, then at the origin for `restSeconds`.
    case moved(from: Offset, afterSeconds: Double, restSeconds: Double)
    /// At rest for 300 s `reach` metres west of the middle, then eastwards to it, and at rest there; all `north` metres
    /// north of the origin.
    case arriving(reach: Double, speed: Double, restSeconds: Double, north: Double)
    /// Along a recorded track.
    case recorded(RecordedPath)

    /// How long the way takes, seconds.
    package var seconds: Double {
        switch self {
        case .still(_, let seconds): seconds
        case .through(let reach, let speed, let pause, _): 2 * reach / speed + pause
        case .moved(_, let after, let rest): after + rest
        case .arriving(let reach, let speed, let rest, _): 300 + reach / speed + rest
        case .recorded(let path): path.seconds
        }
    }

    /// Returns where the person is at a time since the beginning, and how fast, in metres a second.
    func motion(at time: Double) -> (offset: Offset, speed: Double) {
        switch self {
        case .still(let offset, _):
            return (offset, 0)
        case .through(let reach, let speed, let pause, let north):
            let arrival = reach / speed
            if time < arrival { return (Offset(east: speed * time - reach, north: north), speed) }
            let later = max(0, time - arrival - pause)
            return (Offset(east: speed * later, north: north), later > 0 ? speed : 0)
        case .moved(let from, let after, _):
            return (time < after ? from : .zero, 0)
        case .arriving(let reach, let speed, _, let north):
            let gone = min(max(0, time - 300) * speed, reach)
            return (Offset(east: gone - reach, north: north), gone > 0 && gone < reach ? speed : 0)
        case .recorded(let path):
            return path.place(at: time)
        }
    }

    /// Returns the times at which the person is in a region, in order.
    func visits(to region: StudyRegion) -> [ClosedRange<Double>] {
        switch (self, region) {
        case (.through(let reach, let speed, let pause, let north), .circle(.zero, let radius)):
            guard abs(north) < radius else { return [] }
            let half = (radius * radius - north * north).squareRoot()
            return [(reach - half) / speed...(reach + half) / speed + pause]
        case (.still(let offset, let seconds), _):
            return region.signedDistance(of: offset) >= 0 ? [0...seconds] : []
        default:
            // The steps are of a second, which is short for a walker.
            var visits: [ClosedRange<Double>] = []
            var since: Double?
            for time in stride(from: 0, through: seconds, by: 1) {
                let isInside = region.signedDistance(of: motion(at: time).offset) >= 0
                if isInside, since == nil { since = time }
                if !isInside, let begin = since {
                    visits.append(begin...time)
                    since = nil
                }
            }
            if let begin = since { visits.append(begin...seconds) }
            return visits
        }
    }
}

/// A smoothed real track, which counts as the truth of a person's way.
package struct RecordedPath: Sendable {
    /// One place for each second.
    private let places: [Offset]

    /// Creates the way through fixes that are in order of time. Pauses are cut to 10 minutes; then the way is smoothed
    /// over 31 s with Hann's window. Nil when it lasts less than 10 minutes.
    package init?(_ fixes: [(seconds: Double, offset: Offset)]) {
        var straight: [Offset] = []
        for (from, to) in zip(fixes, fixes.dropFirst()) where to.seconds > from.seconds {
            let duration = min(to.seconds - from.seconds, 600).rounded(.up)
            for second in 0..<Int(duration) {
                straight.append(from.offset + (to.offset - from.offset) * (Double(second) / duration))
            }
        }
        guard straight.count >= 600 else { return nil }
        // Hann's window over 31 s, with the weights (1 + cos). A recurrence computes the cosines, without a
        // trigonometric function.
        let step = Offset.direction(degrees: 360 / 32)
        var weights: [Double] = []
        var turn = Offset(east: 0, north: 1)
        for _ in 0...15 {
            weights.append((1 + turn.north) / 32)
            turn = Offset(
                east: turn.east * step.north + turn.north * step.east,
                north: turn.north * step.north - turn.east * step.east)
        }
        places = straight.indices.map { index in
            var sum = Offset.zero
            var total = 0.0
            for lag in -15...15 where straight.indices.contains(index + lag) {
                sum = sum + straight[index + lag] * weights[abs(lag)]
                total += weights[abs(lag)]
            }
            return sum * (1 / total)
        }
    }

    /// How long the way takes, seconds.
    package var seconds: Double { Double(places.count - 1) }

    /// Returns where the person is at a time, and how fast, in metres a second.
    package func place(at time: Double) -> (offset: Offset, speed: Double) {
        let index = max(0, min(places.count - 2, Int(time)))
        let way = places[index + 1] - places[index]
        return (places[index] + way * max(0, min(1, time - Double(index))), way.length)
    }
}

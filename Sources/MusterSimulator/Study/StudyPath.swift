/// Where someone truly is during a run of the study, in metres around the origin.
package enum StudyPath: Sendable {
    /// In one place.
    case still(Offset, seconds: Double)
    /// Eastwards from `reach` metres west of the middle, with a pause there, to as far east; so far north of it.
    case through(reach: Double, speed: Double, pauseSeconds: Double, north: Double)
    /// In one place, and after so many seconds in the middle, where it rests as long again.
    case moved(from: Offset, afterSeconds: Double, restSeconds: Double)
    /// Eastwards from `reach` metres west of the middle, and at rest there.
    case arriving(reach: Double, speed: Double, restSeconds: Double, north: Double)
    /// As someone went.
    case recorded(RecordedPath)

    /// How long it takes.
    package var seconds: Double {
        switch self {
        case .still(_, let seconds): seconds
        case .through(let reach, let speed, let pause, _): 2 * reach / speed + pause
        case .moved(_, let after, let rest): after + rest
        case .arriving(let reach, let speed, let rest, _): 300 + reach / speed + rest
        case .recorded(let path): path.seconds
        }
    }

    /// Where someone is at a time from its beginning, and how fast.
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

    /// The times at which someone is in a circle, in order.
    func visits(to region: StudyRegion) -> [ClosedRange<Double>] {
        switch (self, region) {
        case (.through(let reach, let speed, let pause, let north), .circle(.zero, let radius)):
            guard abs(north) < radius else { return [] }
            let half = (radius * radius - north * north).squareRoot()
            return [(reach - half) / speed...(reach + half) / speed + pause]
        case (.still(let offset, let seconds), _):
            return region.signedDistance(of: offset) >= 0 ? [0...seconds] : []
        default:
            // A second is as long as nothing, to who walks.
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

/// A real track, smoothed: what is taken for the truth of someone's way.
package struct RecordedPath: Sendable {
    /// One place a second.
    private let places: [Offset]

    /// The way through fixes in order of time, as seconds and metres. Pauses are cut to 10 minutes; then the way is
    /// smoothed over 31 s with Hann's window. Nil when it lasts less than 10 minutes.
    package init?(_ fixes: [(seconds: Double, offset: Offset)]) {
        var straight: [Offset] = []
        for (from, to) in zip(fixes, fixes.dropFirst()) where to.seconds > from.seconds {
            let duration = min(to.seconds - from.seconds, 600).rounded(.up)
            for second in 0..<Int(duration) {
                straight.append(from.offset + (to.offset - from.offset) * (Double(second) / duration))
            }
        }
        guard straight.count >= 600 else { return nil }
        // Hann's window over 31 s, as weights of (1 + cos) without a trigonometric function: cosines by recurrence.
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

    /// How long it takes.
    package var seconds: Double { Double(places.count - 1) }

    /// Where someone is at a time, and how fast.
    package func place(at time: Double) -> (offset: Offset, speed: Double) {
        let index = max(0, min(places.count - 2, Int(time)))
        let way = places[index + 1] - places[index]
        return (places[index] + way * max(0, min(1, time - Double(index))), way.length)
    }
}

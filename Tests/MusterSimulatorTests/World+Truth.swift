import MusterCore
import MusterGeometry

@testable import MusterSimulator

/// What is true in a simulated world: where people are, and what they crossed.
extension World {
    /// Returns where a person truly is at a moment; nil before the part of their way that is kept, and after `now`.
    func truePosition(of person: Int, at time: Instant) -> Coordinate? {
        guard time <= now else { return nil }
        let seconds = time.seconds(since: start)
        return travellers[person].itinerary.leg(at: seconds).map {
            surroundings.plane.coordinate($0.offset(at: seconds))
        }
    }

    /// Returns the sample times of the person's fixes that were or will be delivered, ascending: at least the latest
    /// 50,000.
    func sampleTimes(of person: Int) -> [Instant] { travellers[person].sampleTimes }

    /// Returns a person's stays inside a shape up to now, in order, from where their straight legs meet its boundary. A
    /// point on the boundary is inside. Takes O(legs × vertices).
    func trueVisits(to shape: Shape, by person: Int) -> [Visit] {
        let outline = Outline(shape, on: surroundings.plane)
        let until = now.seconds(since: start)
        var visits: [Visit] = []
        for leg in travellers[person].itinerary.legs where leg.startSeconds <= until {
            let known = leg.endSeconds > until ? leg.cut(at: until) : leg
            for stay in outline.stays(on: known) {
                if let last = visits.last, stay.lowerBound - last.toSeconds < 1e-6 {
                    visits[visits.count - 1].toSeconds = stay.upperBound
                } else {
                    visits.append(Visit(fromSeconds: stay.lowerBound, toSeconds: stay.upperBound))
                }
            }
        }
        return visits
    }

    /// Returns a person's crossings of a shape up to now that fixes could show, in order: those that a server with
    /// every fix, each exact, would report if the first fix inside is an enter and the first outside an exit. It leaves
    /// out stays and absences that fall between two fixes, and an exit before the first fix.
    func trueCrossings(of shape: Shape, by person: Int) -> [TrueCrossing] {
        let visits = trueVisits(to: shape, by: person)
        var crossings: [TrueCrossing] = []
        var isInside = false
        var next = 0
        for time in sampleTimes(of: person) {
            let seconds = time.seconds(since: start)
            while next < visits.count, visits[next].toSeconds < seconds { next += 1 }
            let nowInside = next < visits.count && visits[next].fromSeconds <= seconds
            if nowInside, !isInside {
                crossings.append(
                    TrueCrossing(kind: .enter, crossedSeconds: visits[next].fromSeconds, sampleTime: time))
            } else if !nowInside, isInside {
                crossings.append(
                    TrueCrossing(kind: .exit, crossedSeconds: visits[next - 1].toSeconds, sampleTime: time))
            }
            isInside = nowInside
        }
        return crossings
    }
}

/// A true stay of a person inside a shape, without measurement error.
struct Visit: Hashable, Sendable {
    /// When the stay began, in seconds since the world began. For a person inside at the first known moment, it is
    /// that moment.
    var fromSeconds: Double
    /// When the stay ended, in seconds since the world began. For a person still inside, it is the moment that the
    /// world has reached.
    var toSeconds: Double
}

/// A true crossing of a boundary, and the first fix that could show it.
struct TrueCrossing: Hashable, Sendable {
    /// Whether the person entered or left.
    var kind: Crossing.Kind
    /// When the boundary was crossed, in seconds since the world began.
    var crossedSeconds: Double
    /// The sample time of the first fix taken beyond the boundary.
    var sampleTime: Instant
}

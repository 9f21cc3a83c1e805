package import MusterGeometry

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A seeded simulation of a house with a scanner in each room and one person who carries a tag, with the true room of
/// the tag.
///
/// A signal loses 27 dB for ten times the distance and 4 dB in each wall. One part of its error changes slowly, as
/// people and doors move; another part is new for each advertisement. One advertisement in five is lost.
package struct RadioHouse: Sendable {
    /// One sighting of the tag by a scanner, with the true room of the tag.
    package struct Hearing: Hashable, Sendable {
        /// Seconds since the beginning of the simulation.
        package var seconds: Double
        /// The room whose scanner heard the tag.
        package var scanner: Int
        /// The strength of the signal, dBm.
        package var signal: Double
        /// The true room of the tag.
        package var truth: Int
    }

    /// The number of rooms in a row, and the number of rows.
    package static let columns = 3
    package static let rows = 2
    /// The side of a room, metres.
    package static let side = 5.0

    private static var count: Int { columns * rows }
    private static let slowDeviation = 4.0
    private static let slowSeconds = 20.0
    private static let fastDeviation = 3.0
    private static let lost = 0.2
    private static let weakest = -95.0

    /// Returns the sightings of some hours, in the order of time.
    ///
    /// - Parameters:
    ///   - seed: the same seed yields the same hours.
    ///   - silent: the room whose scanner is unplugged for the second half; nil for none.
    ///   - rest: how long the person stays in one place at least, and how much longer on average, seconds.
    package static func hearings(
        hours: Double, seed: UInt64, silent: Int? = nil, rest: (least: Double, mean: Double) = (60, 240)
    ) -> [Hearing] {
        var chance = SeededRandom(seed: seed)
        var hearings: [Hearing] = []
        var place = centre(of: 0)
        var goal = place
        var restUntil = 0.0
        var slow = (0..<count).map { _ in chance.normal(deviation: slowDeviation) }
        let keep = exp(-1 / slowSeconds)
        for second in 0..<Int(hours * 3600) {
            let time = Double(second)
            if time >= restUntil, place == goal {
                let room = Int(chance.uniform(0, Double(count)))
                let middle = centre(of: room)
                goal = Offset(
                    east: middle.east + chance.uniform(-1.8, 1.8), north: middle.north + chance.uniform(-1.8, 1.8))
                restUntil = time + rest.least + chance.exponential(mean: rest.mean)
            }
            place = place.moved(towards: goal, metres: 1)
            let truth = room(of: place)
            for scanner in 0..<count {
                slow[scanner] =
                    keep * slow[scanner]
                    + chance.normal(
                        deviation: slowDeviation * (1 - keep * keep).squareRoot())
                let signal = signal(from: place, to: scanner) + slow[scanner] + chance.normal(deviation: fastDeviation)
                let isUnplugged = scanner == silent && time > hours * 1800
                if chance.chance(lost) || signal < weakest || isUnplugged { continue }
                hearings.append(
                    Hearing(
                        seconds: time + Double(scanner) * 0.01, scanner: scanner, signal: signal.rounded(),
                        truth: truth))
            }
        }
        return hearings
    }

    /// The centre of a room, from the house's southwestern corner.
    package static func centre(of room: Int) -> Offset {
        Offset(
            east: (Double(room % columns) + 0.5) * side, north: (Double(room / columns) + 0.5) * side)
    }

    private static func room(of place: Offset) -> Int {
        let column = min(max(Int(place.east / side), 0), columns - 1)
        let row = min(max(Int(place.north / side), 0), rows - 1)
        return row * columns + column
    }

    private static func signal(from place: Offset, to scanner: Int) -> Double {
        let other = centre(of: scanner)
        let distance = max(hypot(place.east - other.east, place.north - other.north), 0.3)
        let from = room(of: place)
        let walls = abs(from % columns - scanner % columns) + abs(from / columns - scanner / columns)
        return -59 - 27 * log10(distance) - 4 * Double(walls)
    }
}

extension Offset {
    /// Returns the position after one step towards a goal.
    fileprivate func moved(towards goal: Offset, metres: Double) -> Offset {
        let distance = hypot(goal.east - east, goal.north - north)
        guard distance > metres else { return goal }
        let share = metres / distance
        return Offset(east: east + share * (goal.east - east), north: north + share * (goal.north - north))
    }
}

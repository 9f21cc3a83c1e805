import MusterGeometry

/// The true way of a person during a run of the safety study: stretches of a straight line, at one speed each.
package struct SafetyWay: Sendable {
    /// A stretch of the way.
    private struct Stretch: Sendable {
        var begin: Double
        var place: Offset
        var velocity: Offset
    }

    private var stretches: [Stretch] = []
    /// How long the way takes, seconds.
    package private(set) var seconds = 0.0
    /// Where the way ends so far.
    private(set) var end: Offset

    init(from place: Offset) { end = place }

    /// Adds a stretch on which the person stays where they are.
    mutating func rest(seconds: Double) { add(velocity: .zero, seconds: seconds) }

    /// Adds a straight stretch to a place, at a speed in metres a second.
    mutating func move(to place: Offset, speed: Double) {
        let way = place - end
        guard way.length > 0 else { return }
        add(velocity: way * (speed / way.length), seconds: way.length / speed)
        end = place
    }

    /// Returns where the person is at a time since the beginning, and how fast, in metres a second.
    func motion(at time: Double) -> (offset: Offset, speed: Double) {
        guard let stretch = stretches.last(where: { $0.begin <= time }) ?? stretches.first else { return (end, 0) }
        guard time < seconds else { return (end, 0) }
        return (stretch.place + stretch.velocity * max(time - stretch.begin, 0), stretch.velocity.length)
    }

    private mutating func add(velocity: Offset, seconds length: Double) {
        stretches.append(Stretch(begin: seconds, place: end, velocity: velocity))
        seconds += length
        end = end + velocity * length
    }
}

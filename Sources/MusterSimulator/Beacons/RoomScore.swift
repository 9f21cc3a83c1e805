/// How well a rule tells rooms: how much of the time it is right, how often it flaps, and how late it is.
package struct RoomScore: Hashable, Sendable {
    /// The time that was scored, seconds.
    package private(set) var seconds = 0.0
    /// The time in which the rule told the true room, seconds.
    package private(set) var rightSeconds = 0.0
    /// How often the rule told another room, beyond the times that the tag truly changed its room.
    package var flaps: Int { max(0, changes - trueChanges) }
    /// How often the rule told another room than before, and how often the truth changed.
    package private(set) var changes = 0
    package private(set) var trueChanges = 0
    /// How long after a true change the rule told the new room, for those where it did before the next, seconds.
    package private(set) var delays: [Double] = []

    /// The share of the time in which the rule was right.
    package var rightShare: Double { seconds > 0 ? rightSeconds / seconds : 0 }
    /// The number of flaps in an hour.
    package var flapsPerHour: Double { seconds > 0 ? Double(flaps) * 3600 / seconds : 0 }
    /// The middle delay; nil when the rule followed no change.
    package var medianDelay: Double? {
        delays.isEmpty ? nil : delays.sorted()[delays.count / 2]
    }

    /// Creates an empty score.
    package init() {}

    /// Lets a rule hear all, in order.
    package mutating func add(_ hearings: [RadioHouse.Hearing], by rule: some RoomRule) {
        var rule = rule
        var (told, truth): (Int?, Int?) = (nil, nil)
        var changedAt: Double?
        for (index, hearing) in hearings.enumerated() {
            if let truth, truth != hearing.truth {
                trueChanges += 1
                changedAt = hearing.seconds
            }
            truth = hearing.truth
            let room = rule.hear(hearing)
            if let room {
                if let told, told != room { changes += 1 }
                told = room
            }
            if room == truth, let changed = changedAt {
                delays.append(hearing.seconds - changed)
                changedAt = nil
            }
            guard index + 1 < hearings.count else { continue }
            // A gap in the data is not scored for longer than a scanner would be silent.
            let length = min(hearings[index + 1].seconds - hearing.seconds, 10)
            seconds += length
            if room == truth { rightSeconds += length }
        }
    }
}

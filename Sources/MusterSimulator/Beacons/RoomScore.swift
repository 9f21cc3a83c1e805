/// Rates a rule: the share of the time in which it is right, how often it flaps, and its delay.
package struct RoomScore: Hashable, Sendable {
    /// The length of the scored time, seconds.
    package private(set) var seconds = 0.0
    /// The time in which the rule named the true room, seconds.
    package private(set) var rightSeconds = 0.0
    /// The number of changes of room that the rule reported beyond the true changes.
    package var flaps: Int { max(0, changes - trueChanges) }
    /// How often the room that the rule names changed, and how often the true room changed.
    package private(set) var changes = 0
    package private(set) var trueChanges = 0
    /// The delays from a true change to the rule's change, seconds. A change that the rule did not follow before the
    /// next is left out.
    package private(set) var delays: [Double] = []

    /// The share of the time in which the rule was right.
    package var rightShare: Double { seconds > 0 ? rightSeconds / seconds : 0 }
    /// The number of flaps in an hour.
    package var flapsPerHour: Double { seconds > 0 ? Double(flaps) * 3600 / seconds : 0 }
    /// The median delay; nil when the rule followed no change.
    package var medianDelay: Double? {
        delays.isEmpty ? nil : delays.sorted()[delays.count / 2]
    }

    /// Creates an empty score.
    package init() {}

    /// Applies the rule to all sightings in order, and adds the result to the score.
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
            let room = rule.applyHearing(hearing)
            if let room {
                if let told, told != room { changes += 1 }
                told = room
            }
            if room == truth, let changed = changedAt {
                delays.append(hearing.seconds - changed)
                changedAt = nil
            }
            guard index + 1 < hearings.count else { continue }
            // A gap in the data counts for ten seconds at most.
            let length = min(hearings[index + 1].seconds - hearing.seconds, 10)
            seconds += length
            if room == truth { rightSeconds += length }
        }
    }
}

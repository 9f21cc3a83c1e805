package import MusterCore
package import MusterGeometry

/// How the phones take fixes and send them.
package struct Reporting: Hashable, Sendable {
    /// Seconds between two fixes.
    package var intervalSeconds: Double
    /// By what share an interval varies: 0.2 means ±20 %.
    package var jitterShare: Double
    /// The share of fixes that the receiver never gets.
    package var lostShare: Double
    /// The share of fixes that the phone delivers a second time, some seconds later.
    package var duplicateShare: Double
    /// The number of pauses an hour, each of 5 to 30 minutes without any fix, of a person who stands still.
    package var gapsPerHour: Double
    /// Where and when there is no network; at most 1,000 zones.
    package var deadZones: [DeadZone]
    /// Whether the fixes that a dead zone held back come in random order, and not oldest first.
    package var shufflesBursts: Bool

    /// Creates a reporting. By default a phone takes a fix every 5 s ± 20 %, and delivers each at once and once.
    ///
    /// - Precondition: the interval is 0.1 s to a day; the jitter is 0.9 at most, other shares less than 1; gaps are
    ///   not negative.
    package init(
        intervalSeconds: Double = 5, jitterShare: Double = 0.2, lostShare: Double = 0, duplicateShare: Double = 0,
        gapsPerHour: Double = 0, deadZones: [DeadZone] = [], shufflesBursts: Bool = false
    ) {
        precondition((0.1...86_400).contains(intervalSeconds), "an interval of 0.1 s to a day")
        precondition((0...0.9).contains(jitterShare), "a jitter of 0 to 0.9")
        precondition([lostShare, duplicateShare].allSatisfy((0..<1).contains), "a share of 0 to less than 1")
        precondition(gapsPerHour >= 0, "no negative rate")
        precondition(deadZones.count <= 1000, "at most 1,000 dead zones")
        self.intervalSeconds = intervalSeconds
        self.jitterShare = jitterShare
        self.lostShare = lostShare
        self.duplicateShare = duplicateShare
        self.gapsPerHour = gapsPerHour
        self.deadZones = deadZones
        self.shufflesBursts = shufflesBursts
    }
}

/// A zone without a network: within a circle, during a time, and for one person, as far as these are given.
package struct DeadZone: Hashable, Sendable {
    /// The area without a network; nil means everywhere.
    package var area: Circle?
    /// When the zone begins; nil means that it has no beginning.
    package var from: Instant?
    /// When the zone ends; nil means that it has no end.
    package var until: Instant?
    /// The index of the only person affected; nil means that everyone is.
    package var person: Int?

    /// Creates a dead zone. Without arguments nobody ever has a network.
    package init(area: Circle? = nil, from: Instant? = nil, until: Instant? = nil, person: Int? = nil) {
        self.area = area
        self.from = from
        self.until = until
        self.person = person
    }

    /// Whether a person at a place and time has no network. The area's boundary and both end times belong to the zone.
    func holds(_ person: Int, at coordinate: Coordinate, time: Instant) -> Bool {
        if let whose = self.person, whose != person { return false }
        if let from, time < from { return false }
        if let until, time > until { return false }
        guard let area else { return true }
        return area.centre.distance(to: coordinate) <= area.radius
    }
}

/// A position in transit to the server, and the time at which it arrives.
package struct Delivery: Hashable, Sendable {
    /// The person whose position it is: an index into the world's people.
    package var person: Int
    /// The position that arrives. Its received time is the time of arrival.
    package var position: Position
    /// When the position arrives; never before its sample time.
    package var deliveredAt: Instant
}

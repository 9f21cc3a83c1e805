/// Evidence that the server's clock is wrong: the clocks of most devices differ from it by the same amount.
public struct ServerClock: Hashable, Sendable {
    /// By how many seconds the server's clock seems to be ahead of the devices'; negative where it is behind.
    public let aheadSeconds: Double
    /// How many devices agree on that.
    public let devices: Int
    /// How many devices the server heard within ten minutes.
    public let heard: Int
}

extension Engine {
    /// How recently the server must have heard a device that counts, seconds.
    static var clockWitnessSeconds: Double { 600 }
    /// How many devices at least must agree, and to how many seconds.
    private static var leastWitnesses: Int { 3 }
    private static var agreementSeconds: Double { 30 }

    /// Adjusts the times in the engine's state to the server's clock: when the server starts, and when its clock was
    /// set back. Times that lie ahead of it become now. After a start (`wasOff`), people whose check-in is overdue have
    /// a minute to react, and so have crews that a PAR waits for.
    ///
    /// - Complexity: O(people + devices).
    public mutating func adjustTimes(to now: Instant, wasOff: Bool) {
        for index in devices.indices { devices[index].adjustTimes(to: now) }
        for index in people.indices { people[index].declared.adjustTimes(to: now, wasOff: wasOff) }
        for incident in courses.keys { courses[incident]?.adjustTimes(to: now, wasOff: wasOff) }
        for incident in rolls.keys { rolls[incident]?.adjustTimes(to: now) }
        ranges.removeAll(after: now)
        accountedTimes.removeAll()
    }

    /// Returns the evidence that the server's clock is wrong: three devices or more, and more than half of those heard
    /// within ten minutes, are off by more than a minute, and by the same to 30 seconds. Nil when there is none.
    ///
    /// - Complexity: O(devices); O(n log n) in those whose clocks are off.
    public func suspectServerClock(now: Instant) -> ServerClock? {
        var heard = 0
        var leads: [Double] = []
        for state in devices {
            guard let moment = state.heard, now.seconds(since: moment) <= Self.clockWitnessSeconds else { continue }
            heard += 1
            if state.isWatched, let skew = state.clockSkew { leads.append(skew.aheadSeconds) }
        }
        guard leads.count >= Self.leastWitnesses, 2 * leads.count > heard else { return nil }
        leads.sort()
        let median = leads[leads.count / 2]
        let agreeing = leads.count { abs($0 - median) <= Self.agreementSeconds }
        guard agreeing >= Self.leastWitnesses, 2 * agreeing > heard else { return nil }
        return ServerClock(aheadSeconds: -median, devices: agreeing, heard: heard)
    }
}

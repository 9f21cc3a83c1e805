/// What the devices' clocks say of the server's: where most of them disagree with it alike, it is the server's that is
/// off.
public struct ServerClock: Hashable, Sendable {
    /// By how many seconds the server's clock seems to be ahead of the devices'; negative where it is behind.
    public let aheadSeconds: Double
    /// How many devices say so.
    public let devices: Int
    /// How many devices were heard of late.
    public let heard: Int
}

extension Engine {
    /// Devices heard within so many seconds are asked.
    static var clockWitnessSeconds: Double { 600 }
    /// So many at least must agree, to so many seconds.
    private static var leastWitnesses: Int { 3 }
    private static var agreementSeconds: Double { 30 }

    /// Why the server should not trust its own clock: three devices or more, and more than half of those heard within
    /// ten minutes, are off by more than a minute, and by the same to 30 seconds. Nil where that is not so.
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

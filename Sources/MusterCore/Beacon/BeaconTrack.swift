import MusterGeometry

/// The sightings of one device in one beacon region.
public struct BeaconTrack: Hashable, Sendable {
    /// The beacon region in which the device was heard.
    public var region: RegionNumber
    /// The device that reported the sightings: the moving device itself, or the region's scanner.
    public var listener: DeviceNumber
    /// The last moments at which the device was heard within the region's reach, by the listener's clock in
    /// milliseconds, the newest last; at most `hitLimit`.
    public var hits: [Int64]
    /// The sample time of the newest sighting, within the reach or not, by the listener's clock in milliseconds.
    public var heard: Int64
    /// The filtered strength in dBm, converted to the reference beacon; 0 when unknown. A known strength is negative.
    public var signal: Float
    /// When the server received the newest sighting, milliseconds.
    public var arrival: Int64

    /// The number of moments that are kept.
    public static let hitLimit = 6

    public init(
        region: RegionNumber, listener: DeviceNumber, hits: [Int64] = [], heard: Int64 = 0, signal: Float = 0,
        arrival: Int64 = 0
    ) {
        self.region = region
        self.listener = listener
        self.hits = hits
        self.heard = heard
        self.signal = signal
        self.arrival = arrival
    }

    /// Whether the strength is known.
    public var isSignalKnown: Bool { signal != 0 }

    /// The newest moment at which the device was heard within the region's reach; nil before the first.
    public var lastHit: Instant? { hits.last.map { Instant(milliseconds: $0) } }

    /// By how many seconds the listener's clock was ahead of the server's at the newest sighting within the reach; 0
    /// where it was not. Without it a listener whose clock is ahead would seem to have listened for longer than it did.
    var leadSeconds: Double { hits.last.map { max(0, Double($0 - arrival) / 1000) } ?? 0 }

    /// The distance class that follows from the signal; unknown when there is no signal.
    public var proximity: Sighting.Proximity {
        guard isSignalKnown else { return .unknown }
        if Double(signal) >= BeaconPolicy.weakestSignal(within: .immediate) { return .immediate }
        return Double(signal) >= BeaconPolicy.weakestSignal(within: .near) ? .near : .far
    }
}

extension BeaconTrack {
    /// Updates the track with a sighting.
    ///
    /// - Parameter isInside: whether the device is already inside; then a signal weaker by `BeaconPolicy.reachMargin`
    ///   still counts.
    mutating func applySighting(_ sighting: Sighting, within reach: BeaconArea.Reach, isInside: Bool) {
        let moment = sighting.sampleTime.milliseconds
        filter(sighting, elapsedSeconds: Double(moment - heard) / 1000)
        heard = max(heard, moment)
        let limit = BeaconPolicy.weakestSignal(within: reach) - (isInside ? BeaconPolicy.reachMargin : 0)
        // Without a signal the sighting does not show that the device is near.
        guard reach == .far || (isSignalKnown && Double(signal) >= limit) else { return }
        noteHit(at: sighting.sampleTime, received: sighting.receivedTime)
    }

    /// Records that the device was heard within the region's reach.
    mutating func noteHit(at moment: Instant, received: Instant) {
        arrival = max(arrival, received.milliseconds)
        if let last = hits.last, Double(moment.milliseconds - last) < BeaconPolicy.momentSeconds * 1000 { return }
        hits.append(moment.milliseconds)
        if hits.count > Self.hitLimit { hits.removeFirst() }
    }

    /// Records that the device's operating system reports it inside. This counts as three sightings, which enter a
    /// region of standard mode; a muster region needs one more.
    mutating func noteEnter(at moment: Instant, received: Instant) {
        // Replaces the earlier sightings, so that a repeated report counts once.
        hits = [1_200, 600, 0].map { moment.milliseconds - $0 }
        arrival = max(arrival, received.milliseconds)
    }

    /// Forgets all that was heard, because the region or the tag is another now.
    mutating func forget() { self = BeaconTrack(region: region, listener: listener, arrival: arrival) }

    /// If the newest sighting lies ahead of `now`, moves all sightings back by the same time, so that the newest is at
    /// `now`. See `BeaconMemory.adjustTimes`.
    mutating func adjustTimes(to now: Instant) {
        arrival = min(arrival, now.milliseconds)
        let ahead = max(heard, hits.last ?? heard)
        guard Engine.isAhead(Instant(milliseconds: ahead), of: now) else { return }
        let shift = ahead - now.milliseconds
        heard -= shift
        hits = hits.map { $0 - shift }
    }

    private mutating func filter(_ sighting: Sighting, elapsedSeconds: Double) {
        guard let sample = sighting.comparableSignal else { return }
        guard isSignalKnown else {
            signal = Float(sample)
            return
        }
        let share = elapsedSeconds / (elapsedSeconds + BeaconPolicy.filterSeconds)
        signal += Float(min(max(share, 0.15), 1)) * (Float(sample) - signal)
    }

    /// Returns the probability that the device is inside, given that the listener last listened at `moment` of its own
    /// clock, and that it has listened without a silence since `resumed` if there was one.
    ///
    /// Sightings from before a silence hold a standing until the absence since then ends it. They begin no standing.
    ///
    /// - Parameter isHeld: whether the device is inside already. Otherwise only what was heard since the silence
    ///   counts.
    func probability(at moment: Instant, listeningSince resumed: Instant?, isHeld: Bool) -> Double {
        guard let last = hits.last else { return 0 }
        let first = last - Int64(BeaconPolicy.windowSeconds * 1000)
        let since = isHeld ? Int64.min : resumed?.milliseconds ?? .min
        let count = hits.count { $0 > first && $0 >= since }
        let absence = Double(moment.milliseconds) - Double(max(last, resumed?.milliseconds ?? last))
        return BeaconPolicy.probability(sightings: count) * BeaconPolicy.decay(seconds: absence / 1000)
    }

    /// Whether a standing inside does not rest on sightings from before a silence of the listener: since then there
    /// were as many as an enter takes.
    ///
    /// - Parameter resumed: when the silence ended; nil when there was none.
    func isBorneOut(since resumed: Instant?, _ mode: RegionMode) -> Bool {
        guard let resumed, let first = hits.first, first < resumed.milliseconds else { return true }
        let count = hits.count { $0 >= resumed.milliseconds }
        return BeaconPolicy.probability(sightings: count) > mode.enterProbability
    }

    /// Returns the signal strength with which rooms are compared. It fades while no sighting arrives.
    func presentSignal(at now: Instant) -> Double {
        let silence = Double(now.milliseconds - arrival) / 1000
        let known = isSignalKnown ? Double(signal) : -100
        return known - max(0, silence - BeaconPolicy.fadeAfterSeconds)
    }
}

extension Sighting {
    /// The sighting's strength converted to the reference beacon; nil when the sighting has no distance, strength or
    /// proximity class. The distance is preferred, because it already accounts for the strength of the beacon that was
    /// heard.
    var comparableSignal: Double? {
        if let distance, distance.value > 0, distance.value.isFinite {
            return BeaconPolicy.signal(atMetres: distance.value)
        }
        if let signalStrength, signalStrength < 0, signalStrength.isFinite { return signalStrength }
        return switch proximity {
        case .unknown: nil
        case .immediate: BeaconPolicy.signal(atMetres: 0.3)
        case .near: BeaconPolicy.signal(atMetres: 1.5)
        case .far: BeaconPolicy.signal(atMetres: 8)
        }
    }
}

/// How the engine handled some observations. The counts add up to the number of observations.
public struct Tally: Hashable, Sendable {
    /// The number that the engine accepted as current.
    public var accepted = 0
    /// The number that the engine stores as history, because they were late.
    public var late = 0
    /// The number that the store held already.
    public var repeated = 0
    /// The number that a tracker's filter kept out of the store.
    public var filtered = 0

    /// Creates a tally of no observations.
    public init() {}

    /// Adds the counts of another tally.
    public static func += (left: inout Tally, right: Tally) {
        left.accepted += right.accepted
        left.late += right.late
        left.repeated += right.repeated
        left.filtered += right.filtered
    }

    /// Counts one more observation.
    public mutating func count(_ verdict: Verdict) {
        switch verdict {
        case .accepted: accepted += 1
        case .late: late += 1
        case .filtered: filtered += 1
        }
    }
}

/// What the caller must look up before the engine can decide an observation.
public enum Question: Hashable, Sendable {
    /// Whether the store holds the observation already. If so, it is a repetition and changes nothing.
    case isStored
    /// The device's latest positions up to a sample time, for `restore`: this engine has not followed the device yet.
    case trail(of: DeviceNumber, until: Instant)
}

extension Engine {
    /// How far back a trail is worth reading, seconds. Older fixes weigh nothing in the track, and with a fix a second
    /// the trail still fits in one read.
    public static let trailSeconds: Double = 900

    /// Decides observations in order, up to the first that raises a question.
    ///
    /// An observation that crosses nothing costs no allocation.
    ///
    /// - Parameters:
    ///   - observations: the observations, in the order to decide them in.
    ///   - index: the first observation to decide; afterwards the first that was not decided.
    ///   - now: the server's time.
    ///   - decision: what was decided before; the call adds to it.
    ///   - tally: the call counts its verdicts here.
    /// - Returns: the question that the observation at `index` raises; nil when all are decided.
    public func decideBatch(
        _ observations: [Observation], from index: inout Int, now: Instant, into decision: inout Decision,
        tally: inout Tally
    ) -> Question? {
        while index < observations.count {
            if index % Self.approachCount == 0 { decision.touched &+= approach(observations, from: index) }
            // Nearly all observations are positions: one `case` takes each apart for both calls.
            if case .position(let position, let device) = observations[index] {
                if let question = question(about: position, of: device, now: now, after: decision) { return question }
                tally.count(decidePosition(position, of: device, now: now, into: &decision))
            } else {
                let observation = observations[index]
                if let question = question(about: observation, now: now, after: decision) { return question }
                tally.count(decide(observation, now: now, into: &decision))
            }
            index += 1
        }
        return nil
    }

    /// Returns what the caller must look up before the engine decides an observation; nil when it need not look up
    /// anything.
    public func question(about observation: Observation, now: Instant, after decision: Decision) -> Question? {
        switch observation {
        case .position(let position, let device):
            return question(about: position, of: device, now: now, after: decision)
        case .sighting(let sighting, let device):
            return isHistory(sighting, of: device, now: now, after: decision) ? .isStored : nil
        case .listening:
            return nil
        case .range, .note, .signal, .declaration:
            // Only the store holds earlier notes, signals and declarations, and ranges that a clock ahead of the
            // server's dated later than all others.
            return .isStored
        }
    }

    private func question(
        about position: Position, of device: DeviceNumber, now: Instant, after decision: Decision
    ) -> Question? {
        let index = Int(device.rawValue)
        if position.isAtZero, isMisplaced(position, of: device, after: decision) { return .isStored }
        // This runs for every observation, so it does not copy the state.
        if let place = decision.devices.slot(of: index) {
            return question(about: position, of: device, decision.devices.states, place)
        }
        return devices.indices.contains(index)
            ? question(about: position, of: device, devices, index)
            : Self.isAhead(position.sampleTime, of: position.receivedTime) ? .isStored : nil
    }

    private func question(
        about position: Position, of device: DeviceNumber, _ states: [DeviceState], _ place: Int
    ) -> Question? {
        // The engine may have corrected the clock differently when the same sample came before.
        if states[place].isWatched || Self.isAhead(position.sampleTime, of: position.receivedTime) {
            return .isStored
        }
        guard let evaluated = states[place].evaluated else { return nil }
        if position.sampleTime <= evaluated { return .isStored }
        return states[place].track.fixes == 0 && states[place].isLocated ? .trail(of: device, until: evaluated) : nil
    }

    /// Advances a device's track along positions that were decided before this engine was made, so that the track
    /// continues where it was. No standing changes.
    ///
    /// - Parameter trail: the device's latest positions, ascending; may be empty. The newest evaluated position comes
    ///   after them.
    public func restore(_ trail: [Position], of device: DeviceNumber, into decision: inout Decision) {
        var state = state(of: device, after: decision)
        state.restoreTrack(from: trail)
        decision.record(state, of: device)
    }
}

/// What became of some observations; the counts add up to how many there were.
public struct Tally: Hashable, Sendable {
    /// Moved a device's state.
    public var accepted = 0
    /// Older than what is known: kept as history.
    public var late = 0
    /// Already stored.
    public var repeated = 0
    /// Left out by the tracker's filter.
    public var filtered = 0

    /// Of none.
    public init() {}

    /// Adds what another counted.
    public static func += (left: inout Tally, right: Tally) {
        left.accepted += right.accepted
        left.late += right.late
        left.repeated += right.repeated
        left.filtered += right.filtered
    }

    /// Counts one more.
    public mutating func count(_ verdict: Verdict) {
        switch verdict {
        case .accepted: accepted += 1
        case .late: late += 1
        case .filtered: filtered += 1
        }
    }
}

/// What the engine must be told before it can decide an observation.
public enum Question: Hashable, Sendable {
    /// Whether the store holds it already: then it is a repetition and changes nothing.
    case isStored
    /// Where the device was until then, for `restore`: the engine has not followed it since it was started.
    case trail(of: DeviceNumber, until: Instant)
}

extension Engine {
    /// How long a trail is worth recalling: what is older weighs nothing in the track, and a fix a second is no more
    /// than is read at once.
    public static let trailSeconds: Double = 900

    /// Decides observations in order, up to the first that raises a question.
    ///
    /// Nothing is allocated for an observation that crosses nothing.
    ///
    /// - Parameters:
    ///   - observations: what was observed.
    ///   - index: the first to decide; afterwards the first that was not decided.
    ///   - now: the server's time.
    ///   - decision: what was decided before, added to.
    ///   - tally: counts what became of them.
    /// - Returns: the question that the observation at `index` raises; nil when all are decided.
    public func decideBatch(
        _ observations: [Observation], from index: inout Int, now: Instant, into decision: inout Decision,
        tally: inout Tally
    ) -> Question? {
        while index < observations.count {
            if index % Self.approachCount == 0 { decision.touched &+= approach(observations, from: index) }
            // Nearly all are positions: taken apart once, for both.
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

    /// What must be known before an observation is decided; nil: nothing.
    public func question(about observation: Observation, now: Instant, after decision: Decision) -> Question? {
        switch observation {
        case .position(let position, let device):
            return question(about: position, of: device, now: now, after: decision)
        case .sighting(let sighting, let device):
            return isHistory(sighting, of: device, now: now, after: decision) ? .isStored : nil
        case .note, .declaration:
            // What was said before stands in the store alone.
            return .isStored
        }
    }

    private func question(
        about position: Position, of device: DeviceNumber, now: Instant, after decision: Decision
    ) -> Question? {
        let index = Int(device.rawValue)
        // Asked for every observation: so the state is not copied.
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
        // A clock that is off may be corrected otherwise than when the same sample came before.
        if states[place].isWatched || Self.isAhead(position.sampleTime, of: position.receivedTime) {
            return .isStored
        }
        guard let evaluated = states[place].evaluated else { return nil }
        if position.sampleTime <= evaluated { return .isStored }
        return states[place].track.fixes == 0 && states[place].isLocated ? .trail(of: device, until: evaluated) : nil
    }

    /// Follows a device along positions that were decided before this engine was made, so that its track goes on where
    /// it was. No standing changes.
    ///
    /// - Parameter trail: its latest positions, ascending; with none, the newest that is known is taken.
    public func restore(_ trail: [Position], of device: DeviceNumber, into decision: inout Decision) {
        var state = state(of: device, after: decision)
        for position in trail { state.track.advance(ConfidentFix(position)) }
        if let located = state.located { state.track.advance(ConfidentFix(located)) }
        decision.record(state, of: device)
    }
}

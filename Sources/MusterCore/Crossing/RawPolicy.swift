import MusterGeometry

/// How a fix becomes crossings.
protocol CrossingPolicy {
    /// Moves a device's presences to where a fix says it is, and adds the crossings to the decision: exits, then
    /// enters, then dwells, each in region order.
    static func cross(
        _ position: Position, device: DeviceNumber, tracker: Atlas.TrackerRule, atlas: Atlas,
        state: inout DeviceState, into decision: inout Decision)
}

/// The fix is believed as it is: inside means inside. The first fix inside is an enter, the first fix outside an exit
/// (held back by the region's exit delay), a fix inside after the dwell time a dwell. Amazon Location's rule.
enum RawPolicy: CrossingPolicy {
    static func cross(
        _ position: Position, device: DeviceNumber, tracker: Atlas.TrackerRule, atlas: Atlas,
        state: inout DeviceState, into decision: inout Decision
    ) {
        atlas.regions(containing: position.coordinate, for: tracker, into: &decision.inside)
        if decision.inside.isEmpty && state.presences.isEmpty { return }
        let fix = Fix(device: device, time: position.sampleTime)
        leave(at: fix, tracker: tracker, atlas: atlas, state: &state, into: &decision)
        enter(at: fix, state: &state, into: &decision)
        dwell(at: fix, atlas: atlas, state: &state, into: &decision)
    }

    private struct Fix {
        var device: DeviceNumber
        var time: Instant
    }

    /// Exits what the fix is outside of; drops, without a crossing, what was removed or is no longer linked.
    private static func leave(
        at fix: Fix, tracker: Atlas.TrackerRule, atlas: Atlas, state: inout DeviceState, into decision: inout Decision
    ) {
        var kept = 0
        for index in state.presences.indices {
            var presence = state.presences[index]
            guard let rule = atlas.rule(of: presence.region), tracker.collections.contains(rule.collection) else {
                continue
            }
            if contains(decision.inside, presence.region) {
                presence.leftAt = nil
            } else {
                let leftAt = presence.leftAt ?? fix.time
                presence.leftAt = leftAt
                if fix.time.seconds(since: leftAt) >= rule.exitDelaySeconds {
                    decision.cross(.exit, fix.device, presence.region, leftAt)
                    continue
                }
            }
            if state.presences[kept] != presence {
                state.presences[kept] = presence
                decision.presencesChanged = true
            }
            kept += 1
        }
        if kept < state.presences.count {
            state.presences.removeLast(state.presences.count - kept)
            decision.presencesChanged = true
        }
    }

    private static func enter(at fix: Fix, state: inout DeviceState, into decision: inout Decision) {
        guard decision.inside.count > state.presences.lazy.filter({ $0.leftAt == nil }).count else { return }
        for number in decision.inside {
            let region = RegionNumber(number)
            let place = state.presences.firstIndex { $0.region >= region } ?? state.presences.endIndex
            if place < state.presences.endIndex, state.presences[place].region == region { continue }
            state.presences.insert(Presence(region: region, since: fix.time), at: place)
            decision.presencesChanged = true
            decision.cross(.enter, fix.device, region, fix.time)
        }
    }

    private static func dwell(
        at fix: Fix, atlas: Atlas, state: inout DeviceState, into decision: inout Decision
    ) {
        for index in state.presences.indices {
            let presence = state.presences[index]
            guard !presence.hasDwelt, presence.leftAt == nil,
                let wanted = atlas.rule(of: presence.region)?.dwellSeconds,
                fix.time.seconds(since: presence.since) >= wanted
            else { continue }
            state.presences[index].hasDwelt = true
            decision.presencesChanged = true
            decision.cross(.dwell, fix.device, presence.region, fix.time)
        }
    }

    private static func contains(_ sorted: [Int32], _ region: RegionNumber) -> Bool {
        sorted.contains(region.rawValue)
    }
}

extension Decision {
    mutating func cross(_ kind: Crossing.Kind, _ device: DeviceNumber, _ region: RegionNumber, _ time: Instant) {
        changes.append(.crossing(Crossing(kind: kind, device: device, region: region, sampleTime: time)))
    }
}

import MusterGeometry

/// Updates a device's presences after a fix and decides the crossings: exits, then enters, then dwells, each in region
/// order. Raw and confident collections share this code; only the decision of a standing differs.
///
/// The confident policy debounces crossings by hysteresis: a device enters at a higher probability than the one at
/// which it exits, so that a device that lies still at a boundary does not flap. A collection's exit delay debounces
/// exits.
struct CrossingEvaluator {
    let estimate: FixEstimate
    var scope = Scope.events

    /// Which of a device's presences the evaluator updates.
    enum Scope {
        /// `DeviceState.presences`: events follow from them, and each is decided under its collection's policy.
        case events
        /// `DeviceState.musterPresences`: safety in the muster regions of raw collections follows from them. The
        /// confident policy decides them, and they cause no events.
        case musterRegions
        /// The part of `DeviceState.presences` that sightings decide: those in beacon regions.
        case beacons
    }

    /// Merges the presences and the scratch's `nearbyRegions`, both in region order, in one pass, and updates the
    /// presences.
    ///
    /// - Returns: whether the device is at rest: no presence changed, and none would change as long as no boundary
    ///   comes near.
    func evaluate(
        _ presences: inout [Presence], by track: ConfidentTrack, in catalog: RegionCatalog, on scratch: inout Scratch
    ) -> Bool {
        if staysPut(presences, scratch.nearbyRegions, in: catalog) { return true }
        let changedBefore = scratch.presencesChanged
        scratch.presencesChanged = false
        defer { scratch.presencesChanged = scratch.presencesChanged || changedBefore }
        scratch.presences.removeAll(keepingCapacity: true)
        var former = 0
        var found = 0
        while former < presences.count || found < scratch.nearbyRegions.count {
            let presence = former < presences.count ? presences[former] : nil
            let nearbyRegion = found < scratch.nearbyRegions.count ? scratch.nearbyRegions[found] : nil
            let number = min(presence?.region.rawValue ?? .max, nearbyRegion?.id ?? .max)
            let isKnown = presence?.region.rawValue == number
            let isFound = nearbyRegion?.id == number
            if isKnown { former += 1 }
            if isFound { found += 1 }
            // A region that was found exists, is linked to the tracker and is no beacon region. Most regions end here,
            // without a look at their rules, which are in no cache.
            if isKnown, isFound, let presence, let nearbyRegion, isSteady(presence, nearbyRegion, in: catalog) {
                scratch.presences.append(presence)
                continue
            }
            guard let rule = catalog.rule(of: RegionNumber(number)), concerns(rule) else {
                // The region was removed or unlinked: its presence ends without a crossing.
                if isKnown { scratch.presencesChanged = true }
                continue
            }
            if rule.beacon != nil {
                // Sightings decide this region, so a position leaves its presence as it is.
                if let presence, isKnown { scratch.presences.append(presence) }
                continue
            }
            evaluate(
                RegionNumber(number), rule, from: isKnown ? presence : nil,
                signedDistanceMetres: isFound ? nearbyRegion?.signedDistanceMetres : nil, by: track, in: catalog,
                on: &scratch)
        }
        scratch.tellGathered()
        // Most fixes change no presence and so need no copy.
        if scratch.presencesChanged { presences = Self.inOwnRoom(scratch.presences) }
        return false
    }

    /// Whether the evaluator updates presences in a region.
    func concerns(_ rule: RegionCatalog.RegionRule) -> Bool {
        switch scope {
        case .events: estimate.tracker.isLinked(to: rule.collection)
        case .beacons: rule.beacon != nil && estimate.tracker.isLinked(to: rule.collection)
        case .musterRegions: rule.isShelter && rule.policy == .raw && estimate.tracker.isLinked(to: rule.collection)
        }
    }

    /// Whether the confident policy decides presences in a region.
    func isConfident(_ rule: RegionCatalog.RegionRule) -> Bool { scope != .events || rule.policy == .confident }

    /// Returns a copy whose capacity is its count. The scratch's own array would keep the largest capacity that any
    /// device ever needed, once for each device.
    @inline(never)
    private static func inOwnRoom(_ presences: [Presence]) -> [Presence] {
        Array(unsafeUninitializedCapacity: presences.count) { room, count in
            (_, count) = room.initialize(from: presences)
        }
    }

    /// Whether the fix changes nothing: the device is deep inside the regions of its presences and far outside all
    /// others, and has nothing to report. This is the usual case and is decided first. The found regions exist and are
    /// linked to the tracker.
    private func staysPut(_ presences: [Presence], _ nearbyRegions: Answers<NearbyRegion>, in catalog: RegionCatalog)
        -> Bool
    {
        var former = 0
        for index in 0..<nearbyRegions.count {
            let nearbyRegion = nearbyRegions[index]
            if former < presences.count && presences[former].region.rawValue == nearbyRegion.id {
                guard isSteady(presences[former], nearbyRegion, in: catalog) else { return false }
                former += 1
            } else if nearbyRegion.signedDistanceMetres > Self.farDeviations * estimate.deviationMetres {
                return false
            }
        }
        return former == presences.count
    }

    /// The evaluator ignores a region that a device without a presence in it is this many deviations outside of. The
    /// probability of being inside is then below `Presence.leastProbability`, which is neither kept nor reported. The
    /// device cannot enter from there, however it moves: an enter needs an estimate inside.
    static var farDeviations: Double { -1.7 }

    /// A device this many deviations inside a region is certain to be in it. It cannot leave from there, however it
    /// moves: an exit needs an estimate outside.
    static var steadyDeviations: Double { 2 }

    /// Whether a device stays deep inside a region and has nothing to report.
    @inline(__always)
    private func isSteady(_ presence: Presence, _ nearbyRegion: NearbyRegion, in catalog: RegionCatalog) -> Bool {
        presence.region.rawValue == nearbyRegion.id && presence.isSteady && !estimate.isChecking
            && nearbyRegion.signedDistanceMetres > Self.steadyDeviations * estimate.deviationMetres
            && (presence.hasDwelt || catalog.reportsNoDwell(in: presence.region))
    }

    /// Updates the presence in one region.
    private func evaluate(
        _ region: RegionNumber, _ rule: RegionCatalog.RegionRule, from former: Presence?, signedDistanceMetres: Double?,
        by track: ConfidentTrack, in catalog: RegionCatalog, on scratch: inout Scratch
    ) {
        if !isConfident(rule) {
            guard estimate.passesFilter else {
                if let former { scratch.presences.append(former) }
                return
            }
            let isInside = signedDistanceMetres != nil
            cross(
                from: former ?? Presence(outside: region, at: estimate.sampleTime), isNew: former == nil, rule,
                to: isInside ? .inside : .outside, probability: isInside ? 1 : 0, on: &scratch)
        } else if estimate.isChecking {
            if let former { hold(former, on: &scratch) }
        } else {
            var before = former ?? Presence(outside: region, at: estimate.sampleTime)
            if former == nil && estimate.isFirst { (before.standing, before.told) = (.unknown, .unknown) }
            let (standing, probability) = ConfidentPolicy.verdict(
                from: before.standing, signedDistanceMetres: signedDistanceMetres ?? -.infinity,
                deviationMetres: estimate.deviationMetres, isSettled: estimate.isSettled, mode: rule.mode,
                motion: track.motion,
                signedDistanceMetres: {
                    catalog.signedDistanceMetres(from: $0, to: region, in: rule.collection, limit: $1, &scratch.places)
                })
            cross(
                from: before, isNew: former == nil, rule, to: standing, probability: probability, on: &scratch)
        }
    }

    /// Sets the standing of a presence, reports the crossings and the change, and keeps the presence if it
    /// `isWorthKeeping`.
    func cross(
        from former: Presence, isNew: Bool, _ rule: RegionCatalog.RegionRule, to standing: Standing,
        probability: Double,
        on scratch: inout Scratch
    ) {
        var presence = former
        let isDoubted = scope == .beacons && standing == .unknown
        let certainty = isConfident(rule) && !isDoubted ? UInt8((probability * 100).rounded()) : nil
        presence.likelihood = Likelihood(probability)
        if (presence.likelihood > .low) != (former.likelihood > .low) { presence.likelySince = estimate.sampleTime }
        presence.doubt = doubt(rule, standing: standing, probability: probability)
        presence.standing = standing
        switch standing {
        case .inside: enterOrStay(&presence, from: former, rule, certainty, on: &scratch)
        case .outside: leave(&presence, from: former, rule, certainty, on: &scratch)
        case .unknown: break
        }
        let isKept = presence.isWorthKeeping(probability: probability)
        if isConfident(rule), isKept || !isNew, presence.isNews(after: former) {
            report(presence, insidePercent: certainty, on: &scratch)
        }
        if isKept { scratch.presences.append(presence) }
        if isKept ? isNew || presence != former : !isNew { scratch.presencesChanged = true }
    }

    private func enterOrStay(
        _ presence: inout Presence, from former: Presence, _ rule: RegionCatalog.RegionRule, _ insidePercent: UInt8?,
        on scratch: inout Scratch
    ) {
        let time = estimate.sampleTime
        if former.leftAt != nil {
            // The device came back before its exit was reported: it never left.
            presence.leftAt = nil
        } else if former.standing != .inside, former.told != .inside {
            presence.since = time
            presence.hasDwelt = false
        }
        guard scope != .musterRegions else {
            presence.told = .inside
            return
        }
        // A device enters only from a known outside. One that was never known to be outside is found inside.
        if former.told == .outside, former.leftAt == nil {
            scratch.enters.append(crossing(.enter, presence.region, time, insidePercent))
        }
        presence.told = .inside
        if !presence.hasDwelt, let wanted = rule.dwellSeconds, time.seconds(since: presence.since) >= wanted {
            presence.hasDwelt = true
            scratch.dwells.append(crossing(.dwell, presence.region, time, insidePercent))
        }
    }

    /// Reports an exit once its delay is over. The exit carries the time when the device left.
    private func leave(
        _ presence: inout Presence, from former: Presence, _ rule: RegionCatalog.RegionRule, _ insidePercent: UInt8?,
        on scratch: inout Scratch
    ) {
        guard scope != .musterRegions, former.told == .inside else {
            presence.told = .outside
            return
        }
        if former.leftAt == nil { presence.leftAt = estimate.sampleTime }
        guard let leftAt = presence.leftAt, estimate.sampleTime.seconds(since: leftAt) >= rule.exitDelaySeconds else {
            return
        }
        scratch.changes.append(.crossing(crossing(.exit, presence.region, leftAt, insidePercent)))
        presence.leftAt = nil
        presence.told = .outside
    }

    /// Holds the standing and marks it as in doubt, because the last fix does not fit.
    private func hold(_ former: Presence, on scratch: inout Scratch) {
        var presence = former
        presence.doubt = .checking
        if former.doubt != .checking {
            scratch.presencesChanged = true
            report(presence, insidePercent: nil, on: &scratch)
        }
        scratch.presences.append(presence)
    }

    /// Returns `.poorAccuracy` when the device is not inside and its fixes are too inaccurate to enter a region this
    /// small, even at its centre; else nil.
    func doubt(_ rule: RegionCatalog.RegionRule, standing: Standing, probability: Double) -> Doubt? {
        // In a beacon region a standing is unknown for one reason only: the listener is silent.
        if scope == .beacons { return standing == .unknown ? .stale : nil }
        guard isConfident(rule), standing != .inside, probability >= Presence.leastProbability else {
            return nil
        }
        let isTooPoor = ConfidentPolicy.isAccuracyTooPoor(
            inradiusMetres: rule.inradiusMetres, deviationMetres: estimate.leastDeviationMetres, mode: rule.mode)
        return isTooPoor ? .poorAccuracy : nil
    }

    private func crossing(
        _ kind: Crossing.Kind, _ region: RegionNumber, _ time: Instant, _ insidePercent: UInt8?
    ) -> Crossing {
        Crossing(
            kind: kind, device: estimate.device, region: region, sampleTime: time, insidePercent: insidePercent)
    }

    private func report(_ presence: Presence, insidePercent: UInt8?, on scratch: inout Scratch) {
        scratch.reports.append(
            PresenceReport(
                presence, of: estimate.device, insidePercent: insidePercent, sampleTime: estimate.sampleTime))
    }
}

extension Presence {
    /// An undecided presence with a lower probability than this is not kept.
    static let leastProbability = 0.05

    /// Creates a presence outside, for a region in which the device had none.
    init(outside region: RegionNumber, at time: Instant) {
        self.init(region: region, since: time, standing: .outside, likelihood: .none, told: .outside)
    }

    /// Whether the presence is stored. Outside is the usual standing and is stored only while an exit is held back or
    /// an enter is likely.
    func isWorthKeeping(probability: Double) -> Bool {
        switch standing {
        case .inside: true
        case .unknown: probability >= Self.leastProbability
        case .outside: leftAt != nil || probability > 0.5 || told == .inside
        }
    }

    /// Whether clients should see the difference to the former presence.
    func isNews(after former: Presence) -> Bool {
        standing != former.standing || likelihood != former.likelihood || doubt != former.doubt
    }
}

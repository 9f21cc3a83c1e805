import MusterGeometry

/// Why a device that counts as being inside a muster region does not make its owner safe. It is apart from the
/// standings: these wait until it is certain that the device went, and a person's safety must not.
enum ShelterDoubt: UInt8, Hashable, Sendable {
    case none
    /// The last fix lay wholly outside every muster region. One fix decides nothing.
    case leftPerhaps
    /// Two fixes in a row did, or one with a speed that explains it: the device seems to have left.
    case left
    /// The device seemed to have left, and its last fix agrees with being inside.
    case leftPerhapsNot
    /// The device counts as inside since a fix that lay far from the one before, and lately no fix agrees.
    case claimed
    /// One fix agrees.
    case claimedOnce
    /// Two fixes in a row do.
    case claimedTwice

    /// Whether the device seems to have left.
    var seemsToHaveLeft: Bool { self == .left || self == .leftPerhapsNot }

    /// Whether the device jumped into the region, and too few fixes have agreed since.
    var isClaimed: Bool { self == .claimed || self == .claimedOnce || self == .claimedTwice }

    /// Returns the doubt after one more fix.
    ///
    /// - Parameter insideSeconds: for how long the device has counted as inside.
    func after(_ fix: FixBesideShelters, insideSeconds: Double) -> ShelterDoubt {
        if isClaimed { return claim(after: fix, insideSeconds: insideSeconds) }
        return switch (fix, self) {
        case (.gone, _): .left
        case (.outside, .none): .leftPerhaps
        case (.outside, _): .left
        case (.inside, .left): .leftPerhapsNot
        case (.inside, _): .none
        case (.near, .leftPerhapsNot): .left
        case (.near, _): self
        }
    }

    private func claim(after fix: FixBesideShelters, insideSeconds: Double) -> ShelterDoubt {
        switch (fix, self) {
        case (.outside, _), (.gone, _): .claimed
        case (.near, _): self
        case (.inside, .claimed): .claimedOnce
        case (.inside, .claimedOnce): .claimedTwice
        case (.inside, _): insideSeconds >= Self.leastInsideSeconds ? .none : .claimedTwice
        }
    }

    /// For how long the three fixes of a claim must agree with being inside, seconds.
    private static let leastInsideSeconds: Double = 20
}

/// Where a fix lies, compared with the muster regions of a device's tracker.
enum FixBesideShelters {
    /// The fix agrees with being inside one: the circle that holds 68 % of its errors touches it.
    case inside
    /// It decides nothing.
    case near
    /// The circle that holds 95 % of its errors lies wholly outside all of them.
    case outside
    /// So it does, and the fix reports a speed that explains how the device came there.
    case gone
}

/// The fix before the present one.
struct FormerFix {
    var coordinate: Coordinate
    /// Its accuracy, metres; 100 when it reported none.
    var accuracyMetres: Double
    /// How much earlier its sample time is, seconds.
    var ageSeconds: Double
    /// Whether the track was checking it as a surprise.
    var wasSurprise: Bool
}

extension Engine {
    /// Compares a fix with the muster regions, for a device that counts as being inside one.
    ///
    /// The comparison takes the fix as it is, without the track, which needs several fixes to believe that a device
    /// moves when no speed is reported. It costs nothing for a device that is inside no muster region, and little for
    /// one whose fix is far from every boundary.
    ///
    /// - Parameter before: the fix before this one; nil for the first.
    func noteShelterDoubt(
        _ state: inout DeviceState, by position: Position, after before: FormerFix?,
        tracker: RegionCatalog.TrackerRule, on scratch: inout Scratch
    ) {
        let doubt = state.track.shelterDoubt
        if doubt == .none,
            state.presences.isEmpty && state.musterPresences.isEmpty
                || state.boundaryFreeRadius.holds(at: position.coordinate, reachMetres: 0, stamp: catalog.stamp)
        {
            return
        }
        if let presence = shelter(of: state), let now = state.evaluated {
            if presence.since == now {
                let isJump = isJump(from: before, to: presence.region, by: state.track)
                state.track.shelterDoubt = isJump ? .claimedOnce : .none
            } else {
                let fix = compare(position, with: presence.region, after: before, tracker: tracker, on: &scratch)
                state.track.shelterDoubt = doubt.after(fix, insideSeconds: now.seconds(since: presence.since))
            }
        } else {
            state.track.shelterDoubt = .none
        }
        if state.track.shelterDoubt != doubt { scratch.beliefChanged = true }
    }

    /// Whether a device did not come into a region step by step: the fix before lay wholly outside, or the track moved
    /// there at once and lately, by fewer than three fixes that agreed.
    private func isJump(from before: FormerFix?, to region: RegionNumber, by track: ConfidentTrack) -> Bool {
        guard let before, let depth = catalog.signedDistance(from: before.coordinate, to: region) else { return false }
        return before.wasSurprise && !track.hasSteadied || track.isUnsteady
            || depth.value < -Self.reachMetres(ofAccuracy: before.accuracyMetres)
    }

    /// The radius that holds 95 % of the errors of a fix whose accuracy is the radius of 68 %: of errors that are
    /// normal on both axes, 2.45 deviations do, and 1.51.
    private static func reachMetres(ofAccuracy metres: Double) -> Double { metres * 2.4477 / 1.5096 }

    /// The first presence by which a device's positions count as being inside a muster region; nil when there is none.
    private func shelter(of state: DeviceState) -> Presence? {
        for presence in state.presences
        where presence.standing == .inside && catalog.policy(ofShelter: presence.region) == .confident {
            return presence
        }
        for presence in state.musterPresences
        where presence.standing == .inside && catalog.policy(ofShelter: presence.region) == .raw {
            return presence
        }
        return nil
    }

    private func compare(
        _ position: Position, with region: RegionNumber, after before: FormerFix?,
        tracker: RegionCatalog.TrackerRule, on scratch: inout Scratch
    ) -> FixBesideShelters {
        let step = ConfidentTrack.Step(ConfidentFix(position), from: position.coordinate, elapsedSeconds: 0)
        guard step.isFine else { return .near }
        let place = position.coordinate
        let reach = Self.reachMetres(ofAccuracy: step.accuracy)
        var depth = catalog.signedDistance(from: place, to: region)?.value ?? -.infinity
        if depth <= -step.accuracy {
            depth = max(depth, depthInShelters(around: place, within: reach, tracker, on: &scratch))
        }
        if depth > -step.accuracy { return .inside }
        guard depth < -reach else { return .near }
        guard let said = step.saidSpeed, said >= Self.leavingSpeed, let before else { return .outside }
        // The speed explains the way from the fix before, but for the errors of the two.
        let way = before.coordinate.distance(to: place).value
        return way <= 1.5 * said * before.ageSeconds + before.accuracyMetres + reach ? .gone : .outside
    }

    /// How deep a place lies in the muster regions around it, metres; negative when it lies outside of all.
    private func depthInShelters(
        around place: Coordinate, within reach: Double, _ tracker: RegionCatalog.TrackerRule,
        on scratch: inout Scratch
    ) -> Double {
        scratch.places.clear()
        for collection in tracker.collections {
            catalog.nearby(place, within: Metres(reach), in: collection, into: &scratch.places)
        }
        var depth = -Double.infinity
        for region in scratch.places where catalog.policy(ofShelter: RegionNumber(region.id)) != nil {
            depth = max(depth, region.signedDistanceMetres)
        }
        return depth
    }

    /// The least reported speed with which one fix outside shows that a device left, metres a second.
    private static var leavingSpeed: Double { 1 }
}

extension DeviceState {
    /// The newest evaluated position, as the fix before one of this sample time.
    @inline(__always)
    func fix(before sampleTime: Instant) -> FormerFix? {
        guard isLocated, let evaluated else { return nil }
        return FormerFix(
            coordinate: newest.coordinate, accuracyMetres: newest.accuracy?.value ?? 100,
            ageSeconds: sampleTime.seconds(since: evaluated), wasSurprise: track.isChecking)
    }
}

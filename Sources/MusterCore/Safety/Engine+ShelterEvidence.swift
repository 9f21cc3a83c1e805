import MusterGeometry

/// The fix before the present one.
struct FormerFix {
    var coordinate: Coordinate
    /// Its accuracy, metres; nil when it reported none.
    var accuracyMetres: Double?
    /// How much earlier its sample time is, seconds.
    var ageSeconds: Double
    /// Whether the track was checking it as a surprise.
    var wasSurprise: Bool
}

/// How far the true place of a fix may be from where it says.
private struct FixReach {
    /// The radii that hold 68 % and 95 % of the errors, metres.
    let likelyMetres: Double
    let farMetres: Double
    /// Whether the fix is worse than 200 m. Such a fix, of a cell tower, often lies farther off than it says.
    let isCoarse: Bool

    /// - Parameter accuracyMetres: as the fix reports it; nil when it reports none. The confident policy takes a fix
    ///   without an accuracy for one of 100 m, and a coarse one for half as far off again as it says.
    init(accuracyMetres: Double?) {
        let step = ConfidentTrack.Step(
            ConfidentFix(
                coordinate: Coordinate(validLatitude: 0, longitude: 0), sampleTime: Instant(milliseconds: 0),
                accuracyMetres: accuracyMetres), from: Coordinate(validLatitude: 0, longitude: 0), elapsedSeconds: 0)
        isCoarse = step.isCoarse
        likelyMetres = step.accuracy * (step.isCoarse ? 1.5 : 1)
        // Of errors that are normal on both axes, 1.5096 deviations hold 68 %, and 2.4477 hold 95 %.
        farMetres = likelyMetres * 2.4477 / 1.5096
    }

    /// Where a fix lies whose place is so deep inside a region, metres; negative for a place outside. A coarse fix
    /// agrees only with a region that holds all of its likely places, and shows nobody outside.
    func side(atDepth depthMetres: Double) -> FixBesideShelters.Side {
        if isCoarse { return depthMetres >= likelyMetres ? .inside : .undecided }
        if depthMetres >= -likelyMetres { return .inside }
        return depthMetres < -farMetres ? .outside : .undecided
    }

    /// How far outside a boundary a fix may lie before it speaks for the device's having left, metres.
    private static let marginMetres: Double = 3

    /// How far outside a region a fix lies whose place is so deep inside it, in likely errors; see `FixBesideShelters`.
    func accuraciesOutside(atDepth depthMetres: Double) -> Double {
        if isCoarse { return depthMetres >= likelyMetres ? -1 : 0 }
        return (-depthMetres - Self.marginMetres) / likelyMetres
    }

    /// How far outside a fix does not lie by its error: 30 m, and 4 likely errors beyond the margin.
    var surelyOutsideMetres: Double { max(30, 4 * likelyMetres + Self.marginMetres) }
}

extension Engine {
    /// Compares a fix with the muster regions of a device's tracker, and notes what it says about the device's being
    /// inside one.
    ///
    /// The comparison takes the fix as it is, without the track, which needs several fixes to believe that a device
    /// moves when no speed is reported. A device without presences costs nothing, nor does one whose fix is far from
    /// every boundary while nothing is in doubt.
    ///
    /// - Parameters:
    ///   - before: the fix before this one; nil for the first.
    ///   - isFirstStanding: whether no fix before this one decided any standing of the device.
    func noteShelterEvidence(
        _ state: inout DeviceState, by position: Position, after before: FormerFix?, isFirstStanding: Bool,
        tracker: RegionCatalog.TrackerRule, on scratch: inout Scratch
    ) {
        let evidence = state.shelterEvidence
        switch evidence {
        case .outside where state.presences.isEmpty && state.musterPresences.isEmpty: return
        case .outside, .inside, .insideSinceEdit:
            // With a suspicion it is another value than `.inside`, and each fix is compared.
            let isFar =
                state.boundaryFreeRadius.holds(at: position.coordinate, reachMetres: 0, stamp: catalog.stamp)
                && (tracker.sheltering.isEmpty
                    || state.shelterFreeRadius.holds(at: position.coordinate, reachMetres: 0, stamp: catalog.stamp))
            if isFar {
                // An edit may have taken the region away.
                if evidence != .outside, shelter(of: state) == nil {
                    state.shelterEvidence = .outside
                    scratch.evidenceChanged = true
                }
                return
            }
        default: break
        }
        if let presence = shelter(of: state), let now = state.evaluated {
            let fix = compare(position, with: presence.region, after: before, tracker: tracker, on: &scratch)
            if evidence == .outside, !fix.liesInside {
                state.shelterEvidence = .jumped
            } else if evidence == .outside, isJump(from: before, to: presence.region, by: state.track, on: &scratch) {
                state.shelterEvidence = .jumpedAndAgrees
            } else if evidence == .outside, isFirstStanding {
                state.shelterEvidence = .jumpedAndAgreesTwice
            } else {
                // A standing that no fix decided came by an edit.
                let first = presence.since == now ? ShelterEvidence.inside : .insideSinceEdit
                let former = evidence == .outside ? first : evidence
                state.shelterEvidence = former.after(fix, insideSeconds: now.seconds(since: presence.since))
            }
        } else {
            state.shelterEvidence = .outside
        }
        if state.shelterEvidence != evidence { scratch.evidenceChanged = true }
    }

    /// Returns the evidence about a device after a fix that changes no standing: another fix claims to be newer.
    ///
    /// Such a fix still shows where the device is, if it arrived within `clockToleranceSeconds` and was measured after
    /// the device came in, or after the fix that claims to be newer arrived; or if its time is ahead, so that nobody
    /// knows when it was measured. It makes nobody safe: a device that seems to have left, or that jumped, waits for a
    /// newer fix.
    func shelterEvidence(
        of state: DeviceState, byOlder position: Position, at sampleTime: Instant, on scratch: inout Scratch
    ) -> ShelterEvidence {
        let evidence = state.shelterEvidence
        guard evidence != .outside, position.source != .beacon, let evaluated = state.evaluated,
            sampleTime != evaluated, let presence = shelter(of: state)
        else { return evidence }
        let isOfNow =
            Self.isAhead(sampleTime, of: position.receivedTime)
            || sampleTime > min(presence.since, state.newest.receivedTime)
                && position.receivedTime.seconds(since: sampleTime) <= Self.clockToleranceSeconds
        guard isOfNow else { return evidence }
        var fix = compare(
            position, with: presence.region, after: nil, tracker: tracker(of: state.user), on: &scratch)
        // Such a fix does not show for how long a device that was far outside has been back.
        fix.ageSeconds = evidence.wasSeenFarOutside ? 0 : abs(evaluated.seconds(since: sampleTime))
        // A fix inside takes suspicion off only if it was measured after the one that claims to be newer arrived.
        let isOlder = sampleTime <= state.newest.receivedTime
        if fix.accuraciesOutside <= 0, isOlder || evidence.seemsToHaveLeft || evidence.isOfJump { return evidence }
        return evidence.after(fix, insideSeconds: 0)
    }

    /// Whether a device whose standing in muster regions is undecided sent a newest fix that agrees with being in none
    /// of them. A coarse fix shows nothing.
    func seemsOutside(_ state: DeviceState) -> Bool {
        guard let newest = state.located, newest.source != .beacon else { return false }
        let reach = FixReach(accuracyMetres: newest.accuracy?.value)
        guard !reach.isCoarse else { return false }
        var depth: Double?
        for presence in state.presences + state.musterPresences {
            guard presence.standing != .outside, catalog.policy(ofShelter: presence.region) != nil else { continue }
            let distance = catalog.signedDistance(from: newest.coordinate, to: presence.region)?.value ?? -.infinity
            depth = max(depth ?? distance, distance)
        }
        return depth.map { reach.side(atDepth: $0) != .inside } ?? false
    }

    /// After an edit, marks a device as jumped if only doubtful fixes, or too few, show it inside the edited muster
    /// region. Of a device with few fixes the newest one counts, if it lies inside.
    func noteJump(
        by state: inout DeviceState, since before: DeviceState, tracker: RegionCatalog.TrackerRule,
        on scratch: inout Scratch
    ) {
        guard state.shelterEvidence == .outside, shelter(of: before) == nil, let presence = shelter(of: state) else {
            return
        }
        if state.track.isUnsteady || state.track.isChecking {
            state.shelterEvidence = .jumped
        } else if !state.track.hasFollowedThreeFixes, let newest = state.located {
            let fix = compare(newest, with: presence.region, after: nil, tracker: tracker, on: &scratch)
            state.shelterEvidence = fix.liesInside ? .jumpedAndAgreesTwice : .jumped
        } else {
            return
        }
        // The log shows the presence alone, and after a restart the device would count as inside.
        scratch.evidenceChanged = true
    }

    /// The first presence by which a device's positions show it inside a muster region; nil when there is none.
    @inline(__always)
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

    /// Whether a device did not come into a region step by step: the fix before lay outside or was too coarse to tell,
    /// or the track moved there at once and lately, by fewer than three fixes that agreed.
    private func isJump(
        from before: FormerFix?, to region: RegionNumber, by track: ConfidentTrack, on scratch: inout Scratch
    ) -> Bool {
        guard let before, let collection = catalog.collection(of: region) else { return false }
        if before.wasSurprise && !track.hasSteadied || track.isUnsteady { return true }
        let reach = FixReach(accuracyMetres: before.accuracyMetres)
        let depth = catalog.signedDistanceMetres(
            from: before.coordinate, to: region, in: collection, limit: reach.farMetres, &scratch.places)
        return reach.side(atDepth: depth) != .inside || reach.accuraciesOutside(atDepth: depth) > 0
    }

    private func compare(
        _ position: Position, with region: RegionNumber, after before: FormerFix?,
        tracker: RegionCatalog.TrackerRule, on scratch: inout Scratch
    ) -> FixBesideShelters {
        let place = position.coordinate
        let reach = FixReach(accuracyMetres: position.accuracy?.value)
        // A coarse fix reaches so many regions that one of them is measured faster than all.
        var depth = reach.isCoarse ? catalog.signedDistance(from: place, to: region)?.value ?? -.infinity : -.infinity
        if reach.side(atDepth: depth) != .inside {
            depth = max(depth, depthInShelters(around: place, within: reach.farMetres, tracker, on: &scratch))
        }
        var fix = FixBesideShelters(
            side: reach.side(atDepth: depth), accuraciesOutside: reach.accuraciesOutside(atDepth: depth),
            ageSeconds: before?.ageSeconds ?? .infinity, isFarOutside: false)
        guard fix.side == .outside else { return fix }
        let surely = reach.surelyOutsideMetres
        fix.isFarOutside = depthInShelters(around: place, within: surely, tracker, on: &scratch) < -surely
        guard let before else { return fix }
        // Of two fixes of one moment the one inside may be an old one that the phone sends again. It must not take the
        // weight from the other.
        if before.ageSeconds < Self.oneMomentSeconds, liesInside(before, tracker, on: &scratch) {
            fix.ageSeconds = ShelterEvidence.wholeSeconds
        }
        guard let said = position.speed, said >= Self.leavingSpeed else { return fix }
        // The speed explains the way from the fix before, but for the errors of the two.
        let way = before.coordinate.distance(to: place).value
        let errors = reach.farMetres + FixReach(accuracyMetres: before.accuracyMetres).likelyMetres
        if way <= 1.5 * said * before.ageSeconds + errors { fix.side = .gone }
        return fix
    }

    /// Whether the fix before lies inside a muster region.
    private func liesInside(
        _ before: FormerFix, _ tracker: RegionCatalog.TrackerRule, on scratch: inout Scratch
    ) -> Bool {
        let reach = FixReach(accuracyMetres: before.accuracyMetres)
        let depth = depthInShelters(around: before.coordinate, within: reach.farMetres, tracker, on: &scratch)
        return reach.side(atDepth: depth) == .inside && reach.accuraciesOutside(atDepth: depth) <= 0
    }

    /// How deep a place lies in the muster regions around it, metres; negative when it lies outside of all.
    private func depthInShelters(
        around place: Coordinate, within reachMetres: Double, _ tracker: RegionCatalog.TrackerRule,
        on scratch: inout Scratch
    ) -> Double {
        scratch.places.clear()
        for collection in tracker.confident {
            catalog.nearby(place, within: Metres(reachMetres), in: collection, into: &scratch.places)
        }
        for collection in tracker.sheltering {
            catalog.nearbyShelters(place, within: Metres(reachMetres), in: collection, into: &scratch.places)
        }
        var depth = -Double.infinity
        for region in scratch.places where catalog.policy(ofShelter: RegionNumber(region.id)) != nil {
            depth = max(depth, region.signedDistanceMetres)
        }
        return depth
    }

    /// The time within which a phone takes no second fix, seconds: the fastest receivers take ten a second.
    private static var oneMomentSeconds: Double { 0.1 }

    /// The least reported speed with which one fix outside shows that a device left, metres a second.
    private static var leavingSpeed: Double { 1 }
}

/// Restarts.
extension Engine {
    /// Returns what the last fixes of a device say about its being inside a muster region.
    public func shelterEvidence(of device: DeviceNumber) -> ShelterEvidence {
        devices.indices.contains(Int(device.rawValue)) ? devices[Int(device.rawValue)].shelterEvidence : .outside
    }

    /// Restores that evidence.
    public mutating func resume(_ evidence: ShelterEvidence, of device: DeviceNumber) {
        guard devices.indices.contains(Int(device.rawValue)) else { return }
        devices[Int(device.rawValue)].shelterEvidence = evidence
    }
}

extension DeviceState {
    /// Whether the device's clock was set back, as several requests show, and no fix has counted since.
    @inline(__always)
    var isHeldBackByItsClock: Bool {
        guard isWatched, let skew = clockSkew, !skew.isCorrected, skew.aheadSeconds < 0 else { return false }
        return newest.receivedTime < skew.receivedTime
    }

    /// The newest evaluated position, as the fix before one of this sample time.
    @inline(__always)
    func fix(before sampleTime: Instant) -> FormerFix? {
        guard isLocated, let evaluated else { return nil }
        return FormerFix(
            coordinate: newest.coordinate, accuracyMetres: newest.accuracy?.value,
            ageSeconds: sampleTime.seconds(since: evaluated), wasSurprise: track.isChecking)
    }
}

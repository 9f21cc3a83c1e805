import MusterGeometry

/// Which regions an edit changed, and when.
struct CrossingEdit {
    var moment: Instant
    /// Whether the edit changed a region, given by its number and rule.
    var hasChanged: (RegionNumber, RegionCatalog.RegionRule) -> Bool

    /// Whether the edit changed the policy of a region's collection. The device's presence there was then reported
    /// under the other policy, or not at all, and must be reported now.
    var hasOtherPolicy: (RegionCatalog.RegionRule) -> Bool

    init(
        moment: Instant, hasChanged: @escaping (RegionNumber, RegionCatalog.RegionRule) -> Bool,
        hasOtherPolicy: @escaping (RegionCatalog.RegionRule) -> Bool
    ) {
        self.moment = moment
        self.hasChanged = hasChanged
        self.hasOtherPolicy = hasOtherPolicy
    }
}

extension CrossingEvaluator {
    /// Decides a device's presences again in the regions that an edit changed, from the track's estimate and as if no
    /// standing had been known. It reports the new standings and no crossings: those are left to the next fix, as at
    /// Amazon Location. Presences under the raw policy stay, because only fixes change them.
    ///
    /// The scratch's `nearbyRegions` must be the regions that the device may be inside, measured for the confident
    /// policy.
    func reevaluate(
        _ presences: inout [Presence], after edit: CrossingEdit, in catalog: RegionCatalog,
        on scratch: inout Scratch
    ) {
        // The first entry of a region counts. Embedded Swift has no `uniquingKeysWith`, so loops fill the dictionaries.
        var distances: [Int32: Double] = [:]
        for nearby in scratch.nearbyRegions where distances[nearby.id] == nil {
            distances[nearby.id] = nearby.signedDistanceMetres
        }
        var former: [Int32: Presence] = [:]
        for presence in presences where former[presence.region.rawValue] == nil {
            former[presence.region.rawValue] = presence
        }
        var result: [Presence] = []
        var hasChanged = false
        for number in Set(distances.keys).union(former.keys).sorted() {
            let (region, presence) = (RegionNumber(number), former[number])
            guard let rule = catalog.rule(of: region), concerns(rule) else {
                hasChanged = hasChanged || presence != nil
                continue
            }
            guard rule.beacon == nil, isConfident(rule), edit.hasChanged(region, rule) else {
                if let presence { result.append(presence) }
                continue
            }
            let renewed = renewedPresence(
                in: region, rule, former: presence, signedDistanceMetres: distances[number] ?? -.infinity,
                at: edit.moment)
            let former = presence ?? Presence(outside: region, at: edit.moment)
            if renewed.isNews(after: former) || edit.hasOtherPolicy(rule) {
                let percent = renewed.doubt == .checking ? nil : renewed.percent
                scratch.changes.append(
                    .presence(
                        PresenceReport(
                            renewed.presence, of: estimate.device, insidePercent: percent,
                            sampleTime: estimate.sampleTime)))
            }
            if renewed.isKept { result.append(renewed.presence) }
            hasChanged = hasChanged || (renewed.isKept ? renewed.presence : nil) != presence
        }
        guard hasChanged else { return }
        presences = result
        scratch.presencesChanged = true
    }

    /// Decides a presence in one region, as if no standing had been known.
    private func renewedPresence(
        in region: RegionNumber, _ rule: RegionCatalog.RegionRule, former: Presence?, signedDistanceMetres: Double,
        at moment: Instant
    ) -> Renewed {
        // Without an estimate there is no distance. A distance of 0 leaves the standing unknown.
        let distance = estimate.deviationMetres.isFinite ? signedDistanceMetres : 0
        let (standing, probability) = ConfidentPolicy.verdict(
            from: .unknown, signedDistanceMetres: distance, deviationMetres: estimate.deviationMetres,
            isSettled: estimate.isSettled, mode: rule.mode)
        var presence = former ?? Presence(outside: region, at: moment)
        if former == nil && estimate.isFirst { presence.told = .unknown }
        if scope == .musterRegions { presence.told = standing }
        if standing != presence.standing { presence.since = moment }
        presence.standing = standing
        let likelihood = Likelihood(probability)
        if (likelihood > .low) != (presence.likelihood > .low) { presence.likelySince = moment }
        presence.likelihood = likelihood
        presence.doubt = estimate.isChecking ? .checking : doubt(rule, standing: standing, probability: probability)
        if standing == .inside { presence.leftAt = nil }
        return Renewed(
            presence: presence, isKept: presence.isWorthKeeping(probability: probability),
            percent: UInt8((probability * 100).rounded()))
    }

    /// A presence that was decided again, with its probability in per cent.
    private struct Renewed {
        var presence: Presence
        var isKept: Bool
        var percent: UInt8
        var doubt: Doubt? { presence.doubt }

        func isNews(after former: Presence) -> Bool { presence.isNews(after: former) }
    }
}

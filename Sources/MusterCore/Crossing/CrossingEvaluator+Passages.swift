import MusterGeometry

/// Regions that a device passed through between two fixes.
extension CrossingEvaluator {
    /// Reports the regions that the device passed between two fixes, neither of which lies in them. A passage is
    /// inferred and changes no standing. The fixes must be far enough apart; see `isFarEnough`.
    ///
    /// - Parameter presences: the device's presences after the second fix.
    func infer(
        from first: ConfidentFix, to second: ConfidentFix, _ presences: [Presence], in catalog: RegionCatalog,
        on scratch: inout Scratch
    ) {
        guard estimate.isSettled else { return }
        guard second.sampleTime.seconds(since: first.sampleTime) <= InferredPassage.longestGapSeconds else { return }
        for collection in estimate.tracker.confident {
            catalog.regions(crossedBy: first.coordinate, second.coordinate, in: collection, into: &scratch.inside)
            for number in scratch.inside.prefix(Self.mostPassages) {
                let region = RegionNumber(number)
                guard !presences.contains(where: { $0.region == region }), let rule = catalog.rule(of: region),
                    let passage = InferredPassage(
                        from: first, to: second, mode: rule.mode,
                        signedDistanceMetres: { catalog.signedDistance(from: $0, to: region)?.value ?? -.infinity })
                else { continue }
                scratch.changes.append(
                    .crossing(
                        Crossing(
                            kind: .passed, device: estimate.device, region: region, sampleTime: passage.time,
                            insidePercent: UInt8((passage.probability * 100).rounded()))))
            }
        }
    }

    /// The largest number of passages of one collection that are reported between two fixes.
    private static var mostPassages: Int { 64 }

    /// Whether two fixes are more than some 20 m of latitude apart, or as many degrees of longitude. A shorter passage
    /// could hardly be told from an error.
    @inline(__always)
    static func isFarEnough(_ first: Coordinate, _ second: Coordinate) -> Bool {
        let north = abs(first.latitude - second.latitude)
        let east = abs(shortWay(first.longitude - second.longitude))
        return max(north, east) > 0.0002
    }
}

extension DeviceState {
    /// The last fix, when a passage may be inferred from it; nil while the track is unsettled, and when a filter kept
    /// the fix out of the store.
    @inline(__always)
    var surestFix: ConfidentFix? {
        guard track.isSettled, !isBehindItsFilter, let evaluated else { return nil }
        var fix = ConfidentFix(newest)
        fix.sampleTime = evaluated
        return fix
    }
}

import MusterGeometry

extension CrossingEvaluator {
    /// Tells of the regions that the device passed between two fixes, neither of which fell into them. Inferred: no
    /// standing changes.
    ///
    /// - Parameter state: with the presences after the second fix.
    func infer(
        from first: ConfidentFix, to second: ConfidentFix, _ state: DeviceState, in catalog: RegionCatalog,
        on scratch: inout Scratch
    ) {
        guard estimate.isSettled, Self.isFarEnough(first.coordinate, second.coordinate) else { return }
        guard second.sampleTime.seconds(since: first.sampleTime) <= InferredPassage.longestGapSeconds else { return }
        for collection in estimate.tracker.confident {
            catalog.regions(crossedBy: first.coordinate, second.coordinate, in: collection, into: &scratch.inside)
            for number in scratch.inside.prefix(Self.mostPassages) {
                let region = RegionNumber(number)
                guard !state.presences.contains(where: { $0.region == region }), let rule = catalog.rule(of: region),
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

    /// More than these are not told of one step.
    private static var mostPassages: Int { 64 }

    /// Whether a region may lie between two fixes. Some 20 m of latitude: what is passed in less could hardly be told
    /// from an error.
    private static func isFarEnough(_ first: Coordinate, _ second: Coordinate) -> Bool {
        let north = abs(first.latitude - second.latitude)
        let east = abs(shortWay(first.longitude - second.longitude))
        return max(north, east) > 0.0002
    }
}

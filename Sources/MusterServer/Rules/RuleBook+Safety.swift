import MusterCore
import MusterWire

/// Rules whose target is `safety`: the regions that they speak of are muster regions. That is never written into the
/// regions; it follows from the rules, anew with every edit.
extension RuleBook {
    /// Follows edits that are durable, and works out which regions the rules now make muster regions.
    ///
    /// - Parameter directory: as the edits left it.
    /// - Returns: these regions; nil when they are the same as before.
    func follow(_ edits: [Edit], in directory: Directory) -> Set<RegionNumber>? {
        let hadSafety = !safetyPatterns.isEmpty
        for edit in edits { follow(edit) }
        guard hadSafety || !safetyPatterns.isEmpty else { return nil }
        let regions =
            edits.contains(where: \.mayChangeManyMusterRegions)
            ? evaluateAll(in: directory) : evaluate(edits, in: directory)
        guard regions != musterRegions else { return nil }
        musterRegions = regions
        return regions
    }

    /// The regions of which some safety rule speaks.
    ///
    /// - Complexity: O(regions × safety rules).
    func evaluateAll(in directory: Directory) -> Set<RegionNumber> {
        guard !safetyPatterns.isEmpty else { return [] }
        return Set(directory.regions.all.lazy.filter { self.isMuster($0, directory) }.map(\.number))
    }

    /// The same, where only regions were put or removed.
    private func evaluate(_ edits: [Edit], in directory: Directory) -> Set<RegionNumber> {
        edits.reduce(into: musterRegions) { regions, edit in
            switch edit {
            case .putRegion(let region) where isMuster(region, directory): regions.insert(region.number)
            case .putRegion(let region): regions.remove(region.number)
            case .removeRegion(let number, _): regions.remove(number)
            default: break
            }
        }
    }

    private func isMuster(_ region: Region, _ directory: Directory) -> Bool {
        guard let event = telling.entering(region, in: directory) else { return false }
        return safetyPatterns.values.contains { $0.matches(event) }
    }
}

extension Edit {
    /// Whether rules may find other regions than before, beside the one that is put.
    fileprivate var mayChangeManyMusterRegions: Bool {
        switch self {
        case .putRule, .removeRule, .putCollection, .removeCollection, .putTracker, .removeTracker: true
        default: false
        }
    }
}

/// What a rule with the target `safety` may ask for.
enum SafetyRule {
    private static let allowed: [[String]] = [
        ["source"], ["detail-type"], ["resources"], ["detail", "EventType"], ["detail", "GeofenceId"],
    ]

    /// Why a pattern cannot say which regions are muster regions; nil when it can.
    static func refusal(of pattern: EventPattern) -> String? {
        let other = pattern.paths.first { path in
            !allowed.contains(path) && !(path.count == 3 && path.starts(with: ["detail", "GeofenceProperties"]))
        }
        return other.map {
            "A rule with the target safety says which regions are muster regions: its pattern may ask for source, "
                + "detail-type, resources, detail.EventType, detail.GeofenceId and detail.GeofenceProperties, "
                + "not for \($0.joined(separator: "."))."
        }
    }
}

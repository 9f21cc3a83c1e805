import MusterCore
import MusterWire

/// Rules with the target `safety`: the regions that they match are muster regions. The regions do not store this; the
/// server derives it from the rules after every edit.
extension RuleBook {
    /// Returns the regions that rules make muster regions once the edits are durable. Changes nothing.
    ///
    /// - Parameter directory: the directory after the edits.
    /// - Returns: the regions; nil when they are the same as before.
    func musterRegions(following edits: [Edit], in directory: Directory) -> Set<RegionNumber>? {
        var patterns = safetyPatterns
        for edit in edits {
            switch edit {
            case .putRule(let rule): patterns[rule.number] = Self.safetyPattern(of: rule)
            case .removeRule(let number): patterns[number] = nil
            default: break
            }
        }
        guard !safetyPatterns.isEmpty || !patterns.isEmpty else { return nil }
        let regions =
            edits.contains(where: \.mayChangeManyMusterRegions)
            ? evaluateAll(patterns, in: directory) : evaluate(edits, patterns, in: directory)
        return regions == musterRegions ? nil : regions
    }

    /// Applies edits that are durable.
    ///
    /// - Parameter muster: the regions that rules now make muster regions; nil when they are the same as before.
    func follow(_ edits: [Edit], muster: Set<RegionNumber>?) {
        for edit in edits { follow(edit) }
        if let muster { musterRegions = muster }
    }

    /// The pattern by which a rule makes regions muster regions; nil where the rule makes none.
    static func safetyPattern(of rule: Rule) -> EventPattern? {
        guard rule.isEnabled, rule.targets.contains(where: { $0.destination == .safety }) else { return nil }
        return try? EventPattern(parsing: rule.pattern)
    }

    /// The regions that at least one safety rule matches.
    ///
    /// - Complexity: O(regions × safety rules).
    func evaluateAll(_ patterns: [RuleNumber: EventPattern], in directory: Directory) -> Set<RegionNumber> {
        guard !patterns.isEmpty else { return [] }
        return Set(directory.regions.all.lazy.filter { self.isMuster($0, patterns, directory) }.map(\.number))
    }

    /// Returns the muster regions after edits that only stored or removed regions.
    private func evaluate(
        _ edits: [Edit], _ patterns: [RuleNumber: EventPattern], in directory: Directory
    ) -> Set<RegionNumber> {
        edits.reduce(into: musterRegions) { regions, edit in
            switch edit {
            case .putRegion(let region) where isMuster(region, patterns, directory): regions.insert(region.number)
            case .putRegion(let region): regions.remove(region.number)
            case .removeRegion(let number, _): regions.remove(number)
            default: break
            }
        }
    }

    private func isMuster(
        _ region: Region, _ patterns: [RuleNumber: EventPattern], _ directory: Directory
    ) -> Bool {
        guard directory.mayBeMusterByRule(region), let event = eventMapper.entering(region, in: directory) else {
            return false
        }
        return patterns.values.contains { $0.matches(event) }
    }
}

extension Directory {
    /// Whether a rule can make a region a muster region: not one of official warnings.
    func mayBeMusterByRule(_ region: Region) -> Bool { collections[region.collection]?.isOfWarnings != true }
}

extension Edit {
    /// Whether the edit may change the muster regions beyond the one that it stores.
    fileprivate var mayChangeManyMusterRegions: Bool {
        switch self {
        case .putRule, .removeRule, .putCollection, .removeCollection, .putTracker, .removeTracker: true
        default: false
        }
    }
}

/// The tests that a pattern may make in a rule with the target `safety`.
enum SafetyRule {
    private static let allowed: [[String]] = [
        ["source"], ["detail-type"], ["resources"], ["detail", "EventType"], ["detail", "GeofenceId"],
    ]

    /// Why a pattern cannot select muster regions; nil when it can.
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

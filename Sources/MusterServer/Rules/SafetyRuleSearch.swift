package import MusterCore
package import MusterWire

/// Which regions a pattern selects for the target `safety`, and which rules select a region.
package struct SafetyRuleSearch: Sendable {
    private let mapper: EventMapper
    private let directory: Directory

    package init(in directory: Directory, from origin: EventOrigin) {
        mapper = EventMapper(origin: origin)
        self.directory = directory
    }

    /// Returns the regions that count as muster regions where a rule with the target `safety` has this pattern.
    ///
    /// - Throws: `RuleError.safetyPattern` where such a rule may not have it.
    /// - Complexity: O(regions of the directory).
    package func regions(selectedBy pattern: EventPattern) throws(RuleError) -> [Region] {
        if let refusal = SafetyRule.refusal(of: pattern) { throw .safetyPattern(refusal) }
        return directory.regions.all.filter { region in
            guard region.shape != nil, directory.mayBeMusterByRule(region),
                let event = mapper.entering(region, in: directory)
            else { return false }
            return pattern.matches(event)
        }
    }

    /// Returns the names of the rules that make a region a muster region, in order. A region without a shape is none.
    ///
    /// - Complexity: O(rules).
    package func rules(selecting region: Region) -> [String] {
        guard directory.musterRegionsByRule.contains(region.number), region.shape != nil,
            let event = mapper.entering(region, in: directory)
        else { return [] }
        let selecting = directory.rules.all.filter { RuleBook.safetyPattern(of: $0)?.matches(event) == true }
        return selecting.map(\.name).sorted()
    }
}

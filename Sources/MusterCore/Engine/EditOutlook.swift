/// What an edit of a region would change for the people who stand there now.
public struct EditOutlook: Hashable, Sendable {
    /// The people who are inside the region now: those with a device whose standing is inside.
    public var inside: Set<UserNumber> = []
    /// The people who would be inside after the edit.
    public var wouldBeInside: Set<UserNumber> = []
    /// The people who are safe without a doubt now, and would not be after the edit.
    public var wouldEndSafe: Set<UserNumber> = []
    /// The people who would be safe without a doubt after the edit, and are not now.
    public var wouldBecomeSafe: Set<UserNumber> = []
    /// The people of whom a device waits for a later slice of the review, so that nothing is said about them.
    public var leftOut: Set<UserNumber> = []

    /// Whether the outlook covers everyone whom the edit concerns.
    public var isComplete: Bool { leftOut.isEmpty }
}

extension Engine {
    /// Returns what edits would change for people, by what the engine decided about them: nothing here decides anew who
    /// is inside. A review decides at most `Engine.reviewSlice` devices; the owners of the others are left out.
    ///
    /// - Parameters:
    ///   - region: the region to compare. It may exist only before the edits, or only after them.
    ///   - next: this engine, with the edits applied and one slice of their review in `decision`.
    /// - Complexity: O(devices), some nanoseconds each.
    public func outlook(in region: RegionNumber, after next: Engine, _ decision: Decision) -> EditOutlook {
        var outlook = EditOutlook()
        let waiting = decision.reviewQueue ?? ReviewQueue()
        outlook.leftOut = Set(waiting.waiting.compactMap { next.state(of: $0, after: decision).user })
        for index in devices.indices {
            guard let user = devices[index].user, !outlook.leftOut.contains(user) else { continue }
            if stands(devices[index], inside: region) { outlook.inside.insert(user) }
            if let decided = decision.devices.slot(of: index) {
                if next.stands(decision.devices.states[decided], inside: region) { outlook.wouldBeInside.insert(user) }
            } else if next.stands(next.devices[index], inside: region) {
                outlook.wouldBeInside.insert(user)
            }
        }
        for index in decision.people.touched {
            let user = UserNumber(Int32(index))
            guard !outlook.leftOut.contains(user), let after = decision.safety(of: user) else { continue }
            let before = safety(of: user)
            if before.isSurelySafe, !after.isSurelySafe { outlook.wouldEndSafe.insert(user) }
            if after.isSurelySafe, !before.isSurelySafe { outlook.wouldBecomeSafe.insert(user) }
        }
        return outlook
    }

    /// Whether a device is inside a region, as clients see it; see `shownStandings`.
    private func stands(_ state: DeviceState, inside region: RegionNumber) -> Bool {
        guard catalog.collection(of: region) != nil else { return false }
        func isInside(_ presence: Presence) -> Bool { presence.region == region && presence.standing == .inside }
        return state.musterPresences.contains(where: isInside)
            || (state.presences.contains(where: isInside) && catalog.isShown(region))
    }
}

extension Safety {
    /// Whether the person is safe, and no doubt is known.
    fileprivate var isSurelySafe: Bool { state == .safe && doubt == nil }
}

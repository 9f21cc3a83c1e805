// All proximity rules with what the engine measured for each, and which of them are due.

/// The engine's state of one proximity rule.
struct ProximityState: Hashable, Sendable {
    var rule: ProximityRule
    /// The alarms that the rule has reported, or is about to report, by person.
    var alarms: [UserNumber: ProximityAlarm] = [:]

    /// When the passing of time alone causes the next report; nil when it causes none.
    var nextReport: Instant? {
        guard case .together(let afterSeconds) = rule.demand else { return nil }
        return alarms.values.lazy.filter { !$0.isTold }.map { $0.since }.min()?.advanced(bySeconds: afterSeconds)
    }
}

/// Every proximity rule, and when the passing of time causes a report of each.
struct ProximityBook: Sendable {
    private(set) var states: [ProximityNumber: ProximityState] = [:]
    private var rulesOfTeam: [TeamNumber: [ProximityNumber]] = [:]
    private var deadlines = DeadlineQueue<ProximityNumber>()
    /// The rules whose people or centre an edit concerns, and all after a restart: the next tick drops alarms of people
    /// whom they no longer count.
    private var toReview: Set<ProximityNumber> = []

    /// How many rules one tick looks at. Those left over are due at the next.
    static let tickLimit = 1_000

    var isEmpty: Bool { states.isEmpty }

    /// Returns the rules of a team, in number order.
    func rules(of team: TeamNumber) -> [ProximityNumber] { rulesOfTeam[team] ?? [] }

    /// Whether a rule names this person: as its centre, or as the only one whom it counts.
    func names(_ user: UserNumber) -> Bool { states.values.contains { $0.rule.names(user) } }

    /// Returns the rules that a tick must look at, in number order.
    func due(at now: Instant) -> [ProximityNumber] {
        let late = deadlines.due(at: now, limit: Self.tickLimit)
        return toReview.isEmpty ? late : Array(toReview.union(late).sorted().prefix(Self.tickLimit))
    }

    /// Adds the stored rules and alarms after a restart.
    mutating func resume(_ rules: [ProximityRule], _ alarms: [(rule: ProximityNumber, alarm: ProximityAlarm)]) {
        var found: [ProximityNumber: [UserNumber: ProximityAlarm]] = [:]
        for (rule, alarm) in alarms { found[rule, default: [:]][alarm.user] = alarm }
        for rule in rules {
            put(ProximityState(rule: rule, alarms: found[rule.number] ?? [:]), as: rule.number)
            toReview.insert(rule.number)
        }
    }

    mutating func adopt(_ changes: ProximityChanges) {
        for (number, state) in changes.states {
            if let state { put(state, as: number) } else { remove(number) }
        }
        toReview.subtract(changes.reviewed)
    }

    /// Removes the rules of a team that was removed.
    mutating func removeTeam(_ team: TeamNumber) {
        for number in rules(of: team) { remove(number) }
    }

    /// Lets the next tick review a team's rules: an edit changed its people or their devices.
    mutating func review(_ team: TeamNumber?) {
        guard let team, let rules = rulesOfTeam[team] else { return }
        toReview.formUnion(rules)
    }

    private mutating func put(_ state: ProximityState, as number: ProximityNumber) {
        if states.updateValue(state, forKey: number) == nil {
            var rules = rulesOfTeam[state.rule.team] ?? []
            rules.insert(number, at: rules.firstIndex { $0 > number } ?? rules.endIndex)
            rulesOfTeam[state.rule.team] = rules
        }
        deadlines.set(number, to: state.nextReport)
    }

    private mutating func remove(_ number: ProximityNumber) {
        guard let state = states.removeValue(forKey: number) else { return }
        rulesOfTeam[state.rule.team]?.removeAll { $0 == number }
        if rulesOfTeam[state.rule.team]?.isEmpty == true { rulesOfTeam[state.rule.team] = nil }
        deadlines.set(number, to: nil)
        toReview.remove(number)
    }
}

/// The changes that a decision makes to proximity rules.
struct ProximityChanges: Sendable {
    /// The rules' new states; nil for a rule that is removed.
    var states: [ProximityNumber: ProximityState?] = [:]
    /// The rules that the store must write or remove.
    var rulesToStore: Set<ProximityNumber> = []
    /// The people of each rule whose alarm the store must write or remove.
    var alarmsToStore: [ProximityNumber: Set<UserNumber>] = [:]
    /// The rules that the decision reviewed.
    var reviewed: Set<ProximityNumber> = []

    var isEmpty: Bool { states.isEmpty && rulesToStore.isEmpty && alarmsToStore.isEmpty && reviewed.isEmpty }
}

extension Decision {
    /// The proximity rules that the store must write, each as this decision leaves it; nil for one to remove, which
    /// also removes its alarms.
    public var proximityRulesToStore: [(number: ProximityNumber, rule: ProximityRule?)] {
        proximity.rulesToStore.sorted().map { ($0, (proximity.states[$0] ?? nil)?.rule) }
    }

    /// The alarms of proximity rules that the store must write, each as this decision leaves it; nil for one to
    /// remove.
    public var proximityAlarmsToStore: [(rule: ProximityNumber, user: UserNumber, alarm: ProximityAlarm?)] {
        var alarms: [(rule: ProximityNumber, user: UserNumber, alarm: ProximityAlarm?)] = []
        for number in proximity.alarmsToStore.keys.sorted() {
            let state = proximity.states[number] ?? nil
            for user in proximity.alarmsToStore[number, default: []].sorted() {
                alarms.append((number, user, state?.alarms[user]))
            }
        }
        return alarms
    }
}

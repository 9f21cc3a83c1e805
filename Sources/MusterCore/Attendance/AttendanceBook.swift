// All attendance rules with what the engine counted for each, and which of them are due.

/// The engine's state of one attendance rule.
struct AttendanceState: Hashable, Sendable {
    var rule: AttendanceRule
    /// The people who were known to be in the region when the rule was looked at last.
    var present: Set<UserNumber> = []
    /// The next moment at which the passing of time alone may change the state of the rule; nil when it cannot.
    var nextCheck: Instant?

    /// Moves the next look at the rule forward to `moment`, if that is earlier.
    mutating func check(by moment: Instant?) {
        guard let moment else { return }
        nextCheck = min(nextCheck ?? moment, moment)
    }
}

/// Every attendance rule, the people whom the rules may count, and when the engine must evaluate each rule.
struct AttendanceBook: Sendable {
    private(set) var states: [AttendanceNumber: AttendanceState] = [:]
    private var rulesOfTeam: [TeamNumber: [AttendanceNumber]] = [:]
    private var membersOfTeam: [TeamNumber: [UserNumber: Roles]] = [:]
    private var teamOfMember: [UserNumber: TeamNumber] = [:]
    private var deadlines = DeadlineQueue<AttendanceNumber>()
    /// The rules that an edit or a restart concerns, so that the next tick counts them anew.
    private var toCount: Set<AttendanceNumber> = []
    /// The last tick of this process; nil before the first.
    private(set) var tickedAt: Instant?
    /// No lack is reported before this moment, because the server was off or asleep and people could not be heard.
    private(set) var quietUntil = Instant(milliseconds: .min)

    /// The roles by which a rule selects people.
    struct Roles: Hashable, Sendable {
        var role: Role
        var own: [String]
    }

    /// How many rules one tick looks at. Those left over are due at the next.
    static let tickLimit = 1_000
    /// A tick that comes more than so many seconds after the one before, or before it, shows that the server was off or
    /// asleep, or that its clock was set. The engine then waits as long for people's devices to report before it
    /// reports a lack.
    static let quietSeconds: Double = 60
    /// The least time between two evaluations of one rule that only the passing of time causes, in seconds.
    static let checkSpacingSeconds: Double = 10

    var isEmpty: Bool { states.isEmpty }

    /// Returns the rules of a team, in number order.
    func rules(of team: TeamNumber) -> [AttendanceNumber] { rulesOfTeam[team] ?? [] }

    /// Returns the people of a team, in number order.
    func members(of team: TeamNumber) -> [UserNumber] { membersOfTeam[team].map { $0.keys.sorted() } ?? [] }

    /// Whether a rule counts this person alone.
    func expects(_ user: UserNumber) -> Bool { states.values.contains { $0.rule.subject == .person(user) } }

    /// Whether a rule counts a person of its team.
    func counts(_ user: UserNumber, by rule: AttendanceRule) -> Bool { counts(user, rule.subject, of: rule.team) }

    /// Whether a person is among those whom a rule of a team selects.
    func counts(_ user: UserNumber, _ subject: AttendanceRule.Subject, of team: TeamNumber) -> Bool {
        guard let roles = membersOfTeam[team]?[user] else { return false }
        return switch subject {
        case .everyone: true
        case .role(let role): roles.role == role
        case .ownRole(let role): roles.own.contains(role)
        case .person(let person): person == user
        }
    }

    /// Returns the rules that a tick must look at, in number order.
    func due(at now: Instant) -> [AttendanceNumber] {
        if let tickedAt, now < tickedAt { return states.keys.sorted() }
        let late = deadlines.due(at: now, limit: Self.tickLimit)
        return toCount.isEmpty ? late : Array(toCount.union(late).sorted().prefix(Self.tickLimit))
    }

    /// Returns until when no lack may be reported, given a tick at `now`.
    func quietUntil(tickingAt now: Instant) -> Instant {
        let isPrompt = tickedAt.map { (0...Self.quietSeconds).contains(now.seconds(since: $0)) } ?? false
        return isPrompt ? quietUntil : now.advanced(bySeconds: Self.quietSeconds)
    }

    // MARK: Stored rules

    /// Adds the stored rules after a restart.
    mutating func resume(_ rules: [AttendanceRule]) {
        for rule in rules {
            put(AttendanceState(rule: rule), as: rule.number)
            toCount.insert(rule.number)
        }
    }

    mutating func adopt(_ changes: AttendanceChanges) {
        for (number, state) in changes.states {
            if let state { put(state, as: number) } else { remove(number) }
        }
        toCount.subtract(changes.counted)
        if let tick = changes.tick { (tickedAt, quietUntil) = tick }
    }

    private mutating func put(_ state: AttendanceState, as number: AttendanceNumber) {
        if states.updateValue(state, forKey: number) == nil {
            var rules = rulesOfTeam[state.rule.team] ?? []
            rules.insert(number, at: rules.firstIndex { $0 > number } ?? rules.endIndex)
            rulesOfTeam[state.rule.team] = rules
        }
        deadlines.set(number, to: state.nextCheck)
    }

    private mutating func remove(_ number: AttendanceNumber) {
        guard let state = states.removeValue(forKey: number) else { return }
        rulesOfTeam[state.rule.team]?.removeAll { $0 == number }
        if rulesOfTeam[state.rule.team]?.isEmpty == true { rulesOfTeam[state.rule.team] = nil }
        deadlines.set(number, to: nil)
        toCount.remove(number)
    }

    // MARK: Edits

    /// Records a user's team and roles. Gateways are no people, so no rule counts them.
    mutating func put(_ user: User) {
        let former = teamOfMember[user.number]
        let team = user.role == .gateway ? nil : user.team
        if former != team { removeMember(user.number) }
        guard let team else { return }
        let roles = Roles(role: user.role, own: user.databaseRoles)
        if membersOfTeam[team]?[user.number] == roles { return }
        membersOfTeam[team, default: [:]][user.number] = roles
        teamOfMember[user.number] = team
        count(team)
    }

    mutating func removeMember(_ user: UserNumber) {
        guard let team = teamOfMember.removeValue(forKey: user) else { return }
        membersOfTeam[team]?[user] = nil
        if membersOfTeam[team]?.isEmpty == true { membersOfTeam[team] = nil }
        count(team)
    }

    /// Removes the rules of a team that was removed.
    mutating func removeTeam(_ team: TeamNumber) {
        for number in rules(of: team) { remove(number) }
    }

    /// Lets the next tick count a team's rules anew.
    mutating func count(_ team: TeamNumber?) {
        guard let team, let rules = rulesOfTeam[team] else { return }
        toCount.formUnion(rules)
    }

    /// Lets the next tick count the rules of a person's team anew.
    mutating func count(teamOf user: UserNumber?) { count(user.flatMap { teamOfMember[$0] }) }

    /// Lets the next tick count every rule anew: an edit changed regions, links or policies.
    mutating func countAll() { toCount.formUnion(states.keys) }
}

/// The changes that a decision makes to attendance rules.
struct AttendanceChanges: Sendable {
    /// The rules' new states; nil for a rule that is removed.
    var states: [AttendanceNumber: AttendanceState?] = [:]
    /// The rules that the store must write or remove.
    var toStore: Set<AttendanceNumber> = []
    /// The rules that the decision counted anew.
    var counted: Set<AttendanceNumber> = []
    /// The moment of a tick, and until when no lack may be reported.
    var tick: (at: Instant, quietUntil: Instant)?
    /// The rules that ask for an incident of their team.
    var toOpenIncidentsFor: [AttendanceNumber] = []

    var isEmpty: Bool { states.isEmpty && toStore.isEmpty && counted.isEmpty && tick == nil }
}

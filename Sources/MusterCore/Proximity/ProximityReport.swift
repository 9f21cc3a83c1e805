/// A report in the log that something happened to a proximity rule: its `turn` says what.
public struct ProximityReport: Hashable, Sendable {
    /// The rule's number. The rule may have been removed since.
    public var rule: ProximityNumber
    /// The rule's name at that time, because the rule may be removed later.
    public var name: String
    /// The team whose people the rule counts.
    public var team: TeamNumber
    /// The centre that the distance is measured to.
    public var centre: ProximityRule.Centre
    /// The radius of the rule, metres.
    public var radiusMetres: Double
    /// What the rule demands of the people.
    public var demand: ProximityRule.Demand
    /// The purpose of the rule.
    public var note: String?
    /// What happened.
    public var turn: Turn
    /// When it happened: for what positions show, the sample time of the newer one; else by the server's clock.
    public var at: Instant
    /// The user who made, changed or removed the rule; nil when time or a position caused the report.
    public var by: UserNumber?
    /// The person who came, left, is apart or is together again; nil when a user made, changed or removed the rule.
    public var who: UserNumber?
    /// Since when the person is within the fence or apart; nil for every other turn.
    public var since: Instant?
    /// The distance that decided, metres: a range, or the distance between the estimates; nil when neither caused the
    /// report.
    public var metres: Double?
    /// The standard deviation on each axis of where one is as seen from the other, metres; nil as `metres`.
    public var deviationMetres: Double?
    /// The source of the range that decided; nil when positions decided, or `metres` is nil.
    public var source: PeerRange.Source?

    /// The events of a rule.
    public enum Turn: UInt8, Hashable, Sendable, CaseIterable {
        /// A user made it.
        case made
        /// A user changed it. The alarms that it had reported have ended, and the engine evaluates it anew.
        case changed
        /// A user removed it.
        case removed
        /// Someone came within the fence.
        case near
        /// Someone left the fence.
        case left
        /// Someone has been beyond the radius for as long as the rule allows.
        case apart
        /// Someone who was reported as apart is within the radius again.
        case together
    }

    /// Creates a report about a rule.
    public init(_ turn: Turn, of rule: ProximityRule, at moment: Instant, by user: UserNumber? = nil) {
        self.rule = rule.number
        name = rule.name
        team = rule.team
        centre = rule.centre
        radiusMetres = rule.radiusMetres
        demand = rule.demand
        note = rule.note
        self.turn = turn
        at = moment
        by = user
    }
}

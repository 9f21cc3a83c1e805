package import MusterCore

/// The proximity rules of teams, and the rules' alarms.
package protocol ProximityStore {
    /// Returns every proximity rule, in number order.
    func proximityRules() throws -> [ProximityRule]
    /// Returns every alarm of a proximity rule, in the order of the rules and of the people.
    func proximityAlarms() throws -> [(rule: ProximityNumber, alarm: ProximityAlarm)]
}

/// The operations of a transaction on proximity rules. They are removed with their team, and an alarm with its rule.
package protocol ProximityTransaction {
    /// Returns the number for a new rule. No rule ever had it.
    func nextProximityNumber() throws -> ProximityNumber
    /// Inserts a rule, or replaces the one of its number. The caller appends the `Change` that reports it.
    func put(_ rule: ProximityRule) throws
    /// Removes a rule and its alarms. Does nothing if there is none.
    func remove(_ rule: ProximityNumber) throws
    /// Inserts an alarm of a rule, or replaces the one of its person.
    func put(_ alarm: ProximityAlarm, of rule: ProximityNumber) throws
    /// Removes the alarm of a person. Does nothing if there is none.
    func removeAlarm(of user: UserNumber, from rule: ProximityNumber) throws
}

/// The operations of a transaction on the rules of teams.
package typealias TeamRuleTransaction = AttendanceTransaction & ProximityTransaction

package import MusterCore

/// The attendance rules of teams, each with the progress of its consequences.
package protocol AttendanceStore {
    /// Returns every attendance rule, in number order.
    func attendanceRules() throws -> [AttendanceRule]
}

/// The operations of a transaction on attendance rules. They are removed with their team.
package protocol AttendanceTransaction {
    /// Returns the number for a new rule. No rule ever had it.
    func nextAttendanceNumber() throws -> AttendanceNumber
    /// Inserts a rule, or replaces the one of its number. The caller appends the `Change` that reports it.
    func put(_ rule: AttendanceRule) throws
    /// Removes a rule. Does nothing if there is none.
    func remove(_ rule: AttendanceNumber) throws
}

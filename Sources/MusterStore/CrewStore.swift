package import MusterCore

/// Reads in which crews the people on the rolls of closed incidents were, and what they were called. `Store.directory`
/// has the crews themselves.
package protocol CrewStore {
    /// Returns the crews last stored with `setCrews`, by person; empty if none were.
    func crews(of incident: IncidentNumber) throws -> [UserNumber: String]
    /// Returns the display names last stored with `setDisplayNames`, by person; empty if none were.
    func displayNames(of incident: IncidentNumber) throws -> [UserNumber: String]
}

/// Writes crews in a transaction.
package protocol CrewTransaction {
    /// Returns the number for a new crew. No crew ever had it.
    func nextCrewNumber() throws -> CrewNumber
    /// Inserts a crew, or replaces the one of its number. The caller appends the `Change` that announces it.
    func put(_ crew: Crew) throws
    /// Removes a crew. The caller takes its people out of it, and appends the `Change` that announces it.
    func remove(_ crew: CrewNumber) throws
    /// Replaces the stored names of the crews that the people on an incident's roll are in. They stay when the person
    /// or the crew is removed.
    func setCrews(_ crews: [UserNumber: String], of incident: IncidentNumber) throws
    /// Replaces the stored display names of these people of an incident; nil removes one. Those of people whom the call
    /// does not name stay. The name of a person who is removed stays where a line of the incident's record has the
    /// person's name, and goes from every other incident.
    func setDisplayNames(_ names: [UserNumber: String?], of incident: IncidentNumber) throws
}

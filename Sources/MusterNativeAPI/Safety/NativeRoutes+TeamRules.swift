import MusterCore
import MusterServer

/// Lookups that the routes about a team's attendance and proximity rules share.
extension NativeRoutes {
    /// Returns the team in the path. Throws `Problem.forbidden` if the caller may not read the team's attendance.
    func readableTeam(_ context: AppRequestContext) throws -> Team {
        let access = try context.access(in: coordinator.directory)
        let team = try team(context, access)
        guard access.mayReadAttendance(of: team) else { throw Problem.forbidden }
        return team
    }

    /// Returns the team in the path, and the caller's rights. Throws `Problem.forbidden` if the caller does not lead
    /// it.
    func ledTeam(_ context: AppRequestContext) throws -> (Team, Access) {
        let access = try context.access(in: coordinator.directory)
        let team = try team(context, access)
        guard access.mayLead(team) else { throw Problem.forbidden }
        return (team, access)
    }
}

import MusterCore
import MusterServer

/// Lookups that the routes about a team's attendance and proximity rules share.
extension NativeRoutes {
    /// The team in the path, where the caller may see where its people are.
    func readableTeam(_ context: AppRequestContext) throws -> Team {
        let access = try context.access(in: coordinator.directory)
        let team = try team(context, access)
        guard access.mayReadAttendance(of: team) else { throw Problem.forbidden }
        return team
    }

    /// The team in the path, which the caller leads.
    func ledTeam(_ context: AppRequestContext) throws -> (Team, Access) {
        let access = try context.access(in: coordinator.directory)
        let team = try team(context, access)
        guard access.mayLead(team) else { throw Problem.forbidden }
        return (team, access)
    }
}

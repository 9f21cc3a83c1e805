import Hummingbird
import MusterCore
import MusterServer

/// The fields of a request that sets a proximity rule.
struct ProximityFields: Sendable {
    let centre: ProximityRule.Centre
    let subject: ProximityRule.Subject
    let radiusMetres: Double
    let demand: ProximityRule.Demand
    let note: String?

    /// Parses a body.
    ///
    /// - Throws: `Problem.invalid` with every fault.
    init(_ request: Request, for team: Team, _ access: Access) async throws {
        var fields = try await Fields(request)
        let centre = fields.centre(of: team, access)
        subject = fields.subject(of: team, access)
        let radius = fields.number("radiusMetres", in: ProximityRule.radiusLimits, isRequired: true)
        let demand = fields.demand()
        note = fields.text("note", limitBytes: ProximityRule.noteLimitBytes)
        if case .person(let person) = subject, centre == .person(person) {
            fields.addFault("person", "is the centre")
        }
        try fields.finish()
        guard let centre, let radius, let demand else { throw Problem.internalError }
        self.centre = centre
        radiusMetres = radius
        self.demand = demand
    }
}

extension Fields {
    /// Parses `centrePerson` or `centreDevice`: what a rule measures distances to.
    fileprivate mutating func centre(of team: Team, _ access: Access) -> ProximityRule.Centre? {
        let directory = access.directory
        let (person, device) = (text("centrePerson"), text("centreDevice"))
        if let person {
            if device != nil { return fault("centreDevice", "cannot be given together with centrePerson") }
            guard let user = directory.users[person], user.team == team.number, access.mayRead(user),
                user.role != .gateway
            else { return fault("centrePerson", "is not a person in the team") }
            return .person(user.number)
        }
        guard let device else { return fault("centrePerson", "is missing, and so is centreDevice") }
        let parts = device.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2, let user = directory.users[parts[0]], user.team == team.number, access.mayRead(user),
            let found = directory.device(named: parts[1], of: user.number)
        else { return fault("centreDevice", "is not a device of the team: name it as user/device") }
        return .device(found.number)
    }

    /// Parses `demand`, with `afterSeconds` for people who are to stay together.
    fileprivate mutating func demand() -> ProximityRule.Demand? {
        let afterSeconds = number("afterSeconds", in: ProximityRule.afterLimits)
        switch text("demand", isRequired: true) {
        case nil: return nil
        case "fence":
            if afterSeconds != nil { return fault("afterSeconds", "goes with the demand together only") }
            return .fence
        case "together": return .together(afterSeconds: afterSeconds ?? 60)
        default: return fault("demand", "must be fence or together")
        }
    }
}

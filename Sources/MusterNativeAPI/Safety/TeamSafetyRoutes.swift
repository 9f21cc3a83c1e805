import Hummingbird
import MusterCore
import MusterServer
import MusterWire

// The route that lists the safety of a team's people.

/// A person's safety and newest device.
private struct MemberSafety: Sendable {
    let user: User
    /// The person's telephone number, where the caller may see it.
    let phone: String?
    let safety: Safety
    /// The person's check-in timer, where the caller may see it.
    let timer: CheckInTimer?
    /// The person's pause; nil where none is in force.
    let pause: Pause?
    /// The device that was located last or, where none was, heard last.
    let latest: (device: DeviceNumber, known: Whereabouts)?

    /// The users whom the standing names beside the person.
    var authors: [UserNumber?] { safety.users + [timer?.setBy, timer?.turnBy] }
}

/// Routes for the safety of a team's people.
struct TeamSafetyRoutes: NativeRoutes {
    let server: ServerParts

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "\(Self.root)/teams/{team}/safety",
                admits: .roles([.admin, .analyst, .leader, .member], devices: false),
                .init(
                    "Teams", "Read the safety of a team's people and its source. A member sees only their own.",
                    answers: [.init(200, "The safety of the people at one moment.", json: "TeamSafety")]),
                handler: seeTeamSafety))
    }

    private func seeTeamSafety(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let team = try team(context, context.access(in: coordinator.directory))
        guard let principal = context.principal else { throw Problem.unauthorized }
        let now = configuration.now()
        let (standings, clock, directory, sequence) = try await coordinator.inspect { engine, directory, sequence in
            (
                Self.standings(of: team, for: Access(principal, in: directory), in: engine, now: now),
                engine.suspectServerClock(now: now), directory, sequence
            )
        }
        return .json(answering: request) { writer in
            writer.beginObject()
            writer.member("team", team.name)
            writer.member("sequence", sequence.rawValue)
            writer.member("at", now)
            writer.member(clock)
            writer.key("counts")
            writer.beginObject()
            for state in [Safety.State.safe, .unsafe, .unknown, .needsHelp, .sos, .offSite] {
                writer.member(
                    state.wireName, standings.count { $0.safety.state == state && !$0.safety.isChecking })
            }
            writer.member("checking", standings.count(where: \.safety.isChecking))
            writer.endObject()
            writer.member("members", listing: standings) { $0.standing($1, in: directory) }
            writer.member(displayNames: directory.displayNames(for: standings.flatMap(\.authors)))
            writer.endObject()
        }
    }

    /// Everyone in a team whom the caller may see, except gateways.
    private static func standings(
        of team: Team, for access: Access, in engine: Engine, now: Instant
    ) -> [MemberSafety] {
        let directory = access.directory
        let people = directory.users.all.filter {
            $0.team == team.number && $0.role != .gateway && access.mayRead($0)
        }
        return people.map { user in
            let devices = directory.devices(of: user.number).map { device in
                (device: device, known: Whereabouts(device, in: engine))
            }
            func order(_ known: Whereabouts) -> (Instant, Instant) {
                (known.located?.at ?? Instant(milliseconds: .min), known.heard ?? Instant(milliseconds: .min))
            }
            return MemberSafety(
                user: user, phone: access.mayReadContacts(of: user) ? user.phone : nil,
                safety: engine.safety(of: user.number),
                timer: access.mayKeepTimer(of: user) ? engine.checkInTimer(of: user.number) : nil,
                pause: engine.pause(of: user.number, now: now),
                latest: devices.max { order($0.known) < order($1.known) })
        }
    }
}

extension JSONWriter {
    fileprivate mutating func standing(_ standing: MemberSafety, in directory: Directory) {
        beginObject()
        member("user", standing.user.name)
        member("displayName", standing.user.displayName)
        member("crew", standing.user.crew.flatMap { directory.crews[$0]?.name })
        member("phone", standing.phone)
        members(of: directory.named(standing.safety))
        if let timer = standing.timer {
            key("checkInTimer")
            beginObject()
            members(of: directory.named(timer))
            endObject()
        }
        member(standing.pause)
        if let latest = standing.latest {
            member("device", directory.qualifiedName(of: latest.device))
            if let position = latest.known.position {
                key("position")
                value(position)
            }
            members(of: latest.known, in: directory)
        }
        endObject()
    }
}

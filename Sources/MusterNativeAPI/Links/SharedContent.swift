import MusterCore
import MusterGeometry
import MusterServer
import MusterStore
import MusterWire

/// What a link shows: these members and no others. There are no telephone numbers, no ids and no other people.
struct SharedContent: Sendable {
    /// The name of the team; nil for a link to a person, which does not show the person's team.
    var team: String?
    /// The name of the invited user.
    var user: String?
    /// The display name of the invited user.
    var displayName: String?
    var person: Person?
    var incident: Incident?
    /// The incident to which visitors are added; only for the kind `visitors`.
    var visited: Visited?

    struct Person: Sendable {
        var name: String
        var displayName: String?
        var safety: NamedSafety
        /// Whether clients show safety for the person's team now: while the team has an open incident, or always.
        var showsSafety: Bool
        /// When the server last heard from the person's devices.
        var heard: Instant?
        /// The newest place of the person's devices, or of their call for help, and when they were there.
        var located: (position: Position, at: Instant)?
    }

    struct Incident: Sendable {
        var roll: NamedRoll
        var regions: [Region]
    }

    /// The open incident of the team that a visitors' link is for; nil where there is none.
    struct Visited: Sendable {
        var incident: MusterCore.Incident?
    }
}

extension SharedRoutes {
    /// Reads what a link shows now.
    ///
    /// - Throws: `IdentityError.refused` when what it shows no longer exists; `CoordinatorError`, `StoreError`.
    func content(of link: Link) async throws -> SharedContent {
        var content = SharedContent()
        let (directory, purpose) = (coordinator.directory, link.purpose)
        let team = purpose.team.flatMap { directory.teams[$0] }
        switch link.kind {
        case .person: content.person = try await person(purpose.user)
        case .incident:
            guard let team, let number = purpose.incident, let giver = directory.users[link.giver],
                let incident = try await coordinator.read({ try $0.incident(number) })
            else { throw IdentityError.refused }
            content.team = team.name
            // What the giver sees, of which the link shows the members that are written below.
            let access = Access(Principal(giver, proof: .password), in: directory)
            content.incident = SharedContent.Incident(
                roll: try await roll(of: incident, for: access), regions: directory.assemblyPoints(of: team))
        case .visitors:
            guard let team else { throw IdentityError.refused }
            content.team = team.name
            content.visited = SharedContent.Visited(
                incident: try await coordinator.inspect { engine, _, _ in engine.openIncident(of: team.number) })
        case .invitation:
            guard let user = purpose.user.flatMap({ directory.users[$0] }) else { throw IdentityError.refused }
            content.user = user.name
            content.displayName = user.displayName
            content.team = user.team.flatMap { directory.teams[$0]?.name }
        }
        return content
    }

    private func person(_ number: UserNumber?) async throws -> SharedContent.Person {
        let (found, calledSince) = try await coordinator.inspect {
            engine, directory, _ -> (SharedContent.Person?, Instant?) in
            guard let user = number.flatMap({ directory.users[$0] }) else { return (nil, nil) }
            let declared = engine.declared(of: user.number)
            let isCalling = declared.status == .sos || declared.status == .needsHelp
            let located = directory.devices(of: user.number).compactMap { Whereabouts($0, in: engine).located }
            let team = user.team.flatMap { directory.teams[$0] }
            let isCalled = team.map { engine.openIncident(of: $0.number) != nil } ?? false
            let person = SharedContent.Person(
                name: user.name, displayName: user.displayName,
                safety: directory.named(engine.safety(of: user.number)),
                showsSafety: isCalled || team?.incidents.showsSafetyAlways == true,
                heard: engine.lastHeard(user.number), located: located.max { $0.at < $1.at })
            return (person, isCalling ? declared.since : nil)
        }
        guard let number, var person = found else { throw IdentityError.refused }
        if let calledSince, let call = try await placeOfCall(by: number, since: calledSince),
            call.at >= person.located?.at ?? call.at
        {
            person.located = call
        }
        return person
    }

    /// The most declarations among which the place of a call is looked for.
    private static let callLimit = 1_000

    /// The newest place that a call for help named: a text by SMS comes from no device that is located.
    private func placeOfCall(
        by user: UserNumber, since: Instant
    ) async throws -> (position: Position, at: Instant)? {
        let cursor = DeclarationKey(sampleTime: since.advanced(bySeconds: -0.001), id: "")
        let declarations = try await coordinator.read { store in
            try store.declarations(of: user, after: cursor, limit: Self.callLimit)
        }
        let kinds: [Declaration.Kind] = [.sos, .needsHelp]
        let call = declarations.lazy.filter(\.isCurrent).map(\.declaration).last { declaration in
            declaration.coordinate != nil && kinds.contains(declaration.kind)
        }
        guard let call, let coordinate = call.coordinate else { return nil }
        let position = Position(
            coordinate: coordinate, sampleTime: call.sampleTime, receivedTime: call.receivedTime)
        return (position, call.sampleTime)
    }
}

extension Directory {
    /// The most assembly points, and the most of their vertices, that a link shows.
    private static let sharedRegionLimit = 100
    private static let sharedVertexLimit = 20_000

    /// The muster regions that count for a team, as many as a link shows.
    fileprivate func assemblyPoints(of team: Team) -> [Region] {
        let collections = trackers[team.tracker]?.collections ?? []
        let all = collections.lazy.flatMap { self.regions(in: $0) }.compactMap { self.regions[$0] }
        var vertices = 0
        var shown: [Region] = []
        for region in all where isMuster(region) && shown.count < Self.sharedRegionLimit {
            vertices += region.shape?.vertexCount ?? 0
            guard vertices <= Self.sharedVertexLimit else { break }
            shown.append(region)
        }
        return shown
    }
}

extension Shape {
    fileprivate var vertexCount: Int {
        switch self {
        case .polygon(let polygon): polygon.vertexCount
        case .multiPolygon(let polygons): polygons.reduce(0) { $0 + $1.vertexCount }
        case .circle: 1
        }
    }
}

extension Polygon {
    fileprivate var vertexCount: Int { holes.reduce(exterior.count) { $0 + $1.count } }
}

extension JSONWriter {
    mutating func members(of content: SharedContent) {
        member("team", content.team)
        member("user", content.user)
        member("displayName", content.displayName)
        if let person = content.person {
            key("person")
            value(person)
        }
        if let incident = content.incident {
            key("incident")
            value(incident)
        }
        if let visited = content.visited {
            key("incident")
            if let incident = visited.incident {
                beginObject()
                member("number", Int64(incident.number.rawValue))
                member("kind", incident.kind.wireName.description)
                endObject()
            } else {
                raw("null")
            }
        }
    }

    private mutating func value(_ person: SharedContent.Person) {
        beginObject()
        member("name", person.name)
        member("displayName", person.displayName)
        state(person.safety.safety)
        member("showsSafety", person.showsSafety)
        if let heard = person.heard { member("lastHeard", heard) }
        if let (position, at) = person.located {
            key("position")
            beginObject()
            member("latitude", position.coordinate.latitude)
            member("longitude", position.coordinate.longitude)
            if let accuracy = position.accuracy { member("accuracy", accuracy.value) }
            member("sampleTime", at)
            endObject()
        }
        endObject()
    }

    private mutating func value(_ shared: SharedContent.Incident) {
        let incident = shared.roll.incident.incident
        beginObject()
        member("number", Int64(incident.number.rawValue))
        member("kind", incident.kind.wireName.description)
        if let note = incident.note { member("note", note) }
        member("startedTime", incident.startedAt)
        if let closing = incident.closing { member("closedTime", closing.at) }
        member("counts", shared.roll.counts)
        member("roll", listing: shared.roll.waitedFor) { writer, person in
            writer.beginObject()
            writer.member("name", person.user)
            writer.member("displayName", person.displayName)
            writer.member("crew", person.crew)
            writer.state(person.safety.safety)
            writer.member("accounted", person.isAccounted)
            writer.member("checking", person.isChecking)
            writer.endObject()
        }
        key("regions")
        beginObject()
        member("type", "FeatureCollection")
        member("features", listing: shared.regions) { $0.assemblyPoint($1) }
        endObject()
        endObject()
    }

    /// A person's state in the words of the API, without the names of others.
    private mutating func state(_ safety: Safety) {
        member("state", safety.state.wireName.description)
        if safety.since > Instant(milliseconds: 0) { member("since", safety.since) }
        member("source", safety.source.wireName.description)
        if let doubt = safety.doubt { member("doubt", doubt.wireName.description) }
    }

    /// A region as people on a map need it: its shape and its name.
    private mutating func assemblyPoint(_ region: Region) {
        beginObject()
        member("type", "Feature")
        key("geometry")
        if let shape = region.shape { geometry(shape) } else { raw("null") }
        key("properties")
        beginObject()
        member("name", region.name)
        if case .circle(let circle) = region.shape { member("radius", circle.radius.value) }
        endObject()
        endObject()
    }
}

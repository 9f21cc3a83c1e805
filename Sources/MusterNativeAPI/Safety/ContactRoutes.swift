import Hummingbird
import MusterCore
import MusterServer
import MusterStore
import MusterWire

/// The route that lists the people who were near a person before and during an incident.
struct ContactRoutes: NativeRoutes {
    let server: ServerParts

    /// How long before an incident the search may begin, in seconds.
    private static let beforeLimits: ClosedRange<Int64> = 0...86_400
    private static let radiusSchema = #"{"type":"integer","minimum":1,"maximum":1000}"#
    private static let beforeSchema = #"{"type":"integer","minimum":0,"maximum":86400}"#
    /// The longest time that a search may cover, in seconds.
    private static let longestSeconds: Double = 172_800
    /// The largest numbers of positions, and of ranges, that are read of one device, and of both together that are read
    /// of all devices. Where there may be more, the answer has `complete: false`.
    private static let deviceLimit = 20_000
    private static let totalLimit = 400_000

    func register(in routes: inout RouteTable) {
        routes.add(
            Route(
                .get, "\(Self.root)/incidents/{incident}/contacts",
                admits: .roles([.admin, .analyst, .leader], devices: false),
                .init(
                    "Incidents", "Find who of the team was near a person, before and during an incident.",
                    query: [
                        .init("person", "The person.", schema: Schema.name),
                        .init(
                            "withinMetres", "What counts as near; 10 m unless given.",
                            schema: Self.radiusSchema),
                        .init(
                            "beforeSeconds", "How long before the incident; 3,600 s unless given.",
                            schema: Self.beforeSchema),
                    ],
                    answers: [.init(200, "The contacts, in the order of time.", json: "Contacts")]), handler: see))
    }

    private func see(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let access = try context.access(in: coordinator.directory)
        let incident = try await incident(context, access)
        guard access.mayReadRoll(of: incident) else { throw Problem.notFound }
        var query = Query(request)
        let name = query.text("person")
        let radius = Double(query.integer("withinMetres", in: ContactSearch.radiusLimits) ?? 10)
        let before = Double(query.integer("beforeSeconds", in: Self.beforeLimits) ?? 3_600)
        let person = name.flatMap { access.directory.users[$0] }
        if person.map({ !access.mayRead($0) || $0.team != incident.team }) ?? true {
            let _: User? = query.fault("person", "is not a person in the incident's team")
        }
        try query.finish()
        guard let person else { throw Problem.internalError }
        let from = incident.startedAt.advanced(bySeconds: -before)
        let end = min(incident.closing?.at ?? configuration.now(), from.advanced(bySeconds: Self.longestSeconds))
        let found = try await search(for: person, of: incident.team, from: from, to: end, radius, access.directory)
        return .json { writer in
            writer.beginObject()
            writer.member("person", person.name)
            writer.member("withinMetres", radius)
            writer.member("from", from)
            writer.member("to", end)
            writer.member("complete", found.isComplete)
            writer.member("items", listing: found.contacts) { writer, item in
                writer.beginObject()
                writer.member("user", item.user)
                writer.member("from", item.contact.from)
                writer.member("to", item.contact.to)
                writer.member("closestMetres", item.contact.closestMetres)
                writer.member("deviationMetres", item.contact.deviationMetres)
                if let source = item.contact.source { writer.member("source", source.wireName.description) }
                writer.endObject()
            }
            writer.endObject()
        }
    }

    /// The positions and ranges of one person's devices, and how many were read.
    private struct Traces: Sendable {
        var trails: [ContactSearch.Trail] = []
        var ranges: [PeerRange] = []
        var count = 0
        /// Whether all positions and ranges of the searched time were read.
        var isComplete = true
    }

    private struct Found: Sendable {
        var contacts: [(user: String, contact: Contact)] = []
        var isComplete = true
    }

    private func search(
        for person: User, of team: TeamNumber, from: Instant, to end: Instant, _ radius: Double,
        _ directory: Directory
    ) async throws -> Found {
        let search = ContactSearch(radiusMetres: radius)
        let ownDevices = directory.devices(of: person.number)
        let own = try await coordinator.read { store in
            try Self.traces(of: ownDevices, from: from, to: end, limit: Self.totalLimit, in: store)
        }
        var found = Found(isComplete: own.isComplete)
        var left = Self.totalLimit - own.count
        for other in directory.users.all where other.team == team && other.number != person.number {
            let (devices, limit) = (directory.devices(of: other.number), left)
            // Each person is a read of its own, so that no other read waits for the whole search.
            let (traces, contacts) = try await coordinator.read { store in
                let traces = try Self.traces(of: devices, from: from, to: end, limit: limit, in: store)
                let ranges =
                    own.ranges.filter { devices.contains($0.peer) }
                    + traces.ranges.filter { ownDevices.contains($0.peer) }
                return (traces, search.contacts(between: own.trails, and: traces.trails, ranges: ranges))
            }
            left -= traces.count
            found.contacts += contacts.map { (other.name, $0) }
            if !traces.isComplete { found.isComplete = false }
        }
        found.contacts.sort { ($0.contact.from, $0.user) < ($1.contact.from, $1.user) }
        return found
    }

    private static func traces(
        of devices: [DeviceNumber], from: Instant, to end: Instant, limit: Int, in store: any Store
    ) throws -> Traces {
        var found = Traces()
        for device in devices {
            let room = min(deviceLimit, limit - found.count)
            guard room > 0 else {
                found.isComplete = false
                break
            }
            let positions = try store.positions(of: device, from: from, to: end, after: nil, limit: room)
            let ranges = try store.ranges(of: device, from: from, to: end, after: nil, limit: room)
            found.count += positions.count + ranges.count
            if positions.count == room || ranges.count == room { found.isComplete = false }
            if !positions.isEmpty { found.trails.append(ContactSearch.Trail(positions)) }
            found.ranges += ranges
        }
        return found
    }
}

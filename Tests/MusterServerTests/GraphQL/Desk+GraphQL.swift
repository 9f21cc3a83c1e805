import HTTPTypes
import MusterCore
import MusterGeometry
import MusterStore
import MusterWire
import NIOCore
import Testing

@testable import MusterServer

/// What `/graphql` answered.
struct GraphQLReply {
    let reply: Desk.Reply

    var status: Int { reply.status }
    var data: JSONValue { reply.json["data"] ?? .null }
    /// The fields of the errors as `path.to.field CODE`, in their order.
    var faults: [String] {
        (reply.json["errors"]?.elements ?? []).map { error in
            let path = (error["path"]?.elements ?? []).map { $0.string ?? "\($0.integer ?? -1)" }
            return "\(path.joined(separator: ".")) \(error["extensions"]?["errorType"]?.string ?? "")"
        }
    }
    var messages: [String] { (reply.json["errors"]?.elements ?? []).compactMap { $0["message"]?.string } }

    /// A value within the data, by its path.
    subscript(_ path: String...) -> JSONValue {
        path.reduce(data) { value, key in value[key] ?? .null }
    }
}

extension Desk {
    /// Sends an operation by POST, as the user of that name.
    func graphQL(
        _ source: String, as user: String? = nil, variables: JSONValue = .object([]), headers: HTTPFields = [:]
    ) async throws -> GraphQLReply {
        let body = JSONValue.object([.init("query", .string(source)), .init("variables", variables)])
        let text = String(decoding: body.bytes, as: UTF8.self)
        return GraphQLReply(reply: try await send(.post, "//graphql", as: user, text, headers: headers))
    }
}

extension JSONValue {
    /// The elements' members of this name.
    func texts(_ keys: String...) -> [String] {
        (elements ?? []).compactMap { element in keys.reduce(element) { $0[$1] ?? .null }.string }
    }
}

/// An office in which both teams have people with contacts, a crew, a region, positions and an incident.
struct FurnishedOffice {
    let office: Office

    init() async throws {
        office = try await Office()
        try await office.coordinator.edit(by: nil) { directory, draft in
            for (name, team) in [("mia", "north"), ("sue", "south")] {
                guard var user = directory.users[name], let team = directory.teams[team],
                    let collection = directory.collections[team.name]
                else { continue }
                let crew = Crew(number: try draft.transaction.nextCrewNumber(), team: team.number, name: "Engine 3")
                user.crew = crew.number
                user.email = "\(name)@example.org"
                user.phone = "+1 555 0100"
                let circle = Circle(centre: try Coordinate(latitude: 45, longitude: 14), radius: Metres(200))
                let region = Region(
                    number: try draft.transaction.nextRegionNumber(), collection: collection.number, id: "square",
                    name: "The square", shape: .circle(circle), isMuster: true)
                draft.edits += [.putCrew(crew), .putUser(user), .putRegion(region)]
            }
        }
    }

    /// Lets everyone report a position and both teams start an incident: 1 is north's, 2 is south's.
    func begin(at desk: Desk) async throws {
        for person in Office.people where person.role != .gateway {
            #expect(try await desk.send(.post, "/positions", as: person.name, office.report("phone")).status == 200)
        }
        for team in ["north", "south"] {
            let note = #"{"kind":"drill","note":"in \#(team)"}"#
            #expect(try await desk.send(.post, "/teams/\(team)/incidents", as: "admin", note).status == 201)
        }
    }
}

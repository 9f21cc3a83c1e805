import HTTPTypes
import MusterCore
import MusterWire
import Testing

@testable import MusterServer

/// The mutations that change teams, devices and regions.
@Suite struct GraphQLDirectoryTests {
    @Test func `a team, a device and a region are made, used and removed by mutations alone`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let yard = GraphQLRightsTests.yard
            let made = try await desk.graphQL(
                """
                mutation {
                  createTeam(input: { name: "west" }) { id people { edges { node { name } } } }
                  setTeam(input: { person: "Person:mia", team: "Team:west" }) { name team { name } crew { name } }
                  createDevice(input: { owner: "Person:mia", name: "watch" }) {
                    id owner { name } position { sampleTime }
                  }
                  putRegion(input: { id: "Region:north/yard", geoJSON: \(yard) }) { id collection name isMuster }
                }
                """, as: "admin")
            #expect(made.faults == [])
            #expect(made["createTeam", "id"].string == "Team:west")
            #expect(made["setTeam", "team", "name"].string == "west")
            #expect(made["createDevice", "id"].string == "Device:mia/watch")
            #expect(made["putRegion", "id"].string == "Region:north/yard")
            let west = try #require(office.coordinator.directory.teams["west"])
            #expect(try office.user("mia").team == west.number)
            let native = try await desk.send(.get, "/collections/north/regions/yard", as: "mia")
            #expect(native.json["properties"]?["radius"]?.number == 100)
            let gone = try await desk.graphQL(
                """
                mutation {
                  deleteTeam(input: { id: "Team:west" })
                  deleteDevice(input: { id: "Device:mia/watch" })
                  deleteRegion(input: { id: "Region:north/yard" })
                }
                """, as: "admin")
            #expect(gone.faults == [])
            #expect(gone["deleteTeam"].string == "Team:west")
            #expect(gone["deleteDevice"].string == "Device:mia/watch")
            #expect(gone["deleteRegion"].string == "Region:north/yard")
            #expect(try office.user("mia").team == nil)
            #expect(try await desk.send(.get, "/users/mia/devices/watch", as: "admin").status == 404)
            #expect(try await desk.send(.get, "/collections/north/regions/yard", as: "admin").status == 404)
        }
    }

    /// What is refused, and with which word.
    static let refused: [(mutation: String, code: String)] = [
        (#"createTeam(input: { name: "north" }) { id }"#, "ConflictException"),
        (#"createTeam(input: { name: "a/b" }) { id }"#, "BadRequestException"),
        (#"deleteTeam(input: { id: "Team:nowhere" })"#, "NotFound"),
        (#"deleteTeam(input: { id: "Person:mia" })"#, "NotFound"),
        (#"setTeam(input: { person: "Person:mia", team: "Team:nowhere" }) { id }"#, "NotFound"),
        (#"setTeam(input: { person: "Person:mia", team: "north" }) { id }"#, "BadRequestException"),
        (#"setTeam(input: { person: "Person:mia" }) { id }"#, "BadRequestException"),
        (#"createDevice(input: { owner: "Person:mia", name: "phone" }) { id }"#, "ConflictException"),
        (#"createDevice(input: { owner: "Person:nobody", name: "phone" }) { id }"#, "NotFound"),
        (#"deleteDevice(input: { id: "Device:mia/none" })"#, "NotFound"),
        (#"putRegion(input: { id: "yard", geoJSON: "{}" }) { id }"#, "BadRequestException"),
        (#"putRegion(input: { id: "Region:north/yard", geoJSON: "{}" }) { id }"#, "BadRequestException"),
        (#"putRegion(input: { id: "Region:nowhere/yard", geoJSON: \#(GraphQLRightsTests.yard) }) { id }"#, "NotFound"),
        (#"deleteRegion(input: { id: "Region:north/none" })"#, "NotFound"),
    ]

    @Test func `what cannot be done is refused with a word, and changes nothing`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let before = office.coordinator.lastSequence
            for (mutation, code) in Self.refused {
                let reply = try await desk.graphQL("mutation { done: \(mutation) }", as: "admin")
                #expect(reply.faults == ["done \(code)"], "\(mutation): \(reply.reply.text)")
            }
            #expect(office.coordinator.lastSequence == before)
        }
    }
}

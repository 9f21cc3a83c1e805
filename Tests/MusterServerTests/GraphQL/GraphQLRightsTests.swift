import HTTPTypes
import MusterCore
import MusterStore
import MusterWire
import Testing

@testable import MusterGraphQL
@testable import MusterServer

/// Every field of the schema as every role, against lists that were written by hand and not taken from the table.
@Suite struct GraphQLRightsTests {
    /// Callers by letter: those of the people below who have nothing to do with south are lena, mia and gus.
    static let callers: [(letter: Character, name: String)] = [
        ("a", "admin"), ("n", "ann"), ("L", "lars"), ("S", "sue"), ("l", "lena"), ("m", "mia"), ("g", "gus"),
    ]

    /// Who gets each field of what is south's: of sue, her phone and her crew, the team, its region and its incident.
    static let allowed: [String: [String: String]] = [
        "Person:sue": [
            "id": "anLS", "name": "anLS", "displayName": "anLS", "role": "aLS", "team": "anLS",
            "crew": "anLS", "email": "aLS",
            "phone": "aLS", "safety": "anLS", "safetySince": "anLS", "devices": "anLS",
            "position": "anLS",
        ],
        "Team:south": ["id": "anLS", "name": "anLS", "crews": "anL", "people": "anLS", "incidents": "anLS"],
        "Crew:south/Engine 3": ["id": "anLS", "name": "anLS", "people": "anL"],
        "Device:sue/phone": [
            "id": "anLS", "name": "anLS", "owner": "anLS", "position": "anLS", "positions": "anLS", "regions": "anLS",
        ],
        "Region:south/square": [
            "id": "anLSlm", "collection": "anLSlm", "name": "anLSlm", "isMuster": "anLSlm", "geoJSON": "anLSlm",
            "people": "anLSlm",
        ],
        "Incident:2": [
            "id": "anLS", "number": "anLS", "kind": "anLS", "team": "anLS", "openedAt": "anLS", "closedAt": "anLS",
            "note": "anLS", "roll": "anLS", "missingCount": "anL",
        ],
    ]

    /// A field of the schema that is served.
    private struct SchemaField {
        var name: String
        var isComposite: Bool
    }

    /// The fields of the object types, as introspection shows them.
    private static func fields(at desk: Desk) async throws -> [String: [SchemaField]] {
        let reply = try await desk.graphQL(
            """
            { __schema { types { kind name fields {
              name type { kind ofType { kind ofType { kind ofType { kind } } } }
            } } } }
            """, as: "admin")
        #expect(reply.faults == [])
        var fields: [String: [SchemaField]] = [:]
        for type in reply["__schema", "types"].elements ?? [] where type["kind"]?.string == "OBJECT" {
            guard let name = type["name"]?.string, !name.hasPrefix("__") else { continue }
            fields[name] = (type["fields"]?.elements ?? []).map { field in
                var type = field["type"] ?? .null
                while let inner = type["ofType"], inner != .null { type = inner }
                let isComposite = ["OBJECT", "INTERFACE", "UNION"].contains(type["kind"]?.string)
                return SchemaField(name: field["name"]?.string ?? "", isComposite: isComposite)
            }
        }
        return fields
    }

    @Test func `every field of the schema has a reader, and nothing else has`() async throws {
        try await Office().open { desk in
            let fields = try await Self.fields(at: desk)
            #expect(fields.count > 20)
            let names = fields.flatMap { type, fields in fields.map { "\(type).\($0.name)" } }
            #expect(Set(names).symmetricDifference(ServedField.table.keys) == [])
        }
    }

    @Test func `the schema that is printed is the one that is served`() async throws {
        #expect(try GraphQLSchema(ServedSchema.source).source == ServedSchema.schema.source)
        #expect(ServedSchema.source.hasSuffix("}\n"))
    }

    @Test func `each role gets the fields of another team's objects that it may see, and no other`() async throws {
        let furnished = try await FurnishedOffice()
        try await furnished.office.open { desk in
            try await furnished.begin(at: desk)
            let schema = try await Self.fields(at: desk)
            for (id, letters) in Self.allowed {
                let type = String(id.prefix { $0 != ":" })
                let fields = try #require(schema[type])
                #expect(Set(fields.map(\.name)) == Set(letters.keys), "\(type)")
                for field in fields {
                    let allowed = letters[field.name] ?? ""
                    let arguments = field.name == "positions" ? #"(from: "2020-01-01T00:00:00Z")"# : ""
                    let query = """
                        query ($id: ID!) {
                          node(id: $id) { ... on \(type) { \(field.name)\(arguments) \
                        \(field.isComposite ? "{ __typename }" : "") } }
                        }
                        """
                    for caller in Self.callers {
                        let reply = try await desk.graphQL(
                            query, as: caller.name, variables: .object([.init("id", .string(id))]))
                        let isGiven = reply["node"] != .null && reply.faults.isEmpty
                        #expect(
                            isGiven == allowed.contains(caller.letter),
                            "\(id).\(field.name) as \(caller.name): \(reply.reply.text)")
                        if !isGiven {
                            #expect([.null, nil].contains(reply["node"][field.name]), "\(reply.reply.text)")
                        }
                    }
                }
            }
        }
    }

    @Test func `lists hold what the caller may see and nothing else`() async throws {
        let furnished = try await FurnishedOffice()
        let people = ["admin", "lena", "mia", "max", "lars", "sue", "ann"]
        let visible: [String: (people: [String], teams: [String], incidents: [Int64])] = [
            "admin": (people, ["north", "south"], [2, 1]), "ann": (people, ["north", "south"], [2, 1]),
            "lena": (["lena", "mia", "max"], ["north"], [1]), "mia": (["mia"], ["north"], [1]),
            "lars": (["lars", "sue"], ["south"], [2]), "sue": (["sue"], ["south"], [2]), "gus": ([], [], []),
        ]
        try await furnished.office.open { desk in
            try await furnished.begin(at: desk)
            for (name, expected) in visible {
                let reply = try await desk.graphQL(
                    """
                    {
                      people { edges { node { name devices { id } } } }
                      listUsers { items { username } }
                      teams { edges { node { name people { edges { node { name } } } } } }
                      devices { edges { node { id } } }
                      incidents { edges { node { number roll { name } } } }
                      open: incidents(openOnly: true) { edges { node { number } } }
                      me { name }
                    }
                    """, as: name)
                #expect(reply.faults == [], "\(name)")
                #expect(reply["people", "edges"].texts("node", "name") == expected.people)
                #expect(reply["listUsers", "items"].texts("username") == expected.people)
                #expect(reply["teams", "edges"].texts("node", "name") == expected.teams)
                let devices = reply["devices", "edges"].texts("node", "id")
                #expect(devices.filter { $0 != "Device:gus/phone" } == expected.people.map { "Device:\($0)/phone" })
                for list in ["incidents", "open"] {
                    let numbers = (reply[list, "edges"].elements ?? []).compactMap { $0["node"]?["number"]?.integer }
                    #expect(numbers == expected.incidents)
                }
                #expect(reply["me", "name"].string == name)
                let hidden = Set(Office.people.map(\.name)).subtracting(expected.people).subtracting([name])
                for other in hidden where other != "gus" { #expect(!reply.reply.text.contains("\"\(other)\"")) }
            }
        }
    }

    @Test func `a member's roll has only their own entry`() async throws {
        let furnished = try await FurnishedOffice()
        try await furnished.office.open { desk in
            try await furnished.begin(at: desk)
            let query = #"{ node(id: "Incident:1") { ... on Incident { roll { name person { name } } } } }"#
            #expect(try await desk.graphQL(query, as: "mia")["node", "roll"].texts("name") == ["mia"])
            #expect(try await desk.graphQL(query, as: "lena")["node", "roll"].texts("name") == ["lena", "mia", "max"])
        }
    }

    /// A circle of a hundred metres, as a text of GraphQL.
    static let yard =
        #""{\"type\":\"Feature\",\"properties\":{\"radius\":100},"#
        + #"\"geometry\":{\"type\":\"Point\",\"coordinates\":[14,45]}}""#

    /// Who may do what to south's people, and to what else is south's.
    static let commands: [(mutation: String, letters: String)] = [
        (#"declare(input: { person: "Person:sue", declaration: NEEDS_HELP }) { name }"#, "aLS"),
        (#"declare(input: { person: "Person:sue", declaration: ACKNOWLEDGE }) { name }"#, "aL"),
        (#"updateUser(input: { id: "sue", isSafe: true }) { username }"#, "aLS"),
        (#"createUser(input: { username: "nova" }) { username }"#, "a"),
        (#"deleteUser(input: { id: "sue" }) { username }"#, "a"),
        (#"openIncident(input: { team: "Team:south", kind: REAL }) { number }"#, "aL"),
        (#"closeIncident(input: { id: "Incident:2", reason: "all clear" }) { number }"#, "aL"),
        (#"createTeam(input: { name: "west" }) { name }"#, "a"),
        (#"deleteTeam(input: { id: "Team:empty" })"#, "a"),
        (#"setTeam(input: { person: "Person:sue", team: "Team:north" }) { name }"#, "a"),
        (#"setTeam(input: { person: "Person:sue", team: null }) { name }"#, "a"),
        (#"createDevice(input: { owner: "Person:sue", name: "watch" }) { name }"#, "aLS"),
        (#"deleteDevice(input: { id: "Device:sue/phone" })"#, "aS"),
        (#"putRegion(input: { id: "Region:south/yard", geoJSON: \#(yard) }) { name }"#, "aL"),
        (#"putRegion(input: { id: "Region:south/square", geoJSON: \#(yard) }) { name }"#, "aL"),
        (#"deleteRegion(input: { id: "Region:south/square" })"#, "aL"),
    ]

    @Test(arguments: commands.indices)
    func `a command is carried out for those who may give it, and changes nothing for others`(
        _ index: Int
    ) async throws {
        let (mutation, letters) = Self.commands[index]
        for caller in Self.callers {
            let furnished = try await FurnishedOffice()
            try await furnished.office.open { desk in
                try await furnished.begin(at: desk)
                // A team with an open incident cannot be removed.
                #expect(try await desk.send(.post, "/teams", as: "admin", #"{"name":"empty"}"#).status == 201)
                let before = furnished.office.coordinator.lastSequence
                let reply = try await desk.graphQL("mutation { done: \(mutation) }", as: caller.name)
                let isDone = reply["done"] != .null
                #expect(isDone == letters.contains(caller.letter), "\(mutation) as \(caller.name): \(reply.reply.text)")
                let after = furnished.office.coordinator.lastSequence
                #expect((after > before) == isDone, "\(mutation) as \(caller.name)")
                guard isDone else { return }
                let audited = try furnished.office.store.audit(before: nil, limit: 10, withDetails: false)
                #expect(
                    audited.contains { entry in
                        entry.sequence > before
                            && furnished.office.coordinator.directory.name(of: entry.author) == caller.name
                    })
            }
        }
    }

    @Test func `a person reports for their own devices alone`() async throws {
        let furnished = try await FurnishedOffice()
        let office = furnished.office
        try await office.open { desk in
            let time = office.clock.now.rfc3339
            func input(_ device: String) -> String {
                #"{ device: "\#(device)", latitudeDegrees: 45.5, longitudeDegrees: 14, sampleTime: "\#(time)" }"#
            }
            let report = """
                mutation { reportPositions(input: [\(input("Device:sue/phone")), \(input("Device:mia/phone"))]) {
                  storedCount repeatedCount filteredCount refused { index reason }
                } }
                """
            let reply = try await desk.graphQL(report, as: "mia")
            #expect(reply["reportPositions", "storedCount"].integer == 1)
            let refused = reply["reportPositions", "refused"].elements ?? []
            #expect(refused.map { $0["index"]?.integer } == [0])
            let again = try await desk.graphQL(report, as: "mia")
            #expect(again["reportPositions", "repeatedCount"].integer == 1)
            let place = try await desk.graphQL("{ me { position { coordinate { latitudeDegrees } } } }", as: "mia")
            #expect(place["me", "position", "coordinate", "latitudeDegrees"].number == 45.5)
        }
    }
}

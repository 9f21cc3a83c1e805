import HTTPTypes
import Hummingbird
import Logging
import MusterCore
import MusterWire
import NIOEmbedded
import Testing

@testable import MusterGraphQL
@testable import MusterServer

/// Amplify's model, rolls, subscriptions and reports as every role, against lists that were written by hand.
@Suite struct GraphQLModelRightsTests {
    private static let callers = GraphQLRightsTests.callers

    /// Who gets each field of sue in Amplify's model.
    private static let user: [String: String] = [
        "id": "anLS", "username": "anLS", "isSafe": "anLS", "_version": "anLS", "_deleted": "anLS",
        "_lastChangedAt": "anLS", "createdAt": "anLS", "updatedAt": "anLS",
    ]

    /// The ways to a person in Amplify's model: fields of the root, whose objects are in a list `items` or the field's.
    private static let ways: [(call: String, isList: Bool)] = [
        (#"getUser(id: "sue")"#, false), (#"listUsers(filter: { username: { eq: "sue" } })"#, true),
        (#"syncUsers(filter: { username: { eq: "sue" } })"#, true), ("listUsers", true), ("syncUsers", true),
        ("syncUsers(lastSync: 1)", true),
    ]

    @Test func `each role gets the fields of another team's person in Amplify's model that it may see`() async throws {
        let furnished = try await FurnishedOffice()
        try await furnished.office.open { desk in
            try await furnished.begin(at: desk)
            let subject = furnished.office.coordinator.origin.subject(of: try furnished.office.user("sue").number)
            // All have changed since a minute ago.
            let recently = "\(furnished.office.clock.now.advanced(bySeconds: -60).milliseconds)"
            for (way, isList) in Self.ways {
                let call = way.replacing("lastSync: 1", with: "lastSync: \(recently)")
                for (field, letters) in Self.user {
                    // The fields that are told apart by their values come with the name.
                    let selection = "{ name: username value: \(field) }"
                    let query = "{ found: \(call) \(isList ? "{ items \(selection) }" : selection) }"
                    for caller in Self.callers {
                        let reply = try await desk.graphQL(query, as: caller.name)
                        let found = isList ? reply["found", "items"].elements ?? [] : [reply["found"]]
                        let isGiven = found.contains { $0["name"]?.string == "sue" } && reply.faults.isEmpty
                        #expect(
                            isGiven == letters.contains(caller.letter),
                            "\(call).\(field) as \(caller.name): \(reply.reply.text)")
                        if !isGiven {
                            #expect(!reply.reply.text.contains("sue"), "\(reply.reply.text)")
                            #expect(!reply.reply.text.contains(subject), "\(reply.reply.text)")
                        }
                    }
                }
            }
        }
    }

    @Test func `the model's ids lead to nothing by node`() async throws {
        let furnished = try await FurnishedOffice()
        try await furnished.office.open { desk in
            let subject = furnished.office.coordinator.origin.subject(of: try furnished.office.user("sue").number)
            for id in [subject, "User:\(subject)", "User:sue", "Person:\(subject)", "sue"] {
                for caller in Self.callers {
                    let reply = try await desk.graphQL(
                        "query ($id: ID!) { node(id: $id) { id } }", as: caller.name,
                        variables: .object([.init("id", .string(id))]))
                    #expect(reply.faults == [])
                    #expect(reply["node"] == .null, "\(id) as \(caller.name)")
                }
            }
        }
    }

    /// Who gets each field of the roll's entries of south's incident; a member those of their own entry alone.
    private static let entry: [(field: String, letters: String)] = [
        ("name", "anLS"), ("person { id }", "anLS"), ("safety", "anLS"), ("since", "anLS"),
    ]

    @Test func `each role gets the fields of another team's roll that it may see`() async throws {
        let furnished = try await FurnishedOffice()
        try await furnished.office.open { desk in
            try await furnished.begin(at: desk)
            for (field, letters) in Self.entry {
                for caller in Self.callers {
                    let reply = try await desk.graphQL(
                        #"{ node(id: "Incident:2") { ... on Incident { roll { name value: \#(field) } } } }"#,
                        as: caller.name)
                    let names = reply["node", "roll"].texts("name")
                    let all = caller.letter == "S" ? ["sue"] : ["lars", "sue"]
                    let expected = letters.contains(caller.letter) ? all : []
                    #expect(names == expected, "\(field) as \(caller.name): \(reply.reply.text)")
                    #expect(reply.faults == [], "\(field) as \(caller.name)")
                }
            }
        }
    }

    // MARK: Subscriptions

    /// Collects a subscription's answers.
    private struct Collector: SubscriptionOutput {
        var answers: [JSONValue] = []
        var end: GraphQLError?

        mutating func send(at sequence: LogSequence, _ answer: () async throws -> JSONValue?) async throws {
            if let answer = try await answer() { answers.append(answer) }
        }

        mutating func beat(at sequence: LogSequence) {}

        mutating func end(_ error: GraphQLError) { end = error }

        mutating func breakOff() {}
    }

    /// What a user hears of everything that happened since the log's begin, as one text.
    private static func heard(by name: String, _ text: String, _ office: Office) async throws -> String {
        var context = AppRequestContext(
            source: ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "test")))
        let proof = HeaderProof("Bearer \(office.keys[name] ?? "")", from: "1.2.3.4")
        context.proof = proof
        context.principal = Principal(try office.user(name), proof: .apiKey)
        let operation = try GraphQLOperation(
            try GraphQLRequest(text, schema: ServedSchema.schema, limits: ServedSchema.limits))
        let source = try SubscriptionSource(operation, OperationContext(office.parts, context))
        let subscription = Subscription(
            office.parts, context, operation, source, proof: proof,
            gate: OperationGate(running: 2, waiting: .max), since: .zero)
        var output = Collector()
        #expect(try await subscription.begin(to: &output))
        #expect(output.end == nil)
        return output.answers.map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: "\n")
    }

    /// Each subscription, what of its answers is south's, and who hears that.
    private static let subscriptions: [(text: String, mark: String, letters: String)] = [
        ("safetyChanged { sequence person { name safety } }", #""sue""#, "anLS"),
        ("positionChanged { sequence device { id } position { sampleTime } }", "Device:sue/phone", "anLS"),
        ("incidentChanged { sequence incident { number note } }", "in south", "anLS"),
        ("personChanged { sequence person { name role email } }", #""sue""#, "aLS"),
        ("teamChanged { sequence team { name } }", #""south""#, "anLS"),
        ("deviceChanged { sequence device { id owner { name } } }", "Device:sue/phone", "anLS"),
        // Everybody but machines sees all regions.
        ("regionChanged { sequence region { name isMuster } }", "The square", "anLSlm"),
        ("teamChanged { sequence team { name } }", #""team":null"#, "a"),
        ("deviceChanged { sequence device { id } }", #""device":null"#, "a"),
        (#"onUpdateUser(after: "0") { id username isSafe _version }"#, #""sue""#, "anLS"),
        (#"onCreateUser(after: "0") { id username isSafe }"#, #""sue""#, "aLS"),
        (#"onDeleteUser(after: "0") { id username _deleted }"#, "GONE", "a"),
    ]

    @Test func `each role hears of another team by each subscription what it may, and nothing else`() async throws {
        let furnished = try await FurnishedOffice()
        let office = furnished.office
        try await office.open { desk in
            try await furnished.begin(at: desk)
            for kind in ["needsHelp", "safe"] {
                let body = #"{"kind":"\#(kind)"}"#
                #expect(try await desk.send(.post, "/users/sue/declarations", as: "admin", body).status < 300)
            }
            let made = try await desk.graphQL(
                #"mutation { createUser(input: { username: "nova" }) { id } }"#, as: "admin")
            let gone = made["createUser", "id"].string ?? "none"
            let removal = try await desk.graphQL(
                #"mutation { deleteUser(input: { id: "\#(gone)" }) { id } }"#, as: "admin")
            #expect(removal.faults == [])
            let others = try await desk.graphQL(
                """
                mutation {
                  createTeam(input: { name: "brief" }) { id }
                  deleteTeam(input: { id: "Team:brief" })
                  createDevice(input: { owner: "Person:sue", name: "old" }) { id }
                  deleteDevice(input: { id: "Device:sue/old" })
                }
                """, as: "admin")
            #expect(others.faults == [])
            for (text, mark, letters) in Self.subscriptions {
                let mark = mark == "GONE" ? gone : mark
                for caller in Self.callers {
                    let heard = try await Self.heard(by: caller.name, "subscription { \(text) }", office)
                    #expect(
                        heard.contains(mark) == letters.contains(caller.letter),
                        "\(text) as \(caller.name): \(heard)")
                    if "lmg".contains(caller.letter) {
                        for foreign in ["sue", "lars", "south", gone] { #expect(!heard.contains(foreign)) }
                    }
                }
            }
        }
    }

    @Test func `each role subscribes to another team or device only where it may read that`() async throws {
        let furnished = try await FurnishedOffice()
        try await furnished.office.open { _ in
            for text in [
                #"safetyChanged(team: "Team:south") { sequence }"#,
                #"positionChanged(team: "Team:south") { sequence }"#,
                #"positionChanged(device: "Device:sue/phone") { sequence }"#,
                #"incidentChanged(team: "Team:south") { sequence }"#,
                #"personChanged(team: "Team:south") { sequence }"#,
                #"teamChanged(team: "Team:south") { sequence }"#,
                #"deviceChanged(owner: "Person:sue") { sequence }"#,
            ] {
                for caller in Self.callers {
                    let isOpen: Bool
                    do {
                        _ = try await Self.heard(by: caller.name, "subscription { \(text) }", furnished.office)
                        isOpen = true
                    } catch let fault as GraphQLFieldFault {
                        #expect(fault.code == "NotFound")
                        isOpen = false
                    }
                    #expect(isOpen == "anLS".contains(caller.letter), "\(text) as \(caller.name)")
                }
            }
        }
    }

    // MARK: Reports

    @Test func `each role reports for another team's device only where it may`() async throws {
        for caller in Self.callers {
            let office = try await Office()
            try await office.open { desk in
                let time = office.clock.now.rfc3339
                let place = #"device: "Device:sue/phone", latitudeDegrees: 45.5, longitudeDegrees: 14"#
                let position = #"{ \#(place), sampleTime: "\#(time)" }"#
                let before = office.coordinator.lastSequence
                let reply = try await desk.graphQL(
                    "mutation { reportPositions(input: [\(position)]) { storedCount refused { index reason } } }",
                    as: caller.name)
                let isStored = reply["reportPositions", "storedCount"].integer == 1
                #expect(isStored == "aSg".contains(caller.letter), "\(caller.name): \(reply.reply.text)")
                #expect((office.coordinator.lastSequence > before) == isStored, "\(caller.name)")
                #expect((reply["reportPositions", "refused"].elements ?? []).count == (isStored ? 0 : 1))
            }
        }
    }
}

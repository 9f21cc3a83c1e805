import HTTPTypes
import MusterCore
import MusterWire
import Testing

@testable import MusterServer

/// Proximity rules over HTTP.
@Suite struct ProximityRoutesTests {
    private static let rules = "/teams/north/proximity-rules"
    private static let near = rules + "/near"
    private static let order = #"{"centrePerson":"max","radiusMetres":80,"demand":"fence","note":"the crane"}"#

    @Test func `a leader draws a fence around a person, and hears who comes near them`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let made = try await desk.send(.put, Self.near, as: "lena", Self.order)
            #expect(made.status == 200, "\(made.text)")
            #expect(made.json["centrePerson"]?.string == "max")
            #expect(made.json["people"]?.elements?.compactMap { $0["user"]?.string } == ["lena", "mia"])
            #expect(made.json["unknown"]?.integer == 2)
            for second in stride(from: 70.0, through: 10, by: -10) {
                let reports = [
                    "mia": desk.office.report("mia/phone", latitude: 45.0502, secondsAgo: second),
                    "max": desk.office.report("max/phone", latitude: 45.05, secondsAgo: second),
                ]
                for (user, report) in reports {
                    #expect(try await desk.send(.post, "/positions", as: user, report).status == 200)
                }
            }
            let seen = try await desk.send(.get, Self.rules, as: "ann").json["items"]?.elements?.first
            let mia = try #require(seen?["people"]?.elements?.first)
            #expect(mia["user"]?.string == "mia")
            #expect(mia["standing"]?.string == "within")
            #expect(mia["told"]?.boolean == true)
            #expect(try #require(mia["metres"]?.number) < 40)
            let changes = try await desk.send(.get, "/changes?limit=1000", as: "lena").json["items"]?.elements ?? []
            let reports = changes.filter { $0["type"]?.string == "proximity" }
            #expect(reports.compactMap { $0["happened"]?.string } == ["made", "near"])
            #expect(reports.last?["who"]?.string == "mia")
            #expect(reports.last?["note"]?.string == "the crane")
            #expect(try await desk.send(.delete, Self.near, as: "lena").status == 204)
            #expect(try await desk.send(.get, Self.near, as: "lena").status == 404)
            #expect(try await desk.send(.delete, Self.near, as: "lena").status == 404)
        }
    }

    @Test func `only the team's leaders set a rule, and members and other teams never see it`() async throws {
        let office = try await Office()
        try await office.open { desk in
            for (name, status) in [("mia", 403), ("ann", 403), ("gus", 403), ("lars", 404), ("sue", 403)] {
                #expect(try await desk.send(.put, Self.near, as: name, Self.order).status == status, "\(name)")
            }
            #expect(try await desk.send(.put, Self.near, as: "admin", Self.order).status == 200)
            for (name, status) in [("lena", 200), ("ann", 200), ("mia", 403), ("max", 403), ("lars", 404)] {
                #expect(try await desk.send(.get, Self.near, as: name).status == status, "\(name)")
                let changes = try await desk.send(.get, "/changes?limit=1000", as: name).text
                #expect(changes.contains(#""type":"proximity""#) == (status == 200), "\(name)")
            }
        }
    }

    @Test(arguments: [
        (#"{"radiusMetres":80,"demand":"fence"}"#, "centrePerson"),
        (#"{"centrePerson":"max","demand":"fence"}"#, "radiusMetres"),
        (#"{"centrePerson":"max","radiusMetres":0.5,"demand":"fence"}"#, "radiusMetres"),
        (#"{"centrePerson":"max","radiusMetres":80}"#, "demand"),
        (#"{"centrePerson":"max","radiusMetres":80,"demand":"buddy"}"#, "demand"),
        (#"{"centrePerson":"max","radiusMetres":80,"demand":"fence","afterSeconds":5}"#, "afterSeconds"),
        (#"{"centrePerson":"max","radiusMetres":80,"demand":"together","afterSeconds":-1}"#, "afterSeconds"),
        (#"{"centrePerson":"lars","radiusMetres":80,"demand":"fence"}"#, "centrePerson"),
        (#"{"centreDevice":"lars/phone","radiusMetres":80,"demand":"fence"}"#, "centreDevice"),
        (#"{"centreDevice":"phone","radiusMetres":80,"demand":"fence"}"#, "centreDevice"),
        (#"{"centrePerson":"max","centreDevice":"max/phone","radiusMetres":80,"demand":"fence"}"#, "centreDevice"),
        (#"{"centrePerson":"max","person":"max","radiusMetres":80,"demand":"fence"}"#, "person"),
        (#"{"centrePerson":"max","person":"mia","role":"member","radiusMetres":80,"demand":"fence"}"#, "role"),
    ])
    func `an invalid rule is refused, and the answer names the field`(body: String, field: String) async throws {
        let office = try await Office()
        try await office.open { desk in
            let answer = try await desk.send(.put, Self.near, as: "lena", body)
            #expect(answer.status == 422, "\(body): \(answer.text)")
            #expect(answer.text.contains("\"/\(field)\""), "\(body): \(answer.text)")
            #expect(try await desk.send(.get, Self.near, as: "lena").status == 404)
        }
    }
}

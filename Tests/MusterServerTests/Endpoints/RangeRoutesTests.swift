import HTTPTypes
import MusterCore
import MusterWire
import Testing

@testable import MusterServer

/// Measured distances over HTTP, and who agreed to them.
@Suite struct RangeRoutesTests {
    /// The example of `docs/proximity.md`, computed by another program: devices derive this tag from this secret, too.
    private static let secret = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    private static let tag = "1e1823c5e4d535395f65f2e3e3c0894b"
    private static let maxTag = "/users/max/devices/phone/range-tag"
    private static let miaTag = "/users/mia/devices/phone/range-tag"
    private static let maxAgrees = #"{"secret":"\#(secret)"}"#

    private static func range(
        _ metres: Double, at time: Instant, to tag: String = tag, deviation: Double = 0.3, source: String = "uwb"
    ) -> String {
        #"{"device":"phone","peer":"\#(tag)","sampleTime":"\#(time.rfc3339)","metres":\#(metres),"#
            + #""deviationMetres":\#(deviation),"source":"\#(source)"}"#
    }

    @Test func `a range to an unregistered tag is counted and not stored`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let now = office.clock.now
            let before = try await desk.send(.post, "/ranges", as: "mia", Self.range(2.9, at: now))
            #expect(before.status == 200 && before.json["unregistered"]?.integer == 1, "\(before.text)")
            #expect(before.json["accepted"]?.integer == 0)
            #expect(try await desk.send(.put, Self.maxTag, as: "max", Self.maxAgrees).status == 204)
            #expect(
                try await desk.send(.get, "/users/max/devices/phone", as: "max").json["agreesToRanges"]?.boolean
                    == true)
            let both = try await desk.send(
                .post, "/ranges", as: "mia",
                "[\(Self.range(2.9, at: now)),\(Self.range(1, at: now, to: String(repeating: "0", count: 32)))]")
            #expect(both.json["accepted"]?.integer == 1 && both.json["unregistered"]?.integer == 1, "\(both.text)")
            let again = try await desk.send(.post, "/ranges", as: "mia", Self.range(2.9, at: now))
            #expect(again.json["repeated"]?.integer == 1)
            let list = try await desk.send(.get, "/users/mia/devices/phone/ranges", as: "mia").json["items"]?.elements
            #expect(list?.count == 1)
            #expect(list?.first?["peer"]?.string == "max/phone")
            #expect(list?.first?["source"]?.string == "uwb")
            // The tag itself is told to nobody.
            let told = try await desk.send(.get, "/changes?limit=1000", as: "admin").text
            #expect(told.contains(#""type":"range""#) && !told.contains(Self.tag))
            #expect(try await desk.send(.delete, Self.maxTag, as: "max").status == 204)
            office.clock.advance(bySeconds: 5)
            let after = try await desk.send(.post, "/ranges", as: "mia", Self.range(2.9, at: office.clock.now))
            #expect(after.json["unregistered"]?.integer == 1)
        }
    }

    @Test func `only the owner agrees to ranging, and nobody reports ranges for another`() async throws {
        let office = try await Office()
        try await office.open { desk in
            for (name, status) in [("admin", 403), ("lena", 403), ("ann", 403), ("mia", 404), ("lars", 404)] {
                #expect(try await desk.send(.put, Self.maxTag, as: name, Self.maxAgrees).status == status, "\(name)")
                #expect(try await desk.send(.delete, Self.maxTag, as: name).status == status, "\(name)")
            }
            #expect(try await desk.send(.put, Self.maxTag, as: "max", Self.maxAgrees).status == 204)
            let taken = try await desk.send(.put, Self.miaTag, as: "mia", Self.maxAgrees)
            #expect(taken.status == 409 && !taken.text.contains(Self.secret), "\(taken.text)")
            let report = Self.range(2, at: office.clock.now).replacing(#""phone""#, with: #""mia/phone""#)
            for name in ["admin", "lena", "max", "gus", "sue"] {
                let reply = try await desk.send(.post, "/ranges", as: name, report)
                #expect(reply.status == 422 && reply.pointers == ["/device"], "\(name): \(reply.text)")
            }
            let token = try await office.identity.makeDeviceToken(for: try office.phone(of: "mia").number)
            let own = Self.range(2, at: office.clock.now).replacing(#""device":"phone","#, with: "")
            let reply = try await desk.send(.post, "/ranges", own, authorization: "Bearer \(token)")
            #expect(reply.json["accepted"]?.integer == 1, "\(reply.text)")
        }
    }

    @Test func `the two see a range, and who may see both of them`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let suesSecret = String(repeating: "5", count: 64)
            let sues = RangeTag(of: try #require(RangeSecret(suesSecret))).description
            #expect(try await desk.send(.put, Self.maxTag, as: "max", Self.maxAgrees).status == 204)
            #expect(
                try await desk.send(
                    .put, "/users/sue/devices/phone/range-tag", as: "sue", #"{"secret":"\#(suesSecret)"}"#
                ).status == 204)
            let now = office.clock.now
            let reply = try await desk.send(
                .post, "/ranges", as: "mia", "[\(Self.range(2, at: now)),\(Self.range(3, at: now, to: sues))]")
            #expect(reply.json["accepted"]?.integer == 2)
            // Mia measured Max of her team, and Sue of another.
            let seen: [String: Set<String>] = [
                "admin": ["max/phone", "sue/phone"], "ann": ["max/phone", "sue/phone"],
                "mia": ["max/phone", "sue/phone"], "lena": ["max/phone"], "max": ["max/phone"],
                "sue": ["sue/phone"], "lars": [],
            ]
            for (name, peers) in seen {
                let changes = try await desk.send(.get, "/changes?limit=1000", as: name).json["items"]?.elements ?? []
                let told = changes.filter { $0["type"]?.string == "range" }.compactMap { $0["range"]?["peer"]?.string }
                #expect(Set(told) == peers, "\(name)")
                guard ["admin", "ann", "mia", "lena"].contains(name) else { continue }
                let list = try await desk.send(.get, "/users/mia/devices/phone/ranges", as: name)
                let listed = (list.json["items"]?.elements ?? []).compactMap { $0["peer"]?.string }
                #expect(Set(listed) == peers, "\(name)")
            }
        }
    }

    @Test func `a proximity rule and the contacts of an incident name the range that decided`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let order = #"{"centrePerson":"max","radiusMetres":3,"demand":"fence"}"#
            #expect(try await desk.send(.put, "/teams/north/proximity-rules/near", as: "lena", order).status == 200)
            #expect(try await desk.send(.put, Self.maxTag, as: "max", Self.maxAgrees).status == 204)
            let drill = try await desk.send(.post, "/teams/north/incidents", as: "lena", #"{"kind":"drill"}"#)
            let number = try #require(drill.json["number"]?.integer)
            let reply = try await desk.send(.post, "/ranges", as: "mia", Self.range(1.5, at: office.clock.now))
            #expect(reply.json["accepted"]?.integer == 1)
            let rule = try await desk.send(.get, "/teams/north/proximity-rules/near", as: "lena")
            let mia = rule.json["people"]?.elements?.first { $0["user"]?.string == "mia" }
            #expect(mia?["standing"]?.string == "within" && mia?["source"]?.string == "uwb", "\(rule.text)")
            let changes = try await desk.send(.get, "/changes?limit=1000", as: "lena").json["items"]?.elements ?? []
            let near = changes.last { $0["type"]?.string == "proximity" }
            #expect(near?["happened"]?.string == "near" && near?["source"]?.string == "uwb")
            office.clock.advance(bySeconds: 60)
            let contacts = try await desk.send(
                .get, "/incidents/\(number)/contacts?person=max&withinMetres=3", as: "lena")
            let contact = contacts.json["items"]?.elements?.first
            #expect(contact?["user"]?.string == "mia" && contact?["source"]?.string == "uwb", "\(contacts.text)")
            #expect(contact?["closestMetres"]?.number == 1.5)
        }
    }

    @Test(arguments: [
        (range(-1, at: .zero), "metres"), (range(10_001, at: .zero), "metres"),
        (range(1, at: .zero, deviation: 0), "deviationMetres"), (range(1, at: .zero, deviation: -1), "deviationMetres"),
        (range(1, at: .zero, deviation: 1e9), "deviationMetres"), (range(1, at: .zero, source: "guess"), "source"),
        (range(1, at: .zero, to: "0123"), "peer"), (range(1, at: .zero, to: "max/phone"), "peer"),
        (#"{"device":"phone"}"#, "metres"), (#"{"device":"phone","angle":1}"#, "angle"),
    ])
    func `an invalid range is refused, and the answer names the field`(body: String, field: String) async throws {
        let office = try await Office()
        try await office.open { desk in
            let before = office.coordinator.lastSequence
            for (body, pointer) in [(body, "/\(field)"), ("[\(body)]", "/0/\(field)")] {
                let answer = try await desk.send(.post, "/ranges", as: "mia", body)
                #expect(answer.status == 422, "\(body): \(answer.text)")
                #expect(answer.pointers.contains(pointer), "\(body): \(answer.text)")
            }
            #expect(office.coordinator.lastSequence == before)
        }
    }

    @Test func `a range too old or in the future is refused, and NaN is invalid JSON`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let now = office.clock.now
            for time in [now.advanced(bySeconds: 3_600), now.advanced(bySeconds: -40 * 86_400)] {
                let answer = try await desk.send(.post, "/ranges", as: "mia", Self.range(1, at: time))
                #expect(answer.status == 422 && answer.pointers == ["/sampleTime"], "\(answer.text)")
            }
            let none = Self.range(1, at: now).replacing(#""metres":1.0"#, with: #""metres":NaN"#)
            #expect(try await desk.send(.post, "/ranges", as: "mia", none).status == 400)
        }
    }

    @Test(arguments: ["", "00", tag, String(repeating: "g", count: 64), secret + "0", secret + "00"])
    func `an invalid secret is refused, and not repeated in the answer`(secret: String) async throws {
        let office = try await Office()
        try await office.open { desk in
            let answer = try await desk.send(.put, Self.maxTag, as: "max", #"{"secret":"\#(secret)"}"#)
            #expect(answer.status == 422 && answer.pointers == ["/secret"], "\(answer.text)")
            #expect(secret.count < 3 || !answer.text.contains(secret), "\(answer.text)")
        }
    }

    @Test func `a tag alone cannot be registered, neither before its owner does nor after a withdrawal`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let now = office.clock.now
            // Mia ranged with Max, so she knows his tag. All that she can send is refused.
            let attempts: [(body: String, pointers: [String])] = [
                (#"{"tag":"\#(Self.tag)"}"#, ["/secret", "/tag"]),
                (#"{"secret":"\#(Self.tag)"}"#, ["/secret"]),
                (#"{"tag":"\#(Self.tag)","secret":"\#(String(repeating: "a", count: 64))"}"#, ["/tag"]),
                (#"{"secret":null}"#, ["/secret"]), ("{}", ["/secret"]),
            ]
            for step in ["before", "after"] {
                for attempt in attempts {
                    let reply = try await desk.send(.put, Self.miaTag, as: "mia", attempt.body)
                    #expect(reply.status == 422 && reply.pointers.sorted() == attempt.pointers, "\(reply.text)")
                }
                // Her own secret of the same digits is another tag's.
                let padded = #"{"secret":"\#(Self.tag + Self.tag)"}"#
                #expect(try await desk.send(.put, Self.miaTag, as: "mia", padded).status == 204)
                let reply = try await desk.send(.post, "/ranges", as: "mia", Self.range(2, at: now))
                #expect(reply.json["unregistered"]?.integer == 1, "\(step): \(reply.text)")
                #expect(try await desk.send(.put, Self.maxTag, as: "max", Self.maxAgrees).status == 204, "\(step)")
                if step == "before" { #expect(try await desk.send(.delete, Self.maxTag, as: "max").status == 204) }
            }
            // The owner has registered again: what is measured now is to Max.
            let reply = try await desk.send(.post, "/ranges", as: "mia", Self.range(2, at: now))
            #expect(reply.json["accepted"]?.integer == 1, "\(reply.text)")
            let list = try await desk.send(.get, "/users/mia/devices/phone/ranges", as: "mia").json["items"]?.elements
            #expect(list?.map { $0["peer"]?.string } == ["max/phone"])
        }
    }

    @Test func `the refusal of a tag asks for the secret`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let reply = try await desk.send(.put, Self.maxTag, as: "max", #"{"tag":"\#(Self.tag)"}"#)
            #expect(reply.text.contains("send the secret that the tag is made of"), "\(reply.text)")
        }
    }

    @Test func `a registered secret is never shown, and only its tag is stored`() async throws {
        let office = try await Office()
        try await office.open { desk in
            #expect(try await desk.send(.put, Self.maxTag, as: "max", Self.maxAgrees).status == 204)
            for name in ["admin", "max"] {
                for path in ["/changes?limit=1000", "/users/max/devices/phone", "/users/max/devices"] {
                    let told = try await desk.send(.get, path, as: name).text
                    #expect(!told.contains(Self.secret) && !told.contains(Self.tag), "\(name) \(path)")
                }
            }
            #expect(try office.phone(of: "max").rangeTag == RangeTag(Self.tag))
        }
    }
}

extension Instant {
    fileprivate static let zero = Instant(milliseconds: 0)
}

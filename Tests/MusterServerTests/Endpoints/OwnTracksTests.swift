import Foundation
import HTTPTypes
import HummingbirdTesting
import MusterCoding
import MusterCore
import MusterGeometry
import MusterStore
import MusterWire
import NIOCore
import Testing

@testable import MusterOwnTracks
@testable import MusterServer

@Suite struct OwnTracksTests {
    /// When the captured payloads were sent.
    static let captured = Instant(seconds: 1_795_240_810)

    static func office(retentionDays: Double = 30) async throws -> Office {
        let office = try await Office(retentionDays: retentionDays)
        office.clock.advance(bySeconds: captured.seconds(since: office.clock.now))
        return office
    }

    static func basic(_ name: String, _ password: String? = nil) -> String {
        let text = "\(name):\(password ?? Office.password(of: name))"
        return "Basic \(MusterCoding.Base64.encode(Array(text.utf8)))"
    }

    static func post(
        _ json: String, _ desk: Desk, as authorization: String? = basic("mia"), device: String? = "phone",
        path: String = "//owntracks"
    ) async throws -> Desk.Reply {
        var headers: HTTPFields = [:]
        headers[.limitDevice] = device
        return try await desk.send(.post, path, json, authorization: authorization, headers: headers)
    }

    static func location(_ latitude: Double = 47.5, at time: Instant = captured, extra: String = "") -> String {
        #"{"_type":"location","lat":\#(latitude),"lon":8.5,"tst":\#(time.milliseconds / 1000),"acc":5\#(extra)}"#
    }

    static func history(of name: String, _ device: String, in office: Office) throws -> [Position] {
        let number = try #require(office.coordinator.directory.device(named: device, of: office.user(name).number))
            .number
        return try office.store.positions(
            of: number, from: Instant(milliseconds: 0), to: Instant(seconds: 4e9), after: nil, limit: 1000)
    }

    /// The payloads that the wire's own tests hold, and how many positions of each are stored.
    static let payloads: [String: Int] = [
        "ios-location": 1, "android-location": 1, "android-old-strings": 1, "ios-location-unknowns": 1,
        "location-with-poi": 1, "location-outdated-duplicate": 1, "ios-transition-enter": 1,
        "android-transition-leave": 1, "array-with-faults": 1, "beacon-transition": 0, "beacon": 0, "card": 0,
        "cmd-dump": 0,
        "dump-configuration": 0, "empty-array": 0, "lwt": 0, "request-tour": 0, "status": 0, "steps-unknown": 0,
        "steps": 0, "waypoint": 0, "waypoints": 0,
    ]

    @Test func `every captured message is acknowledged over a socket, and each position is stored`() async throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("MusterWireTests/Golden/OwnTracks")
        let office = try await Self.office(retentionDays: 10_000)
        try await office.open(.live) { desk async throws in
            for (name, count) in Self.payloads {
                let file = folder.appendingPathComponent("\(name).json")
                guard FileManager.default.fileExists(atPath: file.path) else { continue }
                let payload = try String(contentsOf: file, encoding: .utf8)
                let reply = try await Self.post(payload, desk, device: name)
                #expect(reply.status == 200, "\(name): \(reply.text)")
                #expect(reply.json.elements != nil, "\(name)")
                #expect(try Self.history(of: "mia", name, in: office).count == count, "\(name)")
            }
            let nothing = try await Self.post("", desk)
            #expect(nothing.status == 200 && nothing.json.elements != nil)
        }
    }

    @Test func `an OwnTracks location is stored in our units, and a repetition changes nothing`() async throws {
        let office = try await Self.office()
        try await office.open { desk async throws in
            let payload = Self.location(extra: #","vel":36,"cog":271,"batt":83,"alt":417,"t":"t""#)
            for _ in 0..<2 { #expect(try await Self.post(payload, desk).status == 200) }
            // Phones send a queued fix again with `created_at` added.
            let again = Self.location(extra: #","vel":36,"created_at":1795240999"#)
            #expect(try await Self.post(again, desk, path: "//pub").status == 200)
            let stored = try Self.history(of: "mia", "phone", in: office)
            #expect(stored.count == 1)
            #expect(stored[0].speed == 10)
            #expect(stored[0].source == .ownTracks)
            #expect(stored[0].battery == 83)
            #expect(stored[0].sampleTime == Self.captured)
        }
    }

    /// Why, what is posted, who posts it, and the answer. An iPhone forgets the fix on 2xx and on 4xx.
    static let answers: [(why: String, body: String, authorization: String?, status: Int)] = [
        ("no credential at all", location(), nil, 401),
        ("a wrong password", location(), basic("mia", "no idea at all"), 503),
        ("an unknown user", location(), basic("nobody", "no idea at all"), 503),
        ("a revoked token", location(), basic("mia", "md_revoked"), 503),
        ("a gateway that names nobody", location(), basic("gus"), 503),
        ("sealed, and no key is known", #"{"_type":"encrypted","data":"\#(sealed)"}"#, basic("mia"), 503),
        ("a coordinate off the globe", location(91), basic("mia"), 200),
        ("an unknown type", #"{"_type":"novelty"}"#, basic("mia"), 200),
        ("older than what is kept", location(at: captured.advanced(bySeconds: -31 * 86_400)), basic("mia"), 200),
        ("no JSON, which is kept for an admin", "lat=1&lon=2", basic("mia"), 200),
    ]

    @Test(arguments: answers.indices)
    func `no answer makes an iPhone drop a fix that is still wanted`(_ index: Int) async throws {
        let (why, body, authorization, status) = Self.answers[index]
        let office = try await Self.office()
        try await office.open { desk async throws in
            let reply = try await Self.post(body, desk, as: authorization)
            #expect(reply.status == status, "\(why): \(reply.text)")
            #expect((reply.headers[.retryAfter] != nil) == (status == 503), "\(why)")
            #expect(try Self.history(of: "mia", "phone", in: office).isEmpty, "\(why)")
        }
    }

    @Test func `a fix by a clock that is ahead is stored, moves nothing, and reports the clock`() async throws {
        let office = try await Self.office()
        try await office.open { desk async throws in
            let ahead = Self.captured.advanced(bySeconds: 3600)
            #expect(try await Self.post(Self.location(at: ahead), desk, as: Self.basic("mia")).status == 200)
            #expect(try Self.history(of: "mia", "phone", in: office).map(\.sampleTime) == [ahead])
            let answer = try await desk.send(.get, "/positions", as: "mia")
            #expect(answer.text.contains(#""items":[],"clocks":[{"device":"mia/phone","aheadSeconds":3600,"#))
        }
    }

    @Test func `too many tries are 503 too`() async throws {
        let office = try await Office(attempts: AttemptLimiter(name: .init(tries: 1, perSecond: 0.01)))
        try await office.open { desk async throws in
            for _ in 0..<3 {
                #expect(try await Self.post("{}", desk, as: Self.basic("mia", "a bad guess")).status == 503)
            }
        }
    }

    @Test func `a device that its user names for the first time is made`() async throws {
        let office = try await Self.office()
        try await office.open { desk async throws in
            #expect(try await Self.post(Self.location(), desk, device: "Mia's iPhone").status == 200)
            #expect(try Self.history(of: "mia", "Mia-s-iPhone", in: office).count == 1)
            let byTopic = Self.location(47.6, extra: #","topic":"owntracks/mia/watch""#)
            #expect(try await Self.post(byTopic, desk, device: nil).status == 200)
            #expect(try Self.history(of: "mia", "watch", in: office).count == 1)
        }
    }

    @Test func `a device's token is for that device, whatever the app calls it`() async throws {
        let office = try await Self.office()
        let token = try await office.identity.makeDeviceToken(for: office.phone(of: "mia").number)
        try await office.open { desk async throws in
            #expect(try await Self.post(Self.location(), desk, as: Self.basic("mia", token), device: "x").status == 200)
            #expect(try Self.history(of: "mia", "phone", in: office).count == 1)
            // Another's name with this token proves nothing.
            #expect(try await Self.post(Self.location(47.9), desk, as: Self.basic("sue", token)).status == 503)
        }
    }

    @Test func `a gateway passes on for the user and device that it names`() async throws {
        let office = try await Self.office()
        try await office.open { desk async throws in
            let headers: HTTPFields = [.limitUser: "sue", .limitDevice: "phone"]
            let reply = try await desk.send(
                .post, "//owntracks", Self.location(), authorization: Self.basic("gus"), headers: headers)
            #expect(reply.text == "[]")
            #expect(try Self.history(of: "sue", "phone", in: office).count == 1)
        }
    }

    @Test func `a leader receives the team's positions, a member those of their own devices`() async throws {
        let office = try await Self.office()
        try await office.open { desk async throws in
            func topics(_ reply: Desk.Reply) -> [String] {
                reply.json.elements?.compactMap { $0["topic"]?.string }.sorted() ?? []
            }
            _ = try await Self.post(Self.location(), desk, as: Self.basic("sue"))
            let mia = try await Self.post(Self.location(), desk, as: Self.basic("mia"))
            #expect(topics(mia).isEmpty)
            let watch = try await Self.post(Self.location(), desk, as: Self.basic("mia"), device: "watch")
            #expect(topics(watch) == ["owntracks/mia/phone", "owntracks/mia/watch"])
            let lena = try await Self.post(Self.location(), desk, as: Self.basic("lena"))
            #expect(topics(lena) == ["owntracks/lena/phone", "owntracks/mia/phone", "owntracks/mia/watch"])
            #expect(lena.json.elements?.first?["tid"]?.string?.count == 2)
        }
    }

    /// `{"_type":"location","lat":45.5,"lon":14.25,"tst":1699999990,"acc":7,"tid":"mi"}` under the secret `s3cret`,
    /// sealed by libsodium through Python.
    static let sealed = """
        AAECAwQFBgcICQoLDA0ODxAREhMUFRYXh7tgVLWx3mBfz5pycz/59dG9hfIud1XLuB5xeZcvIIIf9mtYWLVwHniw4aqS84qQsX0Pvkc+wF6W\
        w7VlXlKFmrItBfVuITuzFs5jC7qNSihs0rOtCctoq0/G94AFK6I=
        """

    @Test func `a sealed report is opened with the device's key, and answered under seal`() async throws {
        let office = try await Office()
        try await office.open { desk async throws in
            let path = "/users/mia/devices/phone/encryption-key"
            #expect(try await desk.send(.put, path, as: "mia", #"{"key":"s3cret"}"#).status == 204)
            let message = #"{"_type":"encrypted","data":"\#(Self.sealed)"}"#
            let reply = try await Self.post(message, desk)
            #expect(reply.status == 200)
            #expect(try Self.history(of: "mia", "phone", in: office).map(\.coordinate.latitude) == [45.5])
            #expect(reply.json["_type"]?.string == "encrypted")
            let data = try #require(MusterCoding.Base64.decode(reply.json["data"]?.string ?? ""))
            let box = try #require(SecretBox(secret: Array("s3cret".utf8)))
            let opened = box.open(OwnTracksEnvelope(nonce: Array(data.prefix(24)), box: Array(data.dropFirst(24))))
            #expect(opened.map { String(decoding: $0, as: UTF8.self) } == "[]")
            // Sealed with an earlier key: it would come for ever, so it is acknowledged.
            #expect(try await desk.send(.put, path, as: "mia", #"{"key":"another"}"#).status == 204)
            #expect(try await Self.post(message, desk).status == 200)
            #expect(try await desk.send(.delete, path, as: "mia").status == 204)
            #expect(try await Self.post(message, desk).status == 503)
            for bad in [#"{"key":""}"#, #"{"key":"\#(String(repeating: "k", count: 33))"}"#, "{}"] {
                #expect(try await desk.send(.put, path, as: "mia", bad).pointers == ["/key"])
            }
        }
    }

    @Test func `a secret box opens what it sealed, and nothing that was changed`() throws {
        let box = try #require(SecretBox(secret: [1, 2, 3]))
        let sealed = box.seal(Array("hello".utf8))
        #expect(box.open(sealed) == Array("hello".utf8))
        for index in sealed.box.indices {
            var changed = sealed
            changed.box[index] ^= 1
            #expect(box.open(changed) == nil)
        }
        #expect(SecretBox(secret: [1, 2])?.open(sealed) == nil)
        #expect(SecretBox(secret: []) == nil)
        #expect(SecretBox(secret: Array(repeating: 0, count: 33)) == nil)
    }
}

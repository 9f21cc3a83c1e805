import MusterCoding
import MusterCore
import MusterGeometry
import Testing

@testable import MusterWire

struct OwnTracksTests {
    private let now = Instant(milliseconds: 1_795_240_900_000)

    @Test func `an empty body is an empty request`() throws {
        #expect(
            try OwnTracksRequest(parsing: [], receivedAt: now) == OwnTracksRequest(parsing: "[]".bytes, receivedAt: now)
        )
    }

    @Test func `a body that is not JSON is an error`() {
        for body in ["garbage", "{\"_type\":\"location\"", "7", "\"x\"", "{} {}"] {
            #expect(throws: JSONError.self) { try OwnTracksRequest(parsing: body.bytes, receivedAt: now) }
        }
        let many = "[" + Array(repeating: "{}", count: 1001).joined(separator: ",") + "]"
        #expect(throws: JSONError(pointer: "", offset: 0, reason: .tooMany(limit: 1000))) {
            try OwnTracksRequest(parsing: many.bytes, receivedAt: now)
        }
    }

    @Test func `a picture too large to keep does not cost the fix`() throws {
        let image = String(repeating: "A", count: 60_000)
        let body = #"{"_type":"location","lat":1,"lon":2,"tst":3,"poi":"x","image":"\#(image)","tag":"y"}"#
        let request = try OwnTracksRequest(parsing: body.bytes, receivedAt: now)
        guard case .location(let location) = request.messages.first else {
            Issue.record("no location")
            return
        }
        #expect(location.position.attributes == #"{"poi":"x","tag":"y"}"#)
    }

    @Test func `attributes never exceed their limit and stay JSON`() throws {
        var random = Seeded(seed: 7)
        for _ in 0..<200 {
            let members = (0..<Int.random(in: 0..<60, using: &random)).map { index in
                "\"k\(index)\":\"\(String(repeating: "é\\n", count: Int.random(in: 0..<200, using: &random)))\""
            }
            let body = #"{"_type":"location","lat":1,"lon":2,"tst":3\#(members.map { "," + $0 }.joined())}"#
            let request = try OwnTracksRequest(parsing: body.bytes, receivedAt: now)
            guard case .location(let location) = request.messages.first else {
                Issue.record("no location")
                return
            }
            guard let attributes = location.position.attributes else { continue }
            #expect(attributes.utf8.count <= 4096)
            #expect(throws: Never.self) { try JSONValue(parsing: attributes.bytes) }
        }
    }

    @Test func `friends are answered in whole numbers`() throws {
        var reply = OwnTracksReply()
        #expect(reply.bytes.text == "[]")
        let position = Position(
            coordinate: Coordinate(validLatitude: 47.376912, longitude: 8.541734),
            sampleTime: Instant(milliseconds: 1_795_240_800_999), receivedTime: now, accuracy: 4.2, altitude: 417.5,
            speed: 20, heading: 271.4, battery: 82.6)
        reply.append(position, trackerID: "UW", topic: "owntracks/ueli/iphone")
        reply.append(cardNamed: "Ueli", face: "iVBO", trackerID: "UW", topic: "owntracks/ueli/iphone")
        #expect(
            reply.bytes.text
                == #"[{"_type":"location","tid":"UW","topic":"owntracks/ueli/iphone","lat":47.376912,"lon":8.541734,"#
                + #""tst":1795240800,"acc":5,"alt":418,"vel":72,"cog":271,"batt":83},"#
                + #"{"_type":"card","tid":"UW","topic":"owntracks/ueli/iphone","name":"Ueli","face":"iVBO"}]"#)
        // A phone reads it as it reads its own messages.
        let read = try OwnTracksRequest(parsing: reply.bytes, receivedAt: now)
        #expect(read.faults.isEmpty && read.messages.count == 2)
    }

    @Test func `topics name a user and a device`() {
        #expect(
            OwnTracksTopic("owntracks/ueli/iphone").map { [$0.user, $0.device, $0.suffix] } == ["ueli", "iphone", nil])
        #expect(OwnTracksTopic("/owntracks/ueli/iphone/event")?.suffix == "event")
        for topic in [
            "", "owntracks", "owntracks/ueli", "owntracks//x", "other/a/b", "owntracks/a/b/c/d", "owntracks/a/",
        ] {
            #expect(OwnTracksTopic(topic) == nil, "\(topic)")
        }
    }

    @Test func `an envelope survives being written and read`() throws {
        let envelope = OwnTracksEnvelope(nonce: Array(0..<24), box: Array(100..<150))
        let request = try OwnTracksRequest(parsing: envelope.message, receivedAt: now)
        #expect(request.messages == [.encrypted(envelope)])
    }

    @Test func `base 64 is read and written as RFC 4648 has it`() {
        for (plain, text) in [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            #expect(Base64.encode(plain.bytes) == text)
            #expect(Base64.decode(text) == plain.bytes)
        }
        for text in ["Z", "Zg", "Zg=", "Zh==", "Zm9=", "====", "Z===", "Zg==Zg==", "Zm9v\n", "Zm-_", "é==="] {
            #expect(Base64.decode(text) == nil, "\(text)")
        }
        let all = (0...255).map { UInt8($0) }
        #expect(Base64.decode(Base64.encode(all)) == all)
    }
}

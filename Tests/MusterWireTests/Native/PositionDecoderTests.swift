import MusterCore
import MusterGeometry
import Testing

@testable import MusterWire

struct PositionDecoderTests {
    private let now = Instant(milliseconds: 1_795_240_900_000)
    private let least = #""latitude":1,"longitude":2,"sampleTime":"2026-11-21T06:00:00Z""#

    private func decode(_ text: String, as form: PositionDecoder.Form = .json) throws(JSONFaults) -> ReportedPositions {
        try PositionDecoder.decode(text.bytes, as: form, receivedAt: now)
    }

    private func faults(_ text: String, as form: PositionDecoder.Form = .json) -> [String] {
        do {
            _ = try decode(text, as: form)
            return []
        } catch {
            return error.faults.map { "\($0.pointer): \($0.reason)" }
        }
    }

    @Test func `a position is read with all that is known of it`() throws {
        let result = try decode(
            #"""
            {"device": "alice/phone", "latitude": 37.3899160, "longitude": -122.0838382,
             "sampleTime": "2026-11-21T06:00:00.000Z", "accuracy": 8.5, "altitude": -3, "speed": 1.5,
             "heading": 90, "battery": 87, "attributes": {"a":[1,
            {"b":"é"}]}, "unknown": [null, {}]}
            """#)
        #expect(result.deviceNames == ["alice/phone"])
        let expected = Position(
            coordinate: Coordinate(validLatitude: 37.389916, longitude: -122.0838382),
            sampleTime: Instant(milliseconds: 1_795_240_800_000), receivedTime: now, accuracy: 8.5, altitude: -3,
            speed: 1.5, heading: 90, battery: 87, source: .native, attributes: #"{"a":[1, {"b":"é"}]}"#)
        #expect(result.items == [.init(deviceIndex: 0, position: expected)])
    }

    @Test func `an absent, null or unknown member stays unknown`() throws {
        let result = try decode(
            "{\(least),\"accuracy\":0,\"heading\":360,\"speed\":null,\"device\":null,\"attributes\":null}")
        #expect(result.deviceNames == [])
        let position = try #require(result.items.first?.position)
        #expect(position.accuracy == nil)
        #expect(position.heading == 0)
        #expect(position.speed == nil && position.battery == nil && position.attributes == nil)
        #expect(result.items[0].deviceIndex == nil)
    }

    @Test func `an array, lines and one object decode to the same`() throws {
        let one = try decode("{\(least)}").items
        #expect(try decode("[{\(least)}, {\(least)}]").items == one + one)
        #expect(try decode("{\(least)}\n\r\n {\(least)}\r\n", as: .lines).items == one + one)
        #expect(try decode("[]").items == [])
        #expect(try decode("", as: .lines).items == [])
    }

    @Test func `devices are named once however often they occur`() throws {
        let names = (0..<500).map { "user\($0 % 97)/d\($0 % 3)" }
        let body = names.map { "{\"device\":\"\($0)\",\(least)}" }.joined(separator: ",")
        let result = try decode("[\(body)]")
        #expect(Set(result.deviceNames).count == result.deviceNames.count)
        #expect(result.items.map { result.deviceNames[$0.deviceIndex ?? -1] } == names)
        #expect(try decode(#"[{"device":"a/b",\#(least)},{"device":"a\/b",\#(least)}]"#).deviceNames == ["a/b"])
    }

    @Test func `keys may be escaped`() throws {
        #expect(try decode("{\(least.replacing("latitude", with: #"l\u0061titude"#))}").items.count == 1)
    }

    @Test func `every fault is reported with its place, and no item is taken`() {
        let text = #"""
            [{"latitude":91,"longitude":"2","sampleTime":"yesterday"},
             {"latitude":1,"longitude":2,"sampleTime":"2026-02-30T00:00:00Z","accuracy":-1,"heading":361},
             7, {}, {"latitude":1e999,"longitude":null,"sampleTime":5,"battery":101,"speed":true},
             {"device":1,"attributes":[],"latitude":1,"latitude":2,"longitude":2,"sampleTime":"2026-11-21T06:00:00Z"}]
            """#
        #expect(
            faults(text) == [
                "/0/latitude: must be -90 to 90", "/0/longitude: must be a number, is a string",
                "/0/sampleTime: must be a time like 2026-11-21T06:00:00.000Z (RFC 3339); differs at character 1",
                "/1/sampleTime: there is no such day", "/1/accuracy: must be 0 to 100000000",
                "/1/heading: must be 0 to 360", "/2: must be an object, is a number",
                "/3/latitude: is required", "/3/longitude: is required", "/3/sampleTime: is required",
                "/4/latitude: must be -90 to 90", "/4/longitude: must be a number, is null",
                "/4/sampleTime: must be a string, is a number", "/4/battery: must be 0 to 100",
                "/4/speed: must be a number, is true or false", "/5/device: must be a string, is a number",
                "/5/attributes: must be an object, is an array", "/5/latitude: the key appears twice in one object",
            ])
    }

    @Test func `broken syntax ends the reading, or its line`() {
        #expect(faults("[{\(least)},{\(least)") == ["/1/sampleTime: the text ends too early"])
        #expect(faults("") == [": the text ends too early"])
        #expect(
            faults("{\"latitude\":1,\n{\"latitude\":91}\n", as: .lines) == [
                "/0: the text ends too early", "/1/latitude: must be -90 to 90", "/1/longitude: is required",
                "/1/sampleTime: is required",
            ])
    }

    @Test func `offsets count from the beginning of the body in lines too`() throws {
        let first = "{\(least)}\n"
        let body = first + #"{"latitude":91,"longitude":0,"sampleTime":"2026-11-21T06:00:00Z"}"#
        let error = try #require(throws: JSONFaults.self) { try decode(body, as: .lines) }
        #expect(error.faults.map(\.offset) == [first.utf8.count + 12])
    }

    @Test func `requests are bounded`() throws {
        let many = Array(repeating: "{\(least)}", count: 1001)
        #expect(faults("[\(many.joined(separator: ","))]") == [": has more than 1000 items"])
        #expect(faults(many.joined(separator: "\n"), as: .lines) == [": has more than 1000 items"])
        #expect(
            faults("{\(least),\"attributes\":{\"a\":\"\(String(repeating: "x", count: 4096))\"}}") == [
                "/attributes: is longer than 4096 bytes"
            ])
        #expect(
            faults("{\(least),\"device\":\"\(String(repeating: "x", count: 130))\"}") == [
                "/device: is longer than 129 bytes"
            ])
        let wrong = "[" + Array(repeating: "{}", count: 50).joined(separator: ",") + "]"
        let error = try #require(throws: JSONFaults.self) { try decode(wrong) }
        #expect(error.faults.count == 100)
        #expect(error.hasMore)
    }
}

import MusterCore
import MusterGeometry
import Testing

@testable import MusterWire

/// What TAK's clients send, read as events.
@Suite struct CoTEventTests {
    private static let now = Instant(milliseconds: 1_796_000_000_000)

    private static func text(
        uid: String = "ANDROID-1", type: String = "a-f-G-U-C", how: String = "m-g",
        time: String = "2026-11-30T12:00:00.000Z", point: String = #"lat="43.5" lon="-6" hae="12.5" ce="5" le="2""#,
        detail: String = ""
    ) -> String {
        #"<?xml version="1.0"?><event version="2.0" uid="\#(uid)" type="\#(type)" how="\#(how)" time="\#(time)" "#
            + #"start="\#(time)" stale="2026-11-30T12:01:00Z"><point \#(point)/><detail>\#(detail)</detail></event>"#
    }

    @Test func `an event of ATAK is a position with all that it says`() throws {
        let detail =
            #"<takv device="Pixel" platform="ATAK-CIV"/><contact callsign="ANN &amp; &lt;B&gt;" endpoint="*:-1:stcp"/>"#
            + #"<__group name="Cyan" role="HQ"/><status battery="77"/><track speed="1.5" course="360"/>"#
        let event = try CoTEvent(xml: Self.text(detail: detail))
        #expect(event.isReport && event.detail.isOfSender && event.detail.callsign == "ANN & <B>")
        let position = try #require(event.position(receivedAt: Self.now))
        #expect(position.coordinate == (try Coordinate(latitude: 43.5, longitude: -6)))
        #expect(position.sampleTime == (try Instant(rfc3339: "2026-11-30T12:00:00Z")))
        #expect(position.accuracy?.value == 5 && position.altitude?.value == 12.5)
        #expect(position.speed == 1.5 && position.heading == 0 && position.battery == 77 && position.source == .tak)
        #expect(position.attributes == #"{"uid":"ANDROID-1","type":"a-f-G-U-C","how":"m-g","callsign":"ANN & <B>"}"#)
    }

    @Test func `an unknown place is none, and an unknown error is no accuracy`() throws {
        let unknown = #"lat="0.0" lon="0.0" hae="9999999.0" ce="9999999.0" le="9999999.0""#
        #expect(try CoTEvent(xml: Self.text(point: unknown)).position(receivedAt: Self.now) == nil)
        let rough = #"lat="1" lon="2" hae="9999999" ce="9999999" le="9999999""#
        let position = try #require(try CoTEvent(xml: Self.text(point: rough)).position(receivedAt: Self.now))
        #expect(position.accuracy == nil && position.altitude == nil)
    }

    @Test func `calls for help and their ends are told apart`() throws {
        let call = try CoTEvent(
            xml: Self.text(type: "b-a-o-tbl", detail: #"<emergency type="911 Alert">ANN</emergency>"#))
        #expect(call.isCall && !call.endsCall && call.detail.emergency == "911 Alert")
        let end = try CoTEvent(xml: Self.text(type: "b-a-o-can", detail: #"<emergency cancel="true">ANN</emergency>"#))
        #expect(!end.isCall && end.endsCall)
        let cancelled = try CoTEvent(xml: Self.text(type: "b-a-o-tbl", detail: #"<emergency cancel="true"/>"#))
        #expect(!cancelled.isCall && cancelled.endsCall)
        #expect(try !CoTEvent(xml: Self.text(type: "b-t-f")).isCall)
    }

    @Test func `a call for help counts without a time and without a place`() throws {
        let call = try CoTEvent(xml: Self.text(type: "b-a-o-tbl", time: "", point: #"lat="nan" lon="x""#))
        #expect(call.isCall && call.point == nil)
        #expect(try CoTEvent(xml: #"<event uid="A" type="b-a-o-tbl"></event>"#).isCall)
        #expect(throws: CoTError.self) { try CoTEvent(xml: #"<event uid="A" type="a-f-G"></event>"#) }
    }

    @Test(arguments: [
        #"<!DOCTYPE event [<!ENTITY a "b">]>"# + text(), text(uid: "&bomb;"), text(point: #"lat="91" lon="0""#),
        text(point: #"lat="nan" lon="0""#), text(time: "yesterday"), text(uid: ""), "<event/>", "<point/>", "",
        text(uid: String(repeating: "x", count: 300)), text(detail: String(repeating: "<a>", count: 40)),
        text(detail: String(repeating: "x", count: 70_000)),
    ])
    func `what is no event is refused`(text: String) {
        #expect(throws: CoTError.self) { try CoTEvent(xml: text) }
    }

    @Test(arguments: [
        text(uid: String(repeating: "x", count: 300), type: "b-a-o-tbl"), text(type: "b-a-o-tbl", time: "yesterday"),
        text(type: "b-a-o-tbl", detail: "<contact callsign='A & B'/>"),
        text(type: "b-a-o-tbl", detail: String(repeating: "<a>", count: 40)), text(type: "b-a-o-tbl", detail: "</b>"),
    ])
    func `a call for help counts although something beside it cannot be read`(text: String) throws {
        #expect(try CoTEvent(xml: text).isCall)
    }

    @Test func `a call for help counts although a client cut a character in a name`() throws {
        func bytes(_ type: String) -> [UInt8] {
            Array(Self.text(type: type, detail: "<contact callsign='Zo").utf8.dropLast(17)) + [0xC3]
                + Array("'/></detail></event>".utf8)
        }
        #expect(try bytes("b-a-o-tbl").withUnsafeBytes { try CoTEvent(xml: $0) }.isCall)
        #expect(throws: CoTError.self) { try bytes("a-f-G").withUnsafeBytes { try CoTEvent(xml: $0) } }
    }

    @Test func `a client asks for a version in an element of its own`() throws {
        let event = try CoTEvent(
            xml: Self.text(
                type: "t-x-takp-q", detail: "<TakControl>\n <TakRequest version=\"1\"/>\n</TakControl><contact/>"))
        #expect(event.detail.requestedVersion == 1)
    }

    @Test func `what is drawn is no report of its sender`() throws {
        #expect(try !CoTEvent(xml: Self.text(how: "h-g-i-g-o")).isReport)
        #expect(try !CoTEvent(xml: Self.text(type: "u-d-f")).isReport)
        #expect(try CoTEvent(xml: Self.text(how: "h-e", detail: "<__group/>")).isReport)
    }

    @Test func `a call for help in a message counts although its details cannot be read`() throws {
        func message(_ type: String) -> [UInt8] {
            let event =
                [0x0A, UInt8(type.utf8.count)] + Array(type.utf8) + [0x2A, 1, 0x41, 0x30, 1, 0x40, 1]
                + [0x7A, 4, 0x0A, 2] + Array("<a".utf8)
            return [0x12, UInt8(event.count)] + event
        }
        #expect(try TAKMessage.event(in: message("b-a-o-tbl"))?.isCall == true)
        #expect(throws: CoTError.self) { try TAKMessage.event(in: message("a-f-G-U-C")) }
    }

    // MARK: Frames

    @Test func `a stream is cut into events, however it arrives`() throws {
        let events = Self.text() + "\n\n" + Self.text(uid: "B")
        let stream = Array(events.utf8) + [0xBF, 2, 0x12, 0] + Array("<event".utf8)
        for size in [1, 7, 64, stream.count] {
            var frames = CoTFrames()
            var found: [CoTFrames.Frame] = []
            for start in stride(from: 0, to: stream.count, by: size) {
                frames.append(stream[start..<min(start + size, stream.count)])
                while let frame = try frames.next() { found.append(frame) }
            }
            #expect(found.count == 3 && found[2] == .message([0x12, 0]) && frames.waitingBytes == 6)
        }
    }

    @Test func `many small messages cost no more than their bytes`() throws {
        var frames = CoTFrames()
        let count = 512 << 10
        frames.append([UInt8](repeating: 0, count: count * 2).indices.map { $0.isMultiple(of: 2) ? 0xBF : 0 })
        var found = 0
        let spent = try computingTime {
            while try frames.next() != nil { found += 1 }
        }
        #expect(found == count && frames.waitingBytes == 0)
        // Moving the rest of the bytes for each message takes minutes.
        #expect(spent < .seconds(20))
    }

    @Test func `an event without elements, and one without a quote, swallow no other`() throws {
        for first in [
            #"<?xml version="1.0"?><event uid="A" type="b-a-o-tbl" how='/>'/>"#, #"<event uid="A type="b"></event>"#,
            "<event uid=\"A></event>", "<other/></event>",
        ] {
            let (text, second) = (Array(first.utf8), Array(Self.text(uid: "B").utf8))
            for size in [1, 1_000] {
                var frames = CoTFrames()
                var found: [CoTFrames.Frame] = []
                let stream = text + second
                for start in stride(from: 0, to: stream.count, by: size) {
                    frames.append(stream[start..<min(start + size, stream.count)])
                    while let frame = try frames.next() { found.append(frame) }
                }
                #expect(found == [.xml(text), .xml(second)], "\(first)")
            }
        }
        #expect(try CoTEvent(xml: #"<event uid="A" type="b-a-o-tbl"/>"#).isCall)
    }

    @Test func `an event that is too large is left out, and the one behind it is read`() throws {
        let second = Array(Self.text(uid: "B").utf8)
        let filling = [UInt8](repeating: 0x61, count: 3 * CoTEvent.limitBytes)
        let tooLarge: [[UInt8]] = [
            Array("<event uid='".utf8) + filling + Array("'/>".utf8),
            Array("<event><detail>".utf8) + filling + Array("</detail></event>".utf8),
            // 0x30000 bytes follow.
            [0xBF, 0x80, 0x80, 0x0C] + filling,
        ]
        for first in tooLarge {
            for size in [1, 7, 1_000, 1 << 20] {
                var frames = CoTFrames()
                var found: [CoTFrames.Frame] = []
                var most = 0
                let stream = first + second + first + second
                for start in stride(from: 0, to: stream.count, by: size) {
                    frames.append(stream[start..<min(start + size, stream.count)])
                    while let frame = try frames.next() { found.append(frame) }
                    most = max(most, frames.waitingBytes)
                }
                #expect(most <= CoTEvent.limitBytes + size)
                #expect(found == [.tooLarge, .xml(second), .tooLarge, .xml(second)])
            }
        }
        #expect(throws: CoTError.tooLarge) {
            var frames = CoTFrames()
            frames.append([0xBF, 0xFF, 0xFF, 0xFF, 0xFF])
            _ = try frames.next()
        }
    }

    // MARK: Writing

    @Test func `what is written is read again, in XML and as a message`() throws {
        var detail = XMLElements()
        detail.add("contact", [("callsign", #"<"A" & 'B'>"# + "\u{1}")])
        detail.add("emergency", [("type", "911 Alert")], text: "]]> & more")
        let message = CoTMessage(
            uid: "muster-1", type: "b-a-o-tbl", time: Self.now, stale: Self.now.advanced(bySeconds: 60),
            at: try Coordinate(latitude: 1.25, longitude: -2.5), error: 8, detail: detail)
        var frames = CoTFrames()
        frames.append(message.xml + message.message)
        guard case .xml(let xml)? = try frames.next(), case .message(let payload)? = try frames.next() else {
            Issue.record("two frames")
            return
        }
        let written = try CoTEvent(xml: String(decoding: xml, as: UTF8.self))
        let sent = try #require(try TAKMessage.event(in: payload))
        #expect(written == sent)
        #expect(written.detail.callsign == #"<"A" & 'B'> "# && written.detail.emergency == "911 Alert")
        #expect(written.point?.coordinate.longitude == -2.5 && written.point?.error == 8)
    }

    @Test func `bytes that are no message are refused, and a message without an event is none`() throws {
        #expect(try TAKMessage.event(in: []) == nil)
        for wrong: [UInt8] in [[0x12], [0x12, 5, 0], [0x12, 0], [0x13], [0xFF, 0xFF], [0x12, 2, 0x2A, 9]] {
            #expect(throws: CoTError.self) { try TAKMessage.event(in: wrong) }
        }
    }
}

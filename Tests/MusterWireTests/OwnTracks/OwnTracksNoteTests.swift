import MusterCore
import Testing

@testable import MusterWire

struct OwnTracksNoteTests {
    private let now = Instant(milliseconds: 1_795_240_900_000)

    private func notes(_ body: String) throws -> [DeviceNote] {
        try OwnTracksRequest(parsing: body.bytes, receivedAt: now).messages.flatMap { $0.notes(receivedAt: now) }
    }

    @Test func `a repeated message is the same note, whatever members its sending added`() throws {
        let first = try notes(#"{"_type":"waypoint","desc":"Werkhof","rid":"6da9cf","tst":1704067200,"_id":"a1"}"#)
        let again = try notes(
            #"{"tst":1704067200,"topic":"owntracks/u/p/waypoint","rid":"6da9cf","_type":"waypoint","#
                + #""created_at":1795240888,"desc":"Werkhof"}"#)
        #expect(first == again)
        #expect(first.map(\.body) == [#"{"desc":"Werkhof","rid":"6da9cf","tst":1704067200}"#])
        #expect(first.map(\.sampleTime) == [Instant(milliseconds: 1_704_067_200_000)])
    }

    @Test(arguments: [
        (#""rid":"6da9cf","tst":1704067200"#, "6da9cf"), (#""rid":17,"tst":1704067200"#, "17"),
        (#""tst":1704067200"#, "1704067200"), (#""rid":"","tst":"1704067200""#, "1704067200"), (#""rad":5"#, "Home"),
    ])
    func `a waypoint is known by its id, else by when it was made, else by its name`(
        members: String, key: String
    ) throws {
        let found = try notes(#"{"_type":"waypoint","desc":"Home",\#(members)}"#)
        #expect(found.map(\.name) == [DeviceNote.Name(.waypoint, key: key)])
    }

    @Test func `a waypoint without a usable name is left out`() throws {
        let long = String(repeating: "x", count: DeviceNote.Name.keyLimitBytes + 1)
        #expect(try notes(#"{"_type":"waypoint","desc":""}"#).isEmpty)
        #expect(try notes(#"{"_type":"waypoint","desc":"\#(long)","rid":"\#(long)"}"#).isEmpty)
        #expect(try notes(#"{"_type":"waypoint","desc":"\#(long.dropLast())"}"#).count == 1)
    }

    @Test func `a card keeps its name when its picture is too large, and is read back from its note`() throws {
        let most = DeviceNote.bodyLimitBytes - #"{"name":"Ana","tid":"AN","face":""}"#.utf8.count
        for (size, isKept) in [(most, true), (most + 1, false)] {
            let face = String(repeating: "A", count: size)
            let note = try #require(try notes(#"{"_type":"card","face":"\#(face)","tid":"AN","name":"Ana"}"#).first)
            #expect(note.body.utf8.count <= DeviceNote.bodyLimitBytes)
            let card = try #require(OwnTracksCard(note))
            #expect((card.name, card.trackerID) == ("Ana", "AN"))
            #expect(card.face == (isKept ? face : nil))
        }
        #expect(OwnTracksCard(DeviceNote(DeviceNote.Name(.steps), receivedTime: now, body: "{}")) == nil)
    }

    @Test func `a beacon is a sighting, and one with an invalid UUID is an error`() throws {
        let body = #"{"_type":"beacon","uuid":"\#(BeaconUUID(high: 1, low: 2))","major":65535,"minor":0,"tst":5"#
        let request = try OwnTracksRequest(parsing: (body + "}").bytes, receivedAt: now)
        guard case .beacon(let beacon) = request.messages.first else {
            Issue.record("no beacon")
            return
        }
        #expect(
            beacon.sighting(receivedAt: now)
                == Sighting(
                    of: Beacon(uuid: BeaconUUID(high: 1, low: 2), major: 65535, minor: 0),
                    sampleTime: Instant(milliseconds: 5000), receivedTime: now))
        let wrong = body.replacing("00000000-", with: "0000000x-") + "}"
        let refused = try OwnTracksRequest(parsing: wrong.bytes, receivedAt: now)
        #expect(refused.messages.isEmpty)
        #expect(refused.faults.map(\.pointer) == ["/uuid"])
    }
}

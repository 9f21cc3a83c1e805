import MusterCore
import MusterGeometry
import Testing

@testable import MusterWire

struct NamedChangeTests {
    private let region = NamedRegion(collection: "sites", id: "r1", name: "Yard \"A\"", isMuster: true)
    private let time = Instant(milliseconds: 1_795_240_800_000)

    private func check(_ change: NamedChange, _ rest: String, sourceLocation: SourceLocation = #_sourceLocation) {
        var writer = JSONWriter()
        writer.value(change, sequence: LogSequence(7), at: Instant(milliseconds: 0))
        let expected =
            #"{"sequence":7,"at":"1970-01-01T00:00:00.000Z","type":"\#(change.type)","# + rest + "}"
        #expect(writer.bytes.text == expected, sourceLocation: sourceLocation)
        #expect(throws: Never.self, sourceLocation: sourceLocation) { try JSONValue(parsing: writer.bytes) }
    }

    @Test func `a safety state is written with its source`() {
        check(
            .safety(
                NamedSafety(
                    Safety(state: .safe, since: time, region: RegionNumber(1)), region: region, markedBy: nil,
                    acknowledgedBy: nil), user: "alice"),
            #""user":"alice","state":"safe","since":"2026-11-21T06:00:00.000Z","source":"region","region":"#
                + #"{"collection":"sites","id":"r1","name":"Yard \"A\"","muster":true}"#)
        let silent = NamedSafety(
            Safety(state: .unknown, since: Instant(milliseconds: 0)), region: nil, markedBy: nil, acknowledgedBy: nil)
        check(.safety(silent, user: "alice"), #""user":"alice","state":"unknown","source":"silence""#)
        var call = Safety(state: .sos, since: time, source: .marked(by: UserNumber(2)))
        check(
            .reminder(
                NamedSafety(call, region: nil, markedBy: "bob", acknowledgedBy: nil), user: "alice", count: 3),
            #""user":"alice","state":"sos","since":"2026-11-21T06:00:00.000Z","source":"marked","markedBy":"bob","#
                + #""acknowledged":false,"count":3"#)
        call.acknowledgedBy = UserNumber(2)
        check(
            .safety(NamedSafety(call, region: nil, markedBy: "bob", acknowledgedBy: "bob"), user: "alice"),
            #""user":"alice","state":"sos","since":"2026-11-21T06:00:00.000Z","source":"marked","markedBy":"bob","#
                + #""acknowledged":true,"acknowledgedBy":"bob""#)
    }

    @Test func `declarations and incidents are written with names`() {
        let declaration = Declaration(
            id: "c-1", subject: UserNumber(1), author: UserNumber(2), device: DeviceNumber(3), kind: .needsHelp,
            sampleTime: time, receivedTime: time, note: "<ankle>",
            coordinate: Coordinate(validLatitude: 1, longitude: 2))
        check(
            .declaration(
                NamedDeclaration(declaration, user: "alice", author: "bob", device: "bob/phone", isLate: true)),
            #""id":"c-1","user":"alice","kind":"needsHelp","author":"bob","device":"bob/phone","#
                + #""sampleTime":"2026-11-21T06:00:00.000Z","receivedTime":"2026-11-21T06:00:00.000Z","#
                + #""note":"<ankle>","latitude":1,"longitude":2,"late":true"#)
        var incident = Incident(
            number: IncidentNumber(4), team: TeamNumber(1), kind: .drill, startedAt: time, startedBy: UserNumber(2))
        check(
            .incident(NamedIncident(incident, team: "crew", startedBy: "bob", closedBy: nil), nil),
            #""number":4,"team":"crew","kind":"drill","startedAt":"2026-11-21T06:00:00.000Z","startedBy":"bob","#
                + #""leader":null,"open":true,"happened":"started","allAccounted":false"#)
        incident.allAccountedAt = time
        incident.turn = .closed
        incident.reopening = .init(at: time, by: UserNumber(2), reason: "too soon")
        incident.closing = Incident.Closing(at: time, how: .byHand(by: UserNumber(2), reason: "enough"))
        check(
            .incident(
                NamedIncident(
                    incident, team: "crew", startedBy: "bob", leader: "ann", closedBy: "bob", reopenedBy: "ann"), nil),
            #""number":4,"team":"crew","kind":"drill","startedAt":"2026-11-21T06:00:00.000Z","startedBy":"bob","#
                + #""leader":"ann","open":false,"happened":"closed","allAccounted":true,"#
                + #""allAccountedAt":"2026-11-21T06:00:00.000Z","reopenedAt":"2026-11-21T06:00:00.000Z","#
                + #""reopenedBy":"ann","reopenReason":"too soon","#
                + #""closedAt":"2026-11-21T06:00:00.000Z","closedHow":"byHand","closedBy":"bob","#
                + #""reason":"enough""#)
        let line = NamedRecordLine(
            at: time, person: UserNumber(-1), user: "Zoë", event: .takenOff,
            safety: NamedSafety(
                Safety(state: .unknown, since: time, source: .marked(by: UserNumber(2))), region: nil, markedBy: "bob",
                acknowledgedBy: nil),
            lastSeen: nil, author: "bob", note: "gone home")
        check(
            .roll(line, incident: IncidentNumber(4), team: "crew"),
            #""incident":4,"team":"crew","event":"takenOff","person":-1,"user":"Zoë","state":"unknown","#
                + #""since":"2026-11-21T06:00:00.000Z","source":"marked","markedBy":"bob","by":"bob","#
                + #""reason":"gone home""#)
    }

    @Test func `changes are written with names`() {
        let position = Position(
            coordinate: Coordinate(validLatitude: 1, longitude: 2), sampleTime: time, receivedTime: time)
        check(
            .position(position, device: "alice/phone", user: "alice", reporter: nil, isLate: true),
            #""device":"alice/phone","user":"alice","position":{"latitude":1,"longitude":2,"#
                + #""sampleTime":"2026-11-21T06:00:00.000Z","receivedTime":"2026-11-21T06:00:00.000Z","#
                + #""source":"native"},"late":true"#)
        let enter = Crossing(
            kind: .enter, device: DeviceNumber(1), region: RegionNumber(1), sampleTime: time, insidePercent: 97)
        check(
            .crossing(enter, device: "alice/phone", user: "alice", region: region),
            #""kind":"enter","device":"alice/phone","user":"alice","region":{"collection":"sites","id":"r1","#
                + #""name":"Yard \"A\"","muster":true},"sampleTime":"2026-11-21T06:00:00.000Z","probability":0.97"#)
        let beacon = Beacon(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)
        check(
            .sighting(
                Sighting(
                    of: beacon, sampleTime: time, receivedTime: time, distance: 1.5, signalStrength: -67,
                    proximity: .near),
                device: "alice/phone", user: "alice", isLate: false),
            #""device":"alice/phone","user":"alice","sighting":{"uuid":"00000000-0000-0001-0000-000000000002","#
                + #""major":3,"minor":4,"sampleTime":"2026-11-21T06:00:00.000Z","#
                + #""receivedTime":"2026-11-21T06:00:00.000Z","distance":1.5,"signalStrength":-67,"#
                + #""proximity":"near"},"late":false"#)
        check(
            .range(
                PeerRange(
                    to: DeviceNumber(2), sampleTime: time, receivedTime: time, metres: 2.9, deviationMetres: 0.3,
                    source: .ultraWideband),
                device: "alice/phone", user: "alice", peer: "bob/phone", isLate: true),
            #""device":"alice/phone","user":"alice","range":{"peer":"bob/phone","#
                + #""sampleTime":"2026-11-21T06:00:00.000Z","receivedTime":"2026-11-21T06:00:00.000Z","#
                + #""metres":2.9,"deviationMetres":0.3,"source":"uwb"},"late":true"#)
        check(
            .note(DeviceNote.Name(.waypoint, key: "6da9cf"), device: "alice/phone", user: "alice"),
            #""device":"alice/phone","user":"alice","kind":"waypoint","key":"6da9cf""#)
        check(
            .note(DeviceNote.Name(.lastWill), device: "alice/phone", user: "alice"),
            #""device":"alice/phone","user":"alice","kind":"lwt""#)
        let doubted = PresenceReport(
            device: DeviceNumber(1), region: RegionNumber(1), standing: .inside, insidePercent: nil, doubt: .checking,
            since: time, sampleTime: time)
        check(
            .presence(doubted, device: "alice/phone", user: "alice", region: region),
            #""device":"alice/phone","user":"alice","region":{"collection":"sites","id":"r1","#
                + #""name":"Yard \"A\"","muster":true},"standing":"inside","doubt":"checking","#
                + #""since":"2026-11-21T06:00:00.000Z","sampleTime":"2026-11-21T06:00:00.000Z""#)
        check(
            .region(collection: "sites", id: "r1", removed: false),
            #""collection":"sites","id":"r1","removed":false"#)
        check(.directory(.team, name: "red", removed: true), #""kind":"team","name":"red","removed":true"#)
    }
}

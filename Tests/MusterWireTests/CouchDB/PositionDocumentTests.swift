import MusterCore
import MusterGeometry
import MusterWire
import Testing

@Suite struct PositionDocumentTests {
    private func position(_ time: Int64, _ latitude: Double, _ longitude: Double) -> Position {
        Position(
            coordinate: Coordinate(validLatitude: latitude, longitude: longitude),
            sampleTime: Instant(milliseconds: time), receivedTime: Instant(milliseconds: time))
    }

    @Test func `a document's id identifies its position to the last bit`() throws {
        var generator = Seeded(seed: 3)
        for _ in 0..<2_000 {
            let place = PositionDocument.Identity(
                of: position(
                    .random(in: -62_000_000_000_000...253_000_000_000_000, using: &generator),
                    .random(in: -90...90, using: &generator), .random(in: -180...180, using: &generator)),
                device: DeviceNumber(.random(in: 1 ... .max, using: &generator)))
            #expect(PositionDocument.identity(of: PositionDocument.id(place)) == place)
        }
        #expect(PositionDocument.identity(of: "position-") == nil)
        let id = PositionDocument.id(.init(of: position(5, 1, 2), device: DeviceNumber(7)))
        #expect(id == "position-0000000007-000000000000005-bff0000000000000c000000000000000")
        #expect(PositionDocument.identity(of: id.uppercased()) == nil)
        #expect(PositionDocument.identity(of: id + "0") == nil)
    }

    @Test func `ids are in the order of a device's history`() {
        let positions = [
            position(-62_000_000_000_000, 0, 0), position(-1, 0, 0), position(0, -90, 5), position(0, -1, 0),
            position(0, 0, -180), position(0, 0, 0), position(0, 0, 180), position(0, 1, -5),
            position(1_795_240_800_000, -5, 0), position(253_000_000_000_000, 0, 0),
        ]
        let ids = positions.map { PositionDocument.id(.init(of: $0, device: DeviceNumber(12))) }
        #expect(ids == ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        #expect(Set(ids).count == ids.count)
        let zero = PositionDocument.id(.init(of: position(0, -0.0, -0.0), device: DeviceNumber(12)))
        #expect(zero == ids[5])
    }

    @Test func `a part of an id bounds the times on both its sides, closely`() throws {
        var generator = Seeded(seed: 9)
        let device = DeviceNumber(12)
        let times = (0..<100).map { _ in Int64.random(in: 0...999_999, using: &generator) * 1_000_003 } + [-5, -1, 0]
        let ids = times.map { PositionDocument.id(.init(of: position($0, 1, 2), device: device)) }
        for id in ids.prefix(12) + ids.suffix(3) {
            for length in [20, 21, 24, 31, 33, 34, 35, 40] {
                for end in ["", "\u{1}", ".", "0", "5", "9", ":", "\u{FFF0}"] {
                    let edge = String(id.prefix(length)) + end
                    let bounds = try #require(PositionDocument.times(around: edge, of: device))
                    for (time, other) in zip(times, ids) {
                        let isBefore = !edge.utf8.lexicographicallyPrecedes(other.utf8)
                        let isBehind = !other.utf8.lexicographicallyPrecedes(edge.utf8)
                        let instant = Instant(milliseconds: time)
                        if isBefore, let latest = bounds.latestBefore, instant > latest { Issue.record("\(edge)") }
                        if isBehind, let least = bounds.earliestBehind, instant < least { Issue.record("\(edge)") }
                    }
                }
            }
        }
        let partial = try #require(PositionDocument.times(around: "position-0000000012-00170\u{FFF0}", of: device))
        #expect(partial.latestBefore == Instant(milliseconds: 1_709_999_999_999))
        #expect(partial.earliestBehind == Instant(milliseconds: 1_710_000_000_000))
        let short = try #require(PositionDocument.times(around: "position-0000000012-00170", of: device))
        #expect(short.latestBefore == Instant(milliseconds: 1_699_999_999_999))
        #expect(short.earliestBehind == Instant(milliseconds: 1_700_000_000_000))
        #expect(PositionDocument.times(around: "position-0000000013-00170", of: device) == nil)
    }

    @Test func `the document of a position reads back as that position`() throws {
        var position = position(1_795_240_800_000, 52.5, 13.4)
        position.accuracy = Metres(12.5)
        position.speed = 1.25
        position.heading = 359
        position.battery = 80
        position.altitude = Metres(-3)
        let body = PositionDocument.body(position, user: "ann")
        var told = try #require(LocationDocument.position(in: body, receivedAt: position.receivedTime))
        told.source = .native
        #expect(told == position)
        let text = String(decoding: body, as: UTF8.self)
        #expect(
            text == """
                {"type":"Feature","created_at":1795240800000,"geometry":{"type":"Point","coordinates":[13.4,52.5]},\
                "properties":{"username":"ann","timestamp":1795240800000,"accuracy":12.5,"altitude":-3,"speed":1.25,\
                "heading":359,"battery":80}}
                """)
    }

    @Test(arguments: [
        "{}", "[]", "nonsense", #"{"geometry":{"type":"Point","coordinates":[1,2]}}"#,
        #"{"created_at":1,"geometry":{"type":"Point","coordinates":[181,2]}}"#,
        #"{"created_at":1,"geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}}"#,
        #"{"created_at":"now","geometry":{"type":"Point","coordinates":[1,2]}}"#,
        #"{"created_at":1e18,"geometry":{"type":"Point","coordinates":[1,2]}}"#,
    ])
    func `a document without a place and a time is not a location`(text: String) {
        #expect(LocationDocument.position(in: Array(text.utf8), receivedAt: Instant(milliseconds: 0)) == nil)
    }

    @Test(arguments: ["accuracy", "altitude", "speed", "heading", "battery"])
    func `a number out of range is unknown`(name: String) throws {
        let text = """
            {"created_at":1,"geometry":{"type":"Point","coordinates":[1,2]},"properties":{"\(name)":1e300}}
            """
        let found = try #require(
            LocationDocument.position(in: Array(text.utf8), receivedAt: Instant(milliseconds: 1)))
        let place = Coordinate(validLatitude: 2, longitude: 1)
        let time = Instant(milliseconds: 1)
        #expect(found == Position(coordinate: place, sampleTime: time, receivedTime: time, source: .couchDB))
    }

    @Test func `the location tracker's own document is a location`() throws {
        let text = """
            {"type":"Feature","created_at":1462910143508,"geometry":{"type":"Point","coordinates":[-122.3,37.4]},\
            "properties":{"username":"markwatson","session_id":"x","timestamp":1462910143000,"background":true}}
            """
        let now = Instant(milliseconds: 1_462_910_150_000)
        let position = try #require(LocationDocument.position(in: Array(text.utf8), receivedAt: now))
        #expect(position.sampleTime == Instant(milliseconds: 1_462_910_143_000))
        #expect(position.coordinate == Coordinate(validLatitude: 37.4, longitude: -122.3))
        #expect(position.receivedTime == now)
        #expect(position.source == .couchDB)
    }
}

import MusterCore
import MusterGeometry
import Testing

@testable import MusterWire

/// Payloads: the README of Overland for iOS, and what its `GLManager.m` makes.
struct OverlandReportTests {
    private let now = Instant(milliseconds: 1_795_240_900_000)

    /// From the README; its time has an offset without a colon.
    static let documented = #"""
        {"type":"Feature","geometry":{"type":"Point","coordinates":[-122.030581,37.331800]},"properties":{
        "timestamp":"2015-10-01T08:00:00-0700","altitude":0,"speed":4,"horizontal_accuracy":30,
        "vertical_accuracy":-1,"motion":["driving","stationary"],"pauses":false,"activity":"other_navigation",
        "desired_accuracy":100,"deferred":1000,"significant_change":"disabled","locations_in_payload":1,
        "battery_state":"charging","battery_level":0.80,"device_id":"","wifi":"home"}}
        """#

    private func report(_ body: String) throws -> TrackerReport {
        try Array(body.utf8).withUnsafeBytes { bytes in try OverlandReport.report(parsing: bytes, receivedAt: now) }
    }

    private func batch(_ features: String...) -> String {
        #"{"locations":[\#(features.joined(separator: ","))]}"#
    }

    private func feature(_ properties: String, _ coordinates: String = "[-6.058,43.5665]") -> String {
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":\#(coordinates)},"properties":{\#(properties)}}"#
    }

    @Test func `the documented batch is read, and the network's name is not kept`() throws {
        let position = try #require(report(batch(Self.documented)).positions.first)
        #expect(position.coordinate == Coordinate(validLatitude: 37.3318, longitude: -122.030581))
        #expect(position.sampleTime.milliseconds == 1_443_711_600_000)
        #expect(position.speed == 4 && position.accuracy == Metres(30) && position.battery == 80)
        #expect(position.altitude == nil, "its accuracy is −1")
        #expect(position.attributes == #"{"charge":true,"motion":["driving","stationary"]}"#)
        #expect(position.source == .overland)
    }

    private static let unknowns =
        #""timestamp":"2026-11-21T06:00:00Z","speed":-1,"course":-1,"horizontal_accuracy":-1,"altitude":31,"#
        + #""vertical_accuracy":4,"battery_level":-1,"battery_state":"unknown","motion":[]"#

    @Test func `what the phone does not know is −1, and unknown`() throws {
        let position = try #require(
            report(batch(feature(Self.unknowns))).positions.first)
        #expect(position.speed == nil && position.heading == nil && position.accuracy == nil)
        #expect(position.battery == nil && position.attributes == nil)
        #expect(position.altitude == Metres(31))
    }

    @Test func `visits, ends of trips and events of the app are no positions`() throws {
        let time = #""timestamp":"2026-11-21T06:00:00Z""#
        #expect(
            try report(batch(feature(time + #","action":"visit""#), feature(time + #","type":"trip""#)))
                == TrackerReport())
    }

    @Test(arguments: [
        ("", "[1,2]"), (#""timestamp":"""#, "[1,2]"), (#""timestamp":"x""#, "[1,2]"), (#""timestamp":nan"#, "[1,2]"),
        (#""timestamp":"2026-11-21T06:00:00Z""#, "[]"), (#""timestamp":"2026-11-21T06:00:00Z""#, "[1]"),
        (#""timestamp":"2026-11-21T06:00:00Z""#, "[1,91]"), (#""timestamp":"2026-11-21T06:00:00Z""#, "[181,1]"),
        (#""timestamp":"2026-11-21T06:00:00Z""#, "[nan,1]"), (#""timestamp":"2026-11-21T06:00:00Z""#, "[null,1]"),
        (#""timestamp":"2026-11-21T06:00:00Z""#, #"["1,5",1]"#), (#""timestamp":"2026-11-21T06:00:00Z""#, "7"),
    ])
    func `a faulty position does not affect the others`(_ properties: String, _ coordinates: String) throws {
        let report = try report(batch(feature(properties, coordinates), Self.documented, "7", "null", "{}"))
        #expect(report.positions.count == 1)
        #expect(report.faultCount == 4)
        #expect(report.fault?.hasPrefix("/locations/0/") == true)
    }

    @Test func `a batch of more than a thousand is refused as a whole`() throws {
        for count in [1001, 10_000] {
            let many = Array(repeating: "{}", count: count).joined(separator: ",")
            #expect(throws: JSONError(pointer: "/locations", offset: 0, reason: .tooMany(limit: 1000))) {
                try report(#"{"locations":[\#(many)]}"#)
            }
        }
        let most = Array(repeating: Self.documented, count: 1000).joined(separator: ",")
        #expect(try report(#"{"locations":[\#(most)]}"#).positions.count == 1000)
    }

    @Test(arguments: ["", "[]", "{}", #"{"locations":{}}"#, #"{"locations":[}"#, "x"])
    func `what is no batch is an error`(_ body: String) {
        #expect(throws: JSONError.self) { try report(body) }
    }

    @Test func `an empty batch has nothing`() throws { #expect(try report(batch()) == TrackerReport()) }
}

import MusterCore
import Testing

@testable import MusterWire

/// The times of a Ruuvi Gateway's posts, with and without a set clock.
struct RuuviReportTests {
    private let now = Instant(milliseconds: 1_764_000_000_000)

    private func read(_ posted: String, _ heard: String) throws -> RuuviReport {
        let json = """
            {"data":{"coordinates":"",\(posted)"gw_mac":"C8:25:2D:8E:9C:2C","tags":{"CB:B8:33:4C:88:4F":\
            {"rssi":-55,\(heard)"data":"0201061BFF99040512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F"}}}}
            """
        let plausible = now.advanced(bySeconds: -86_400)...now.advanced(bySeconds: 60)
        return try Array(json.utf8).withUnsafeBytes {
            try RuuviReport(parsing: $0, receivedAt: now, plausible: plausible)
        }
    }

    private func check(
        _ posted: String, _ heard: String, age: Double, isTimed: Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let report = try read(posted, heard)
        let times = report.sightings.map(\.sampleTime)
        #expect(times == [now.advanced(bySeconds: -age)], sourceLocation: sourceLocation)
        #expect(report.untimedCount == (isTimed ? 0 : 1), sourceLocation: sourceLocation)
        #expect(report.malformedCount == 0 && report.unknownCount == 1, sourceLocation: sourceLocation)
    }

    @Test func `a set clock counts, as a number or as text`() throws {
        try check(#""timestamp":1764000000,"#, #""timestamp":1763999997,"#, age: 3, isTimed: true)
        try check(#""timestamp":"1764000000","#, #""timestamp":"1763996400","#, age: 3_600, isTimed: true)
        try check("", #""timestamp":1763999990,"#, age: 10, isTimed: true)
        #expect(try read(#""timestamp":1763999998,"#, "").postedAt == now.advanced(bySeconds: -2))
    }

    @Test func `a clock that is not set gives the age, and no clock the arrival`() throws {
        try check(#""timestamp":37,"#, #""timestamp":35,"#, age: 2, isTimed: false)
        try check(#""timestamp":1500000000,"#, #""timestamp":1499999996,"#, age: 4, isTimed: false)
        try check(#""timestamp":4000000000,"#, #""timestamp":4000000000,"#, age: 0, isTimed: false)
        try check("", "", age: 0, isTimed: false)
        try check(#""timestamp":0,"#, #""timestamp":0,"#, age: 0, isTimed: false)
        // The clock was set between the two.
        try check(#""timestamp":1764000000,"#, #""timestamp":35,"#, age: 0, isTimed: false)
        try check(#""timestamp":900,"#, #""timestamp":35,"#, age: 0, isTimed: false)
        try check(#""timestamp":35,"#, #""timestamp":900,"#, age: 0, isTimed: false)
        #expect(try read(#""timestamp":37,"#, "").postedAt == now)
    }

    @Test func `what a post has beside the tags costs nothing`() throws {
        let (posted, heard) = (#""nonce":nan,,"timestamp":1764000000,"#, #""x":1e999,"timestamp":1763999997,"#)
        try check(posted, heard, age: 3, isTimed: true)
    }
}

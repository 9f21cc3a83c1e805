import Foundation
import MusterCore
import MusterGeometry
import Testing

@testable import MusterWire

/// GPX that others recorded, or wrote to try readers with. What each file holds was counted with another XML parser.
@Suite(.enabled(if: SharedData.isThere, Comment(rawValue: SharedData.reason)))
struct SharedGPXTests {
    /// Points of each segment of each track, and of each route; waypoints; points of any kind with elevation, and with
    /// time.
    private struct Content: Equatable {
        var tracks: [[Int]] = []
        var routes: [Int] = []
        var waypoints = 0
        var elevations = 0
        var times = 0
    }

    private static let contents: [String: Content] = [
        "Mojstrovka.gpx": Content(tracks: [[184]], elevations: 184, times: 184),
        "around-visnjan-with-car.gpx": Content(tracks: [[104]], elevations: 104, times: 104),
        "cerknicko-jezero.gpx": Content(
            tracks: [[0], [173], [52], [2], [44], [2], [2], [21]], waypoints: 7, elevations: 302, times: 297),
        "cerknicko-without-times.gpx": Content(
            tracks: [[0], [173], [52], [2], [44], [2], [2], [21]], waypoints: 7, elevations: 302, times: 5),
        "first_and_last_elevation.gpx": Content(tracks: [[10]], elevations: 2, times: 10),
        "gpx1.1_with_all_fields.gpx": Content(
            tracks: [[1, 0], []], routes: [3, 2], waypoints: 2, elevations: 3, times: 3),
        "korita-zbevnica.gpx": Content(
            tracks: [[0], [358], [176], [337]], waypoints: 2, elevations: 871, times: 513),
        "route.gpx": Content(routes: [55]),
        "track-with-empty-segment.gpx": Content(tracks: [[9, 0]], elevations: 9, times: 9),
        "track-with-extremes.gpx": Content(tracks: [[25]], elevations: 25),
        "unicode.gpx": Content(waypoints: 6, elevations: 6),
    ]

    @Test(arguments: contents.keys.sorted())
    func `a recorded file holds what was counted in it`(name: String) throws {
        let document = try GPXDocument(parsing: SharedData.bytes("gpx/\(name)"))
        let points =
            document.tracks.flatMap { $0.segments.flatMap { $0 } } + document.routes.flatMap(\.points)
            + document.waypoints
        let content = Content(
            tracks: document.tracks.map { $0.segments.map(\.count) }, routes: document.routes.map(\.points.count),
            waypoints: document.waypoints.count, elevations: points.count { $0.elevation != nil },
            times: points.count { $0.time != nil })
        #expect(content == Self.contents[name])
    }

    @Test func `no file is forgotten`() {
        #expect(SharedData.names(in: "gpx", ending: ".gpx") == Self.contents.keys.sorted())
    }

    @Test func `times, names and fields of the shared files are read`() throws {
        let walk = try GPXDocument(parsing: SharedData.bytes("gpx/Mojstrovka.gpx"))
        let first = try #require(walk.tracks.first?.segments.first?.first)
        #expect(first.coordinate == Coordinate(validLatitude: 46.434981, longitude: 13.748273))
        #expect(first.time?.rfc3339 == "1901-12-13T20:45:52.207Z" && first.elevation == 1614.678)

        let all = try GPXDocument(parsing: SharedData.bytes("gpx/gpx1.1_with_all_fields.gpx"))
        #expect(all.name == "example name" && all.creator == "...")
        #expect(all.tracks.map(\.name) == ["example name t", nil])
        #expect(all.routes.map(\.name) == ["example name", "second route"])
        #expect(all.waypoints.first?.dilution == 6 && all.waypoints.first?.name == "example name")
        // `2013-01-01T12:00:04`, without an offset.
        #expect(all.tracks[0].segments[0][0].time?.rfc3339 == "2013-01-01T12:00:04.000Z")

        let unicode = try GPXDocument(parsing: SharedData.bytes("gpx/unicode.gpx"))
        #expect(unicode.waypoints.first?.name == "šđčćž")
    }
}

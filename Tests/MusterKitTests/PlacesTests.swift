import Foundation
import MusterCore
import MusterGeometry
import Testing

@testable import MusterKit

@Suite struct PlacesTests {
    @Test func `without a network places are those that were told before, the nearest first, ties by id`() async throws
    {
        let store = try LocalStore(path: nil)
        let centre = try Coordinate(latitude: 37.49453457, longitude: -122.30464079)
        func place(_ id: String, north metres: Double) -> Places.Place {
            let there = centre.destination(bearing: Degrees(0), distance: Metres(metres))
            return Places.Place(id: id, name: id, latitude: there.latitude, longitude: there.longitude)
        }
        let kept = [
            place("far", north: 5_000), place("b", north: 2_680), place("a", north: 2_680), place("near", north: 10),
        ]
        try await store.keep(Dictionary(uniqueKeysWithValues: kept.map { ($0.id, $0) }), note: "places")
        let places = Places(session: try offlineSession(), store: store)
        let answer = try await places.near(centre)
        #expect(answer.places.map(\.id) == ["near", "a", "b"])
        #expect(!answer.isFresh)
    }
}

@Suite struct RegionWatchTests {
    private struct Cache: Codable {
        var collections: [String: [String]]
    }

    @Test func `the first fix crosses nothing, and an exit precedes an enter`() async throws {
        let store = try LocalStore(path: nil, key: nil)
        func square(_ id: String, _ south: Double, _ north: Double) -> String {
            """
            {"type":"Feature","id":"\(id)","properties":{},"geometry":{"type":"Polygon","coordinates":\
            [[[12.9,\(south)],[13.1,\(south)],[13.1,\(north)],[12.9,\(north)],[12.9,\(south)]]]}}
            """
        }
        let cache = Cache(collections: ["town": [square("one", 51.9, 52.001), square("two", 52.0011, 52.1)]])
        try await store.keep(cache, note: "regions")
        let watch = RegionWatch(session: try offlineSession(), store: store)
        try await watch.recall()
        #expect(watch.take(try fix(0, north: 0)).isEmpty)
        let crossings = watch.take(try fix(60, north: 500))
        #expect(crossings.map { "\($0.region.id) \($0.isEntry)" } == ["one false", "two true"])
        #expect(await watch.reconcile() == nil)
    }
}

/// Someone who is signed in at a server that nobody reaches.
func offlineSession() throws -> Session {
    let path = temporaryPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let keeper = FileCredentialKeeper(path: path)
    let account = """
        {"server":"http://127.0.0.1:1/","user":"ann","password":"p","key":"k","secret":"s",\
        "databaseRoot":"http://127.0.0.1:1/","databaseName":"lt_locations_user_ann"}
        """
    try keeper.keep(Data(account.utf8))
    return try #require(try Session.open(keeper))
}

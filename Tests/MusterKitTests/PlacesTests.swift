import Foundation
import MusterCore
import MusterGeometry
import MusterReplication
import Testing

@testable import MusterKit

@Suite struct PlacesTests {
    @Test func `without a network places are the last received ones, the nearest first, ties by id`() async throws {
        let store = try LocalStore(path: nil)
        let centre = try Coordinate(latitude: 37.49453457, longitude: -122.30464079)
        func place(_ id: String, north metres: Double) -> Places.Place {
            let there = centre.destination(bearing: Degrees(0), distance: Metres(metres))
            return Places.Place(id: id, name: id, latitude: there.latitude, longitude: there.longitude)
        }
        let kept = [
            place("far", north: 5_000), place("b", north: 2_680), place("a", north: 2_680), place("near", north: 10),
        ]
        try await store.storeValue(Dictionary(uniqueKeysWithValues: kept.map { ($0.id, $0) }), note: "places")
        let places = Places(session: try offlineSession(), store: store)
        let answer = try await places.near(centre)
        #expect(answer.places.map(\.id) == ["near", "a", "b"])
        #expect(!answer.isFresh)
    }

    @Test func `where the server cannot answer now, or a captive portal answers, places are the last received ones`()
        async throws
    {
        let store = try LocalStore(path: nil)
        let centre = try Coordinate(latitude: 37, longitude: -122)
        let kept = Places.Place(id: "near", name: "near", latitude: 37, longitude: -122)
        try await store.storeValue(["near": kept], note: "places")
        try await RunningServer.run { server in
            let network = PickyNetwork(to: server)
            try await network.run { address in
                let account = offlineAccount.replacing("http://127.0.0.1:1", with: address)
                let places = Places(session: try signedIn(account), store: store)
                for (status, body) in [
                    (200, "<html>Welcome</html>"), (302, ""), (404, "<html>"), (429, #"{"error":"too_many_requests"}"#),
                    (503, ""),
                ] {
                    network.decide { _ in .isAnswered(status: status, body: body) }
                    let answer = try await places.near(centre)
                    #expect(answer.places == [kept] && !answer.isFresh, "status \(status)")
                }
                network.decide { _ in .isAnswered(status: 401, body: #"{"error":"unauthorized","reason":"no"}"#) }
                await #expect(throws: ReplicationError.unauthorized("no")) { try await places.near(centre) }
            }
        }
    }
}

/// The stored credentials of someone who is signed in at a server that nobody reaches.
let offlineAccount = """
    {"server":"http://127.0.0.1:1/","user":"ann","password":"p","key":"k","secret":"s",\
    "databaseRoot":"http://127.0.0.1:1/","databaseName":"lt_locations_user_ann"}
    """

/// Someone who is signed in at a server that nobody reaches.
func offlineSession() throws -> Session { try signedIn(offlineAccount) }

/// Someone who is signed in by these stored credentials.
private func signedIn(_ account: String) throws -> Session {
    let path = temporaryPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let keeper = FileCredentialKeeper(path: path)
    try keeper.storeCredentials(Data(account.utf8))
    return try #require(try Session.open(keeper))
}

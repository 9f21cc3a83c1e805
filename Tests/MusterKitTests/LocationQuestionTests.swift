import MusterKit
import MusterWire
import Testing

/// "Where are you now?" on a device.
@Suite struct LocationQuestionTests {
    @Test func `a location request arrives by the live feed, and the server records that`() async throws {
        try await RunningServer.run { server in
            _ = try await server.member("ann", of: nil)
            let device = try await DatasetDevice(server, followsDatasets: true)
            var events = device.muster.track(AsyncStream { _ in }).makeAsyncIterator()
            _ = try device.muster.dataset("settings")
            // A question from before the feed was open does not arrive by it.
            try await until {
                try await server.ask("POST", "users/ann/location-request")
                for _ in 0..<100 {
                    let channels = try await server.ask("GET", "users/ann/location-request")["channels"]
                    if channels?.elements?.first?["channel"]?.string == "live" { return true }
                }
                return false
            }
            var asker: String?
            while asker == nil, let event = await events.next() {
                if case .askedForLocation(let by, _) = event { asker = by }
            }
            #expect(asker == "admin")
            try await device.close()
        }
    }
}

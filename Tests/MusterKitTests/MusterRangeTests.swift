import Foundation
import MusterCore
import MusterNearby
import MusterReplication
import Testing

@testable import MusterKit

/// Ranges and places by the one object that an app uses.
@Suite struct MusterRangeTests {
    private func open(_ server: RunningServer, as user: String) async throws -> Muster {
        var options = Muster.Options()
        options.connections = server.connections
        let muster = try await Muster.open(
            server.address, store: URL(filePath: temporaryPath()),
            credentials: FileCredentialKeeper(path: temporaryPath()), options: options)
        try await muster.signIn(user: user, password: RunningServer.memberPassword)
        return muster
    }

    private func range(to tag: RangeTag, metres: Double, secondsAgo: Double) throws -> MeasuredRange {
        try #require(
            MeasuredRange(
                to: tag, time: Date(timeIntervalSinceNow: -secondsAgo), metres: metres, deviationMetres: 0.3,
                source: .simulated))
    }

    @Test func `a person reports ranges to people who agreed, by the session of the app`() async throws {
        try await RunningServer.run { server in
            try await server.makeMeadow()
            for name in ["ann", "ben"] { _ = try await server.member(name, of: "crew") }
            let ben = try await open(server, as: "ben")
            var generator = SystemRandomNumberGenerator()
            let secret = RangeSecret(using: &generator)
            let strangersSecret = RangeSecret(using: &generator)
            // Ben agrees: his tag is registered for the device that the first report makes.
            #expect(try await ben.rangeReporter(secret: secret).sendAll() == RangeReporter.Progress())

            let ann = try await open(server, as: "ann")
            let reporter = try await ann.rangeReporter()
            #expect(try await ann.rangeReporter() === reporter)
            #expect(try await reporter.record(range(to: secret.tag, metres: 4, secondsAgo: 20)))
            #expect(try await reporter.record(range(to: strangersSecret.tag, metres: 9, secondsAgo: 10)))
            #expect(try await reporter.sendAll() == RangeReporter.Progress(stored: 1, unregistered: 1))

            try await ann.signOut()
            #expect(try await reporter.record(range(to: secret.tag, metres: 40, secondsAgo: 1)))
            await #expect(throws: RangeReportError.signedOut) { try await reporter.sendAll() }
            #expect(try await reporter.waiting == 1)
            try await ann.close()
            await #expect(throws: MusterError.closed) { try await ann.rangeReporter() }
            await #expect(throws: RangeReportError.self) { try await reporter.waiting }
            try await ben.close()
        }
    }

    @Test func `places near a location need no network once they were received`() async throws {
        let keeper = FileCredentialKeeper(path: temporaryPath())
        try keeper.storeCredentials(Data(offlineAccount.utf8))
        var options = Muster.Options()
        options.pacing.sleep = { _ in try await Task.sleep(for: .milliseconds(100)) }
        let muster = try await Muster.open(
            "http://127.0.0.1:1", store: URL(filePath: temporaryPath()), credentials: keeper, options: options)
        let told = [
            Places.Place(id: "gate", name: "Gate", latitude: 52, longitude: 13.001),
            Places.Place(id: "far", name: "Far", latitude: 53, longitude: 13),
        ]
        try await muster.store.storeValue(
            Dictionary(uniqueKeysWithValues: told.map { ($0.id, $0) }), note: "places")
        var here = Muster.Location(latitude: 52, longitude: 13, time: Date())
        let answer = try await muster.places(near: here, radiusMetres: 500)
        #expect(answer.places.map(\.name) == ["Gate"])
        #expect(!answer.isFresh)
        here.latitude = 91
        await #expect(throws: MusterError.illegalLocation) { try await muster.places(near: here) }
        try await muster.signOut()
        here.latitude = 52
        await #expect(throws: MusterError.signedOut) { try await muster.places(near: here) }
        try await muster.close()
        await #expect(throws: MusterError.closed) { try await muster.places(near: here) }
    }
}

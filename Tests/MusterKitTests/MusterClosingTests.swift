import Foundation
import GRDB
import MusterCore
import MusterMutex
import MusterReplication
import Testing

@testable import MusterKit

/// Locations that wait in memory when the app closes its `Muster` or signs out.
@Suite(.timeLimit(.minutes(5))) final class MusterClosingTests: Sendable {
    private let keeper = RecordingKeeper()
    private let store = URL(filePath: temporaryPath())

    /// How many rounds of recording are over: each waits for the next one, which never comes.
    private let rounds = Mutex(0)

    private func open() async throws -> Muster {
        var options = Muster.Options()
        options.connections = HTTPConnections(LoginServer())
        options.recordSeconds = 60
        options.pacing.sleep = { [self] seconds in
            if seconds == 60 { rounds.withLock { $0 += 1 } }
            try await Task.sleep(for: .seconds(3_600))
        }
        return try await Muster.open("http://server", store: store, credentials: keeper, options: options)
    }

    /// A device of ann's with so many locations that are not on the disk yet.
    private func open(waiting count: Int) async throws -> Muster {
        let muster = try await open()
        try await muster.signIn(user: "ann", password: "a")
        let run = try #require(muster.state.withLock { $0.run })
        // The first round begins with the sign-in: it would record the locations that came before it.
        try await until { rounds.withLock { $0 } > 0 }
        for index in 0..<count {
            try await run.tracker.append(.init(fix: try fix(Double(index), north: 0), isInBackground: false))
        }
        return muster
    }

    private func recordedCount() async throws -> Int {
        let muster = try await open()
        let count = try await muster.recentLocations(limit: 10_000).count
        try await muster.close()
        return count
    }

    @Test func `of two who close at once both wait until every location is recorded`() async throws {
        let muster = try await open(waiting: 3_000)
        async let first: Void = muster.close()
        async let second: Void = muster.close()
        _ = try await (first, second)
        try await muster.close()
        #expect(try await recordedCount() == 3_000)
    }

    @Test func `closing during a sign-out loses no location`() async throws {
        let muster = try await open(waiting: 3_000)
        // Closing may come first: then there is nothing to sign out of.
        let signOut = Task { try? await muster.signOut() }
        try await muster.close()
        await signOut.value
        #expect(try await recordedCount() == 3_000)
    }

    @Test func `on a full disk signing out and closing throw, and succeed once there is room`() async throws {
        let muster = try await open(waiting: 2_000)
        try await limit(muster.store, pages: 1)
        await #expect(throws: MusterError.deviceFull) { try await muster.signOut() }
        #expect(muster.session?.user == "ann")
        #expect(try keeper.loadCredentials() != nil)
        await #expect(throws: MusterError.deviceFull) { try await muster.close() }
        #expect(muster.session?.user == "ann")
        #expect(try await muster.recentLocations().isEmpty)
        try await limit(muster.store, pages: 1_000_000)
        try await muster.close()
        #expect(try await recordedCount() == 2_000)
    }

    @Test func `an error of the store says what it means`() {
        let error: any Error = LocalStoreError.full
        #expect(error.localizedDescription == "the disk of this device is full")
    }

    /// Lets the file grow to so many pages; SQLite takes fewer than there are for as many as there are.
    private func limit(_ store: LocalStore, pages: Int) async throws {
        try await store.file.write { try $0.database.execute(sql: "PRAGMA max_page_count = \(pages)") }
    }
}

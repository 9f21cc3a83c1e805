import Foundation
import GRDB
import MusterCore
import Synchronization
import Testing

@testable import MusterKit

/// A device whose disk is full.
@Suite struct FullDiskTests {
    @Test func `a location that a full disk refuses is recorded once there is room`() async throws {
        let path = temporaryPath()
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let store = try LocalStore(path: path)
        try await limit(store, pages: 1)
        let monitor = LocationMonitor()
        let tracker = LocationTracker(
            store: store, monitor: monitor, server: try LocalStore(path: nil), user: "ann", session: "s",
            pace: .restless)
        let fixes = try (0..<1_200).map { try fix(Double($0) * 20, north: Double($0) * 20) }
        let source = AsyncStream.makeStream(of: Position.self)
        for fix in fixes { source.continuation.yield(fix) }
        let events = tracker.events()
        async let run: Void = tracker.run()
        var recorded: [Position] = []
        var isFull = false
        for await event in events {
            switch event {
            case .started: Task { await monitor.run(StreamedLocations(source.stream)) }
            case .failed(.storeFull):
                isFull = true
                try await limit(store, pages: 1_000_000)
            case .recorded(let fix):
                recorded.append(fix)
                if recorded.count == fixes.count { source.continuation.finish() }
            default: break
            }
        }
        try await run
        #expect(isFull)
        #expect(recorded == fixes)
        #expect(try await store.count() == fixes.count)
    }

    @Test func `a disk that stays full ends the tracker with an error, and keeps what was recorded`() async throws {
        let path = temporaryPath()
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let store = try LocalStore(path: path)
        try await store.save(LocalStoreTests.Note(text: "before"))
        try await limit(store, pages: 1)
        await #expect(throws: LocalStoreError.full) {
            try await store.save(LocalStoreTests.Note(text: String(repeating: "x", count: 100_000)))
        }
        #expect(LocalStoreError.full.description == "the disk of this device is full")
        #expect(try await store.count() == 1)
    }

    /// Lets the file grow to so many pages; SQLite takes fewer than there are for as many as there are.
    private func limit(_ store: LocalStore, pages: Int) async throws {
        try await store.file.write { try $0.database.execute(sql: "PRAGMA max_page_count = \(pages)") }
    }
}

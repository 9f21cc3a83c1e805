import Dispatch
import Foundation
import MusterCore
import MusterDocuments
import MusterGeometry
import MusterReplication
import MusterStore
import MusterWire
import Testing

@testable import MusterCouchDB
@testable import MusterServer

/// Pages of locations: whoever reads page by page reads everything, and knows when that is all.
@Suite struct LocationPagesTests {
    private let scope = DatabaseScope.database(.locations(of: Town.ana))

    /// Ana's phone reported so often, and of these some were deleted by document.
    private func town(_ count: Int, deleting deleted: Set<Int>) async throws -> Town {
        let town = try await Town()
        for index in 0..<count { _ = try await town.coordinator.ingest([town.fix(46, at: Double(index))]) }
        let found = try await changes(town, limit: count)
        let deletions = deleted.sorted().map { index in
            DocumentEdit(
                id: found[index].id, body: .empty, isDeleted: true, place: .on(found[index].tree.winner?.revision))
        }
        _ = try await town.coordinator.write(deletions, to: database("lt_locations_user_ana", town))
        return town
    }

    private func database(_ name: String, _ town: Town) throws -> ResolvedDatabase {
        try #require(town.coordinator.directory.database(named: name))
    }

    private func home(_ name: String, _ town: Town) async throws -> StoredDatabaseHome {
        try await StoredDatabaseHome(
            database(name, town), by: Town.ana, town.coordinator, LogFeeds(coordinator: town.coordinator))
    }

    private func changes(
        _ town: Town, since: MusterCore.LogSequence = .zero, isDescending: Bool = false, limit: Int
    ) async throws -> [StoredDocument] {
        try await town.coordinator.readDocuments { [scope] in
            try $0.changes(in: scope, since: since, isDescending: isDescending, withBodies: false, limit: limit)
        }
    }

    @Test(arguments: [1, 3, 16, 100])
    func `a page is full while there is more, whatever was deleted`(limit: Int) async throws {
        let town = try await town(150, deleting: Set([2, 3, 4, 77]).union(20..<55))
        let all = try await changes(town, limit: 1_000)
        #expect(all.count == 150)
        var up: [StoredDocument] = []
        while true {
            let page = try await changes(town, since: up.last?.sequence ?? .zero, limit: limit)
            up += page
            if page.count < limit { break }
        }
        #expect(up == all)
        var down: [StoredDocument] = []
        while true {
            let next = down.last.map { MusterCore.LogSequence($0.sequence.rawValue - 1) }
            let since = next ?? town.store.lastSequence
            let page = try await changes(town, since: since, isDescending: true, limit: limit)
            down += page
            if page.count < limit { break }
        }
        #expect(down == all.reversed())
        try await town.coordinator.close()
    }

    @Test(arguments: ["lt_locations_user_ana", "lt_locations_all"])
    func `a snapshot is complete, also where positions were deleted`(name: String) async throws {
        let town = try await town(100, deleting: [5])
        var answer = SnapshotAnswer(try await home(name, town), since: .zero)
        var text = ""
        while !answer.isComplete {
            let (next, bytes) = try await town.coordinator.page(of: answer)
            answer = next
            text += String(decoding: bytes, as: UTF8.self)
        }
        let documents = text.split(separator: "\n").filter { $0.contains(#""_id":"#) }
        #expect(documents.count == 100)
        #expect(documents.count { $0.contains(#""_deleted":true"#) } == 1)
        try await town.coordinator.close()
    }

    @Test func `a partial id selects the range where the ids behind it begin, up and down`() async throws {
        let town = try await town(130, deleting: [64, 65])
        let all = try await town.coordinator.readDocuments { [scope] in
            try $0.documents(in: scope, DocumentRange(limit: 1_000)).map(\.id)
        }
        #expect(all.count == 128)
        for (index, id) in all.enumerated() where index % 31 == 3 {
            for (length, end) in [(10, ""), (20, ""), (30, ""), (32, "\u{FFF0}"), (33, "/"), (34, "5"), (70, "")] {
                let edge = String(id.prefix(length)) + end
                let above = all.filter { $0.utf8.elementsEqual(edge.utf8) || $0 > edge }
                for limit in [1, 40] {
                    let (up, down) = try await town.coordinator.readDocuments { [scope] reader in
                        var range = DocumentRange(limit: limit)
                        range.lower = edge
                        let up = try reader.documents(in: scope, range).map(\.id)
                        range = DocumentRange(isDescending: true, limit: limit)
                        range.upper = edge
                        return (up, try reader.documents(in: scope, range).map(\.id))
                    }
                    #expect(up == Array(above.prefix(limit)), "\(edge)")
                    let below = all.filter { $0 < edge || $0 == edge }
                    #expect(down == Array(below.reversed().prefix(limit)), "\(edge)")
                }
            }
        }
        try await town.coordinator.close()
    }

    @Test func `a device created while a read waited is in its result`() async throws {
        let town = try await Town()
        let gate = DispatchSemaphore(value: 0)
        let (busy, isBusy) = AsyncStream.makeStream(of: Void.self)
        // All threads that read are taken, and so the look waits.
        let readers = (0..<StoreCoordinator.readerCount).map { _ in
            Task {
                try await town.coordinator.read { _ in
                    isBusy.yield()
                    gate.wait()
                }
            }
        }
        var arrivals = busy.makeAsyncIterator()
        for _ in readers { await arrivals.next() }
        async let looked = changes(town, limit: 10)
        let tablet = try await town.coordinator.edit { _, draft in
            let device = Device(number: try draft.transaction.nextDeviceNumber(), name: "tablet", user: Town.ana)
            draft.edits = [.putDevice(device)]
            return device.number
        }
        guard case .position(let position, _) = town.fix(46, at: 1) else { return }
        _ = try await town.coordinator.ingest([.position(position, of: tablet)])
        for _ in readers { gate.signal() }
        #expect(try await looked.count == 1)
        for reader in readers { try await reader.value }
        try await town.coordinator.close()
    }

    @Test func `a replication at the end of the union sees the end, however much else was stored`() async throws {
        let town = try await town(3, deleting: [])
        #expect(try await town.coordinator.makeDatabase(named: "notes", by: nil))
        for start in stride(from: 0, to: 10_500, by: 1_500) {
            let edits = (start..<start + 1_500).map {
                DocumentEdit(id: "n\($0)", body: .empty, isDeleted: false, place: .on(nil))
            }
            _ = try await town.coordinator.write(edits, to: database("notes", town))
        }
        let peer = DocumentPeer(try await home("lt_locations_all", town))
        let page = try await peer.changes(ChangesRequest(since: .start, limit: 100))
        #expect(page.changes.count == 3)
        #expect(page.pending == 0)
        #expect(page.last == PeerSequence(town.store.lastSequence.rawValue))
        try await town.coordinator.close()
    }
}

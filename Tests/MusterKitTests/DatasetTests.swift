import Foundation
import MusterCore
import MusterKit
import MusterReplication
import MusterWire
import Testing

/// Datasets of two devices of one person, against a real server over a real socket.
@Suite struct DatasetTests {
    @Test func `device A changes a dataset, device B is notified of a larger count, and synchronizes`() async throws {
        try await RunningServer.run { server in
            let (deviceA, deviceB) = try await DatasetDevice.pair(at: server)
            let datasetOfA = try deviceA.muster.dataset("myDataset")
            try await datasetOfA.put("dark", for: "theme")
            try await datasetOfA.synchronize()

            // What a push tells, with the keys of the article.
            let payload: [AnyHashable: Any] = [
                "source": "cognito-sync", "identityPoolId": "eu-west-1:pool", "identityId": "eu-west-1:ann",
                "datasetName": "myDataset", "syncCount": 1,
            ]
            let update = try #require(Muster.PushUpdate(payload))
            #expect(update.source == "cognito-sync")
            #expect(update.identityPoolID == "eu-west-1:pool" && update.identityID == "eu-west-1:ann")
            let dataset = try deviceB.muster.dataset(update.datasetName)
            #expect(try await dataset.lastSyncCount < update.syncCount)
            try await dataset.synchronize()
            #expect(try await dataset.get("theme") == "dark")
            #expect(try await dataset.lastSyncCount == update.syncCount)

            // A push that comes twice, and the device's own change, need no synchronization.
            #expect(try await !(dataset.lastSyncCount < update.syncCount))
            #expect(try await datasetOfA.lastSyncCount == update.syncCount)
            try await deviceA.close()
            try await deviceB.close()
        }
    }

    @Test func `a change on one device is on the other at once, by the live feed`() async throws {
        try await RunningServer.run { server in
            let (deviceA, deviceB) = try await DatasetDevice.pair(at: server, followsDatasets: true)
            let (settingsA, settingsB) = (
                try deviceA.muster.dataset("settings"), try deviceB.muster.dataset("settings")
            )
            var records = settingsB.records.makeAsyncIterator()
            #expect(await records.next() == [])
            for value in ["dark", "light", "dark"] {
                try await settingsA.put(value, for: "theme")
                try await settingsA.synchronize()
                while let now = await records.next(), now.first?.value != value {}
                #expect(try await settingsB.get("theme") == value)
            }
            // What a device has not synchronized stays on it. The synchronization by which the feed told the last value
            // may not have ended yet. The device runs one after the other, so once this one has ended, nothing is sent.
            try await settingsB.synchronize()
            try await settingsB.put("7", for: "volume")
            #expect(try await settingsB.isUnsynchronized)
            try await settingsB.synchronize()
            try await until { try await settingsA.get("volume") == "7" }
            try await deviceA.close()
            try await deviceB.close()
            while await records.next() != nil {}
            await #expect(throws: MusterError.closed) { try await settingsB.put("8", for: "volume") }
        }
    }

    @Test func `a conflict is decided by the last writer, ties by the server's value, or as the app decides`()
        async throws
    {
        try await RunningServer.run { server in
            let (deviceA, deviceB) = try await DatasetDevice.pair(at: server)
            let (one, other) = (try deviceA.muster.dataset("d"), try deviceB.muster.dataset("d"))
            /// Both devices change a record, A first to synchronize.
            func bothPut(_ key: String, aheadSeconds: Double) async throws {
                deviceA.clock.set(1_000_000)
                deviceB.clock.set(1_000_000 + aheadSeconds)
                try await one.put("of A", for: key)
                try await other.put("of B", for: key)
                try await one.synchronize()
            }
            try await bothPut("later", aheadSeconds: 1)
            try await other.synchronize()
            #expect(try await other.get("later") == "of B")
            try await bothPut("earlier", aheadSeconds: -1)
            try await other.synchronize()
            #expect(try await other.get("earlier") == "of A")
            try await bothPut("tie", aheadSeconds: 0)
            try await other.synchronize()
            #expect(try await other.get("tie") == "of A")

            other.handlers.conflict = { conflict in
                #expect(conflict.dataset == "d" && conflict.key == "joined")
                return .value("\(conflict.remote.value ?? "") and \(conflict.local.value ?? "")")
            }
            try await bothPut("joined", aheadSeconds: 0)
            try await other.synchronize()
            try await one.synchronize()
            for dataset in [one, other] {
                #expect(try await dataset.all().map(\.value) == ["of A", "of A and of B", "of B", "of A"])
                #expect(try await !dataset.isUnsynchronized)
            }

            // A handler that synchronizes the dataset itself waits for nothing.
            other.handlers.conflict = { _ in
                await #expect(throws: Never.self) { try await other.synchronize() }
                return .local
            }
            try await bothPut("tie", aheadSeconds: 0)
            try await other.synchronize()
            try await one.synchronize()
            #expect(try await one.get("tie") == "of B")

            // Without a decision, nothing of the synchronization is stored on either side.
            other.handlers.conflict = { _ in nil }
            try await bothPut("open", aheadSeconds: 1)
            try await one.put("more", for: "more")
            try await one.synchronize()
            let before = try await other.lastSyncCount
            await #expect(throws: MusterError.conflict(dataset: "d", key: "open")) { try await other.synchronize() }
            #expect(try await other.lastSyncCount == before)
            #expect(try await other.get("open") == "of B")
            #expect(try await other.get("more") == nil)
            other.handlers = .init()
            try await other.synchronize()
            #expect(try await other.get("more") == "more")
            try await deviceA.close()
            try await deviceB.close()
        }
    }

    @Test func `removals are synchronized, also of records that another device removed first`() async throws {
        try await RunningServer.run { server in
            let (deviceA, deviceB) = try await DatasetDevice.pair(at: server)
            let (one, other) = (try deviceA.muster.dataset("d"), try deviceB.muster.dataset("d"))
            for key in ["a", "b", "é", "e\u{301}", "with\u{0}zero"] { try await one.put("1", for: key) }
            try await one.synchronize()
            try await other.synchronize()
            #expect(try await other.all().count == 5)
            for key in ["a", "é"] { try await one.remove(key) }
            try await other.remove("a")
            try await one.synchronize()
            try await other.synchronize()
            #expect(
                try await other.all().map(\.key).map(ExactText.init)
                    == ["b", "e\u{301}", "with\u{0}zero"].map(ExactText.init))
            // A removed key may be used again.
            try await other.put("2", for: "a")
            try await other.synchronize()
            try await one.synchronize()
            #expect(try await one.get("a") == "2")
            try await deviceA.close()
            try await deviceB.close()
        }
    }

    @Test func `a dataset deleted on one device is deleted on the other, or created again by it`() async throws {
        try await RunningServer.run { server in
            let (deviceA, deviceB) = try await DatasetDevice.pair(at: server)
            for (name, isKept, isCreatedAgain) in [
                ("gone", false, false), ("kept", true, false), ("again", false, true), ("both", true, true),
            ] {
                let (one, other) = (try deviceA.muster.dataset(name), try deviceB.muster.dataset(name))
                try await one.put("1", for: "k")
                try await one.synchronize()
                try await other.synchronize()
                try await one.delete()
                #expect(try await one.all().isEmpty)
                try await one.synchronize()
                if isCreatedAgain {
                    try await one.put("2", for: "new")
                    try await one.synchronize()
                }
                other.handlers.deleted = { deleted in
                    #expect(deleted == name)
                    return isKept
                }
                try await other.put("3", for: "mine")
                try await other.synchronize()
                let expected = (isKept ? ["k", "mine"] : []) + (isCreatedAgain ? ["new"] : [])
                #expect(try await other.all().map(\.key) == expected, "\(name)")
                try await one.synchronize()
                #expect(try await one.all().map(\.key) == expected, "\(name)")
                #expect(try await one.lastSyncCount == other.lastSyncCount, "\(name)")
            }
            // Deleting what the server never had is no failure, and neither is what is deleted on both sides.
            for _ in 0..<2 {
                let never = try deviceA.muster.dataset("never")
                try await never.put("1", for: "k")
                try await never.delete()
                try await never.synchronize()
                #expect(try await !never.isUnsynchronized)
            }
            #expect(try await deviceA.muster.datasetNames() == ["again", "both", "kept"])
            try await deviceA.close()
            try await deviceB.close()
        }
    }

    @Test func `edits without a network survive a store that is opened again, sealed or not`() async throws {
        try await RunningServer.run { server in
            let network = PickyNetwork(to: server)
            try await network.run { address in
                _ = try await server.member("ann", of: nil)
                for key in [nil, Data(repeating: 7, count: 32)] {
                    let device = try await DatasetDevice(server, at: address, key: key)
                    let settings = try device.muster.dataset("settings")
                    try await settings.put("kept secret", for: "theme")
                    try await settings.synchronize()
                    network.decide { _ in .isAnswered(status: 503, body: "") }
                    try await settings.put("changed offline", for: "theme")
                    try await settings.put("soon gone", for: "other")
                    try await settings.remove("other")
                    await #expect {
                        try await settings.synchronize()
                    } throws: { if case MusterError.away = $0 { true } else { false } }
                    try await device.close()
                    let bytes = try device.storedBytes()
                    #expect(bytes.contains("changed offline") == (key == nil))

                    try await device.reopen()
                    let again = try device.muster.dataset("settings")
                    #expect(try await again.get("theme") == "changed offline")
                    #expect(try await again.all().map(\.key) == ["theme"])
                    #expect(try await again.isUnsynchronized)
                    network.decide { _ in .passes }
                    try await again.synchronize()
                    let stored = try await device.ask("datasets/settings")
                    let values = stored["records"]?.elements?.map { $0["value"]?.string }
                    #expect(values?.contains("changed offline") == true)
                    #expect(try await !again.isUnsynchronized)
                    try await again.delete()
                    try await again.synchronize()
                    try await device.close()
                }
            }
        }
    }

    @Test func `a device that always finds another one ahead gives up after five attempts`() async throws {
        try await DatasetDevice.run { device, network in
            let settings = try device.muster.dataset("settings")
            try await settings.put("1", for: "k")
            let refused = Counter()
            network.decide { request in
                guard request.hasPrefix("PATCH") else { return .passes }
                refused.add()
                return .isAnswered(status: 409, body: #"{"type":"urn:muster:problem:conflict"}"#)
            }
            await #expect(throws: MusterError.datasetContended(name: "settings")) {
                try await settings.synchronize()
            }
            #expect(refused.count == 5)
            #expect(try await settings.isUnsynchronized)
            network.decide { _ in .passes }
            try await settings.synchronize()
            #expect(try await settings.lastSyncCount == 1)

            // What is over a limit is no conflict, and is refused at once.
            for number in 0..<1_025 { try await settings.put("v", for: "k\(number)") }
            await #expect {
                try await settings.synchronize()
            } throws: { error in
                guard case MusterError.datasetRefused("settings", let reason) = error else { return false }
                return reason.contains("1024 records")
            }
        }
    }

    @Test func `records that the server added to an update arrive with its answer`() async throws {
        try await DatasetDevice.run { device, network in
            let settings = try device.muster.dataset("settings")
            try await settings.put("1", for: "mine")
            let record = #""syncCount":1,"deviceModifiedAt":"2026-01-01T00:00:00Z"}"#
            network.decide { request in
                guard request.hasPrefix("PATCH") else { return .passes }
                return .isAnswered(
                    status: 200,
                    body: #"{"syncCount":1,"records":[{"key":"mine","value":"changed",\#(record),"#
                        + #"{"key":"added","value":"2",\#(record)]}"#)
            }
            try await settings.synchronize()
            #expect(try await settings.all().map(\.value) == ["2", "changed"])
            #expect(try await settings.lastSyncCount == 1)
            #expect(try await !settings.isUnsynchronized)
        }
    }

    @Test func `a record that the server's sync trigger drops waits for the next synchronization`() async throws {
        try await DatasetDevice.run { device, network in
            let updates = Counter()
            network.decide { request in
                guard request.hasPrefix("PATCH /api/v1/datasets/settings") else { return .passes }
                updates.add()
                guard updates.count == 1 else { return .passes }
                return .isAnswered(status: 200, body: #"{"syncCount":0,"records":[]}"#)
            }
            let settings = try device.muster.dataset("settings")
            try await settings.put("dark", for: "theme")
            try await settings.synchronize()
            #expect(updates.count == 1)
            #expect(try await settings.isUnsynchronized)
            try await settings.synchronize()
            #expect(updates.count == 2)
            #expect(try await !settings.isUnsynchronized)
            #expect(try await settings.lastSyncCount == 1)
        }
    }

    @Test func `a guest's datasets are given to the handler at sign-in, and deleted after it took them`() async throws {
        try await RunningServer.run { server in
            let guest = try await AmazonGuest(of: "north", at: server)
            try await guest.put("light", for: "theme", in: "settings")
            _ = try await server.member("ann", of: "north")
            let device = try await DatasetDevice(server)
            let settings = try device.muster.dataset("settings")
            let told = Counter()
            settings.handlers.merged = { name, merged in
                #expect(name == "settings" && merged == ["settings.\(guest.identity)"])
                told.add()
            }
            try await settings.put("dark", for: "theme")
            try await settings.synchronize()
            #expect(told.count == 0)
            try await guest.signIn(as: "ann", password: RunningServer.memberPassword)
            for time in 1...2 {
                try await settings.synchronize()
                #expect(told.count == time, "told until somebody deletes it")
            }
            #expect(try await settings.get("theme") == "dark")
            let merged = try device.muster.dataset("settings.\(guest.identity)")
            try await merged.synchronize()
            #expect(try await merged.get("theme") == "light")
            try await merged.delete()
            try await merged.synchronize()
            try await settings.synchronize()
            #expect(told.count == 2)
            try await device.close()
        }
    }

    @Test func `invalid records and datasets are errors, and so is a device that is signed out`() async throws {
        try await RunningServer.run { server in
            _ = try await server.member("ann", of: nil)
            let device = try await DatasetDevice(server)
            for name in ["", "with space", "ü", String(repeating: "n", count: 129)] {
                #expect {
                    try device.muster.dataset(name)
                } throws: { if case MusterError.illegalRecord = $0 { true } else { false } }
            }
            let settings = try device.muster.dataset("settings")
            for (key, value) in [
                ("", "v"), (String(repeating: "k", count: 1_025), "v"), ("k", String(repeating: "v", count: 1_048_576)),
            ] {
                await #expect {
                    try await settings.put(value, for: key)
                } throws: { if case MusterError.illegalRecord = $0 { true } else { false } }
            }
            #expect(try await settings.all().isEmpty)
            try await device.muster.signOut()
            try await settings.put("still kept", for: "k")
            await #expect(throws: MusterError.signedOut) { try await settings.synchronize() }
            #expect(try await settings.get("k") == "still kept")
            try await device.close()
        }
    }

    @Test func `another account of the same name receives the whole datasets, regardless of the first one's counts`()
        async throws
    {
        try await RunningServer.run { server in
            _ = try await server.member("ann", of: nil)
            let device = try await DatasetDevice(server)
            let settings = try device.muster.dataset("settings")
            for number in 0..<3 {
                try await settings.put("\(number)", for: "k")
                try await settings.synchronize()
            }
            // One that was deleted, and one that was deleted and used again, both unknown to the server.
            let (gone, reused) = (try device.muster.dataset("gone"), try device.muster.dataset("reused"))
            for dataset in [gone, reused] {
                try await dataset.put("old", for: "k")
                try await dataset.synchronize()
                try await dataset.delete()
            }
            try await reused.put("new", for: "k")
            try await server.ask("DELETE", "users/ann")
            _ = try await server.member("ann", of: nil)
            try await device.muster.signIn(
                user: "ann", password: RunningServer.memberPassword, allowingAccountChange: true)
            try await settings.synchronize()
            #expect(try await device.ask("datasets/settings")["records"]?.elements?.first?["value"]?.string == "2")
            #expect(try await settings.lastSyncCount == 1)
            try await reused.synchronize()
            #expect(try await device.ask("datasets/reused")["records"]?.elements?.first?["value"]?.string == "new")
            #expect(try await device.muster.datasetNames() == ["reused", "settings"])
            try await device.close()
        }
    }
}

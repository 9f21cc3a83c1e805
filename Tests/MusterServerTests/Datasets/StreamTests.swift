import Logging
import MusterCore
import MusterHTTP
import MusterStore
import MusterTestSupport
import MusterWire
import Testing

@testable import MusterServer

/// Cognito streams: which updates go to which target, and how all datasets of a pool do.
@Suite struct StreamTests {
    private static func update(
        _ name: String, of owner: UserNumber, _ values: [String: String?], counts: [String: Int64] = [:]
    ) -> DatasetUpdate {
        DatasetUpdate(
            owner: owner, name: name,
            order: .patch(
                values.sorted { $0.key < $1.key }.map {
                    DatasetPatch(key: $0.key, value: $0.value, syncCount: counts[$0.key] ?? 0)
                }), author: "test")
    }

    /// The bodies of the deliveries that wait, in order.
    private static func waiting(_ office: Office) throws -> [JSONValue] {
        let numbers = try office.store.pendingDeliveries(after: .zero, limit: 1_000).map(\.number)
        return try office.store.deliveries(numbers).map { try JSONValue(parsing: $0.content.body) }
    }

    /// Sets the stream of north's pool.
    private static func setStream(_ status: String?, in office: Office) async throws {
        let north = try #require(office.coordinator.directory.teams["north"]).number
        try await office.coordinator.edit(by: nil) { _, draft in
            var settings = try draft.transaction.settings(ofPool: north)
            settings.configuration = status.map {
                #"{"CognitoStreams":{"StreamName":"hook","StreamingStatus":"\#($0)"}}"#
            }
            try draft.transaction.put(settings, ofPool: north)
        }
    }

    private static func addTarget(_ kind: Target.Kind = .webhook, to office: Office) async throws {
        try await office.coordinator.edit(by: nil) { _, draft in
            let number = try draft.transaction.nextTargetNumber()
            draft.edits.append(.putTarget(Target(number: number, name: "hook", kind: kind)))
        }
    }

    @Test func `an update goes to its pool's stream while that is enabled, and no other does`() async throws {
        let office = try await Office()
        let (mia, sue) = (try office.user("mia").number, try office.user("sue").number)
        func count() throws -> Int { office.store.pendingDeliveryCount }
        try await Self.setStream("ENABLED", in: office)
        _ = try await office.coordinator.updateDataset(Self.update("a", of: mia, ["k": "1"]))
        #expect(try count() == 0, "there is no such target")
        try await Self.addTarget(to: office)
        _ = try await office.coordinator.updateDataset(Self.update("a", of: mia, ["k": "2"], counts: ["k": 1]))
        _ = try await office.coordinator.updateDataset(Self.update("a", of: sue, ["k": "1"]))
        #expect(try count() == 1)
        let told = try #require(try Self.waiting(office).first)
        #expect(told["identityId"]?.string == office.coordinator.origin.text(of: .identity(mia)))
        #expect(told["syncCount"]?.number == 2 && told["payloadType"]?.string == "Inline")
        #expect(told["kinesisSyncRecords"]?.elements?.first?["value"]?.string == "2")
        for status in ["DISABLED", nil] {
            try await Self.setStream(status, in: office)
            _ = try await office.coordinator.updateDataset(Self.update("b\(status ?? "")", of: mia, ["k": "1"]))
        }
        #expect(try count() == 1)
        // A refused update is not sent to the stream.
        try await Self.setStream("ENABLED", in: office)
        await #expect(throws: DatasetError.self) {
            try await office.coordinator.updateDataset(Self.update("a", of: mia, ["k": "3"]))
        }
        #expect(try count() == 1)
        _ = try await office.coordinator.updateDataset(
            DatasetUpdate(owner: mia, name: "a", order: .delete, author: "test"))
        let last = try #require(try Self.waiting(office).last)
        #expect(last["operation"]?.string == "remove" && last["kinesisSyncRecords"]?.elements?.isEmpty == true)
        try await office.coordinator.close()
    }

    @Test func `an update too large to send is sent as a reference, where the server has an address`() async throws {
        let office = try await Office()
        let mia = try office.user("mia").number
        try await Self.addTarget(to: office)
        try await Self.setStream("ENABLED", in: office)
        let big = String(repeating: "\n", count: 600_000)
        let vault = office.identity.vault
        office.coordinator.setAddressesOfRecords { _ in nil }
        _ = try await office.coordinator.updateDataset(Self.update("a", of: mia, ["k": big]))
        office.coordinator.setAddressesOfRecords { "https://muster.example/\($0.token(sealedBy: vault))" }
        _ = try await office.coordinator.updateDataset(Self.update("b", of: mia, ["k": big]))
        let told = try Self.waiting(office)
        #expect(told[0]["payloadType"]?.string == "Inline")
        #expect(told[1]["payloadType"]?.string == "S3Url" && told[1]["kinesisSyncRecords"] == nil)
        let token = try #require(told[1]["kinesisSyncRecordsURL"]?.string?.split(separator: "/").last)
        let found = try #require(StreamReference(token: String(token), openedBy: vault))
        #expect(found.owner == mia && found.dataset == "b" && found.since == 0 && found.through == 1)
        #expect(found.expiresAt == office.clock.now.advanced(bySeconds: StreamReference.seconds))
        #expect(StreamReference(token: String(token), openedBy: SecretVault()) == nil)
        // Another sign in the middle: at the end, some of a sign's bits count for nothing.
        var forged = Array(token)
        forged[forged.count / 2] = forged[forged.count / 2] == "A" ? "B" : "A"
        #expect(StreamReference(token: String(forged), openedBy: vault) == nil)
        try await office.coordinator.close()
    }

    @Test func `a bulk publish sends every dataset once, a slice at a time, and says when it is done`() async throws {
        let office = try await Office()
        let coordinator = office.coordinator
        try await Self.addTarget(to: office)
        for user in ["mia", "max", "lena", "sue"] {
            for number in 0..<DatasetLimits.datasets {
                let owner = try office.user(user).number
                _ = try await coordinator.updateDataset(Self.update("d\(number)", of: owner, ["k": "1"]))
            }
        }
        let guest = try await office.guest(of: "north").id
        _ = try await coordinator.updateDataset(Self.update("own", of: UserNumber(0), ["k": "1"]), of: guest)
        let publisher = Self.publisher(of: office)
        let north = guest.pool
        let author = Author(user: try office.user("admin").number)
        await #expect(throws: BulkPublisher.Refusal.noStream) { try await publisher.begin(pool: north, by: author) }
        try await Self.setStream("ENABLED", in: office)
        try await publisher.begin(pool: north, by: author)
        await #expect(throws: BulkPublisher.Refusal.isUnderWay) { try await publisher.begin(pool: north, by: author) }
        var slices: [Int] = []
        while let publish = try office.store.bulkPublish(ofPool: north), publish.state == .underWay {
            let before = office.store.pendingDeliveryCount
            // Each round uses a new publisher, as after a restart: it continues a bulk publish that is under way.
            try await Self.publisher(of: office).publishSlice(of: north)
            slices.append(office.store.pendingDeliveryCount - before)
            try #require(slices.count < 10)
        }
        let most = BulkPublisher.slice.datasets
        #expect(slices == [most, 3 * DatasetLimits.datasets + 1 - most])
        let sent = try Self.waiting(office).map {
            "\($0["identityId"]?.string ?? "") \($0["dataSetName"]?.string ?? "")"
        }
        #expect(Set(sent).count == sent.count)
        #expect(sent.last == "\(coordinator.origin.text(of: guest)) own")
        #expect(try office.store.bulkPublish(ofPool: north)?.state == .succeeded)
        await #expect(throws: BulkPublisher.Refusal.wasDone) { try await publisher.begin(pool: north, by: author) }
        office.clock.advance(bySeconds: BulkPublisher.againSeconds)
        try await publisher.begin(pool: north, by: author)
        try await Self.setStream("DISABLED", in: office)
        try await publisher.publishSlice(of: north)
        let failed = try #require(try office.store.bulkPublish(ofPool: north))
        #expect(failed.state == .failed && failed.failure?.contains("hook") == true)
        #expect(try office.store.bulkPublishesUnderWay().isEmpty)
        try await coordinator.close()
    }

    private static func publisher(of office: Office) -> BulkPublisher {
        BulkPublisher(coordinator: office.coordinator, dispatcher: office.dispatcher) { _ in nil }
    }
}

import MusterCoding
package import MusterCore
package import MusterStore
package import MusterWire

/// The target that an identity pool's updates of datasets go to: a Cognito stream.
package struct DatasetStream: Hashable, Sendable {
    /// The name of the target.
    package let name: String
    /// Whether updates are sent.
    package let isEnabled: Bool

    /// Reads the stream of a pool's settings; nil where none is set.
    package init?(_ settings: PoolSettings) {
        guard let text = settings.configuration,
            let value = try? Array(text.utf8).withUnsafeBytes({ try JSONValue(parsing: $0) }),
            let stream = value["CognitoStreams"], let name = stream["StreamName"]?.string
        else { return nil }
        self.name = name
        isEnabled = stream["StreamingStatus"]?.string == "ENABLED"
    }

    /// The target with this name; nil where there is none, or it is not a webhook.
    package func target(in directory: Directory) -> Target? {
        guard let target = directory.targets[name], target.kind == .webhook else { return nil }
        return target
    }

    /// The largest body with the records in it, in bytes. A larger body has the address of the records instead, where
    /// the server knows its own address.
    package static let inlineLimit = RuleBook.bodyLimit

    /// Makes the delivery of a record.
    ///
    /// - Parameters:
    ///   - owner: the owner of the dataset. Deliveries about a guest are sent in any order.
    ///   - event: the event's id, by which a receiver recognizes a delivery that is repeated.
    ///   - refer: returns the address of the records; nil where the server has no address to give.
    package static func delivery(
        of record: StreamRecord, to target: TargetNumber, owner: UserNumber, event: String, at moment: Instant,
        refer: () -> String?
    ) -> NewDelivery {
        var body = record.inline
        if body.count > inlineLimit, let address = refer() { body = record.referring(to: address) }
        return NewDelivery(
            target: target, subject: owner.rawValue > 0 ? .user(owner) : .nobody, rule: "cognito-stream", event: event,
            body: body, createdAt: moment)
    }
}

/// Where the records of a large update are read: the part of a dataset above one sync count and up to another.
package struct StreamReference: Hashable, Sendable {
    package var owner: UserNumber
    package var dataset: String
    package var since: Int64
    package var through: Int64
    package var expiresAt: Instant

    /// How long an address is valid, in seconds: a week. By default a delivery is tried for a day
    /// (`DeliveryPolicy.lifetimeSeconds`), and its dead letter may be redriven later.
    package static let seconds: Double = 7 * 86_400
    private static let purpose = "stream records"

    package init(owner: UserNumber, dataset: String, since: Int64, through: Int64, expiresAt: Instant) {
        self.owner = owner
        self.dataset = dataset
        self.since = since
        self.through = through
        self.expiresAt = expiresAt
    }

    /// The reference as a part of an address. Anyone who has it may read these records; it reveals nothing else.
    package func token(sealedBy vault: SecretVault) -> String {
        let numbers = [Int64(owner.rawValue), since, through, expiresAt.milliseconds]
        let bytes = numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
        return Base64.encodeUnpadded(vault.seal(bytes + Array(dataset.utf8), for: Self.purpose), .forURLs)
    }

    /// Reads a token; nil for any other text.
    package init?(token: String, openedBy vault: SecretVault) {
        guard token.utf8.count < 1_000, let sealed = Base64.decodeUnpadded(token, .forURLs),
            let bytes = try? vault.open(sealed, for: Self.purpose), bytes.count > 32,
            let dataset = String(validating: bytes.dropFirst(32), as: UTF8.self)
        else { return nil }
        let numbers = (0..<4).map { part in bytes[8 * part..<8 * part + 8].reduce(Int64(0)) { $0 << 8 | Int64($1) } }
        self.init(
            owner: UserNumber(Int32(truncatingIfNeeded: numbers[0])), dataset: dataset, since: numbers[1],
            through: numbers[2], expiresAt: Instant(milliseconds: numbers[3]))
    }
}

/// The streams of identity pools, for the writer, which sends each update in the transaction that stores it.
///
/// Only the writer's thread uses it.
final class DatasetStreams {
    private let origin: EventOrigin
    private let directory: () -> Directory
    private let refer: @Sendable (StreamReference) -> String?
    /// The streams of the pools that were asked for since the last edit.
    private var known: [TeamNumber?: DatasetStream?] = [:]

    init(
        origin: EventOrigin, directory: @escaping () -> Directory,
        refer: @escaping @Sendable (StreamReference) -> String? = { _ in nil }
    ) {
        self.origin = origin
        self.directory = directory
        self.refer = refer
    }

    /// Reads settings anew from now on. Call this after an edit.
    func forgetSettings() { known.removeAll() }

    /// Sends the records that an update changed to the stream of the pool of the dataset's owner.
    ///
    /// - Parameter guest: the guest whose dataset it is; nil for a user's.
    func send(
        _ decision: DatasetDecision, of guest: GuestID?, at sequence: MusterCore.LogSequence, _ moment: Instant,
        in transaction: any StoreTransaction
    ) throws {
        let (owner, directory) = (decision.dataset.owner, directory())
        let pool = guest.map(\.pool) ?? directory.users[owner]?.team
        guard let target = try target(of: pool, in: transaction) else { return }
        let record = StreamRecord(
            pool: origin.text(of: .pool(pool)),
            identity: guest.map { origin.text(of: $0) } ?? origin.text(of: .identity(owner)),
            dataset: decision.dataset, records: decision.records)
        let count = decision.dataset.syncCount
        try transaction.put(
            DatasetStream.delivery(
                of: record, to: target, owner: owner, event: origin.id(of: sequence, at: moment), at: moment
            ) {
                refer(
                    StreamReference(
                        owner: owner, dataset: record.dataset, since: count - 1, through: count,
                        expiresAt: moment.advanced(bySeconds: StreamReference.seconds)))
            })
    }

    /// Returns the target that a pool's updates are sent to; nil where they are sent to none.
    func target(of pool: TeamNumber?, in transaction: any StoreTransaction) throws -> TargetNumber? {
        guard let stream = try stream(of: pool, in: transaction), stream.isEnabled else { return nil }
        return stream.target(in: directory())?.number
    }

    private func stream(of pool: TeamNumber?, in transaction: any StoreTransaction) throws -> DatasetStream? {
        if let known = known[pool] { return known }
        let stream = DatasetStream(try transaction.settings(ofPool: pool))
        known[pool] = .some(stream)
        return stream
    }
}

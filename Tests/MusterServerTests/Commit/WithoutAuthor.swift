import MusterCore
import MusterDocuments
import MusterStore

@testable import MusterServer

/// What tests do by nobody's hand, as the server does what it does by itself.
extension StoreCoordinator {
    func edit<Success: Sendable>(
        _ body: @escaping @Sendable (Directory, inout Draft) throws -> Success
    ) async throws -> Success {
        try await edit(by: nil, body)
    }

    func ingest(_ observations: [Observation]) async throws -> Receipt {
        try await ingest(observations, by: nil)
    }

    func write(_ edits: [DocumentEdit], to database: ResolvedDatabase) async throws -> [EditOutcome] {
        try await write(edits, to: database, by: nil)
    }

    func withDecision<Success: Sendable>(
        _ body: @escaping @Sendable (Engine, any StoreTransaction, inout Decision, Instant) throws -> Success
    ) async throws -> Success {
        try await withDecision(by: nil, body)
    }

    func post(_ events: [PostedEvent]) async throws -> [LoggedChange] { try await post(events, by: nil) }
}

extension Identity {
    func makeKey(label: String, for user: UserNumber) async throws -> (key: APIKey, secret: String) {
        try await makeKey(label: label, for: user, by: nil)
    }

    func makeAmazonKey(
        label: String, for user: UserNumber, lastingSeconds seconds: Double? = nil
    ) async throws -> AmazonKey {
        try await makeAmazonKey(label: label, for: user, lastingSeconds: seconds, by: nil)
    }

    /// A token that the device's own user made, or, of a user who may make none, the first admin.
    func makeDeviceToken(for device: DeviceNumber) async throws -> String {
        let directory = coordinator.directory
        guard let owner = directory.devices[device]?.user else { throw IdentityError.unknown }
        let maker =
            directory.letsToken(madeBy: owner, standForDevicesOf: owner)
            ? owner : directory.users.all.first { $0.role == .admin }?.number
        guard let maker else { throw IdentityError.unknown }
        return try await makeDeviceToken(for: device, by: Author(user: maker))
    }
}

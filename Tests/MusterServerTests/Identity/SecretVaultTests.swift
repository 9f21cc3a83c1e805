import Foundation
import MusterCore
import MusterDocuments
import MusterStore
import MusterTestSupport
import MusterWire
import Testing

@testable import MusterServer

@Suite struct SecretVaultTests {
    /// A fresh folder, removed again.
    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "muster-vault-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.path)
    }

    private let now = Instant(seconds: 1_700_000_000)

    @Test func `a secret opens for the purpose it was sealed for and for no other`() throws {
        let vault = SecretVault()
        let sealed = vault.seal(Array("secret".utf8), for: "one")
        #expect(try vault.open(sealed, for: "one") == Array("secret".utf8))
        #expect(vault.seal(Array("secret".utf8), for: "one") != sealed)
        #expect(throws: SecretVaultError.sealedOtherwise) { try vault.open(sealed, for: "two") }
        #expect(throws: SecretVaultError.sealedOtherwise) { try SecretVault().open(sealed, for: "one") }
        #expect(throws: SecretVaultError.sealedOtherwise) { try vault.open([], for: "one") }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: SecretVaultError.sealedOtherwise) { try vault.open(changed, for: "one") }
        }
    }

    @Test func `the key lies in a file for its owner alone and is found again`() async throws {
        try await withFolder { folder in
            let now = now
            let coordinator = try StoreCoordinator(store: MemoryStore(), now: { now })
            let vault = try await SecretVault.open(in: folder, of: coordinator, now: now)
            let sealed = vault.seal([1, 2, 3], for: "it")
            let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/secrets.key")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(attributes[.size] as? Int == 32)
            let again = try await SecretVault.open(in: folder, of: coordinator, now: now)
            #expect(try again.open(sealed, for: "it") == [1, 2, 3])
            try await coordinator.close()
        }
    }

    @Test func `a database that knows no key takes the one that lies there and leaves it as it is`() async throws {
        try await withFolder { folder in
            let now = now
            let newer = try StoreCoordinator(store: MemoryStore(), now: { now })
            let sealed = try await SecretVault.open(in: folder, of: newer, now: now).seal([1], for: "it")
            let older = try StoreCoordinator(store: MemoryStore(), now: { now })
            #expect(try await SecretVault.open(in: folder, of: older, now: now).open(sealed, for: "it") == [1])
            #expect(try await SecretVault.open(in: folder, of: newer, now: now).open(sealed, for: "it") == [1])
            try await newer.close()
            try await older.close()
        }
    }

    @Test func `a database in which nothing is sealed goes on without its key`() async throws {
        try await withFolder { folder in
            let now = now
            let coordinator = try StoreCoordinator(store: MemoryStore(), now: { now })
            _ = try await SecretVault.open(in: folder, of: coordinator, now: now)
            try FileManager.default.removeItem(atPath: folder + "/secrets.key")
            let sealed = try await SecretVault.open(in: folder, of: coordinator, now: now).seal([1], for: "it")
            #expect(try await SecretVault.open(in: folder, of: coordinator, now: now).open(sealed, for: "it") == [1])
            try await coordinator.close()
        }
    }

    @Test(arguments: [Credential.Kind.awsKey, .userPoolKey])
    func `a missing or wrong secrets key is reported at the start, and may be renewed`(
        _ kind: Credential.Kind
    ) async throws {
        try await withFolder { folder in
            let now = now
            let coordinator = try StoreCoordinator(store: MemoryStore(), now: { now })
            let sealed = try await SecretVault.open(in: folder, of: coordinator, now: now).seal([1], for: "it")
            try await coordinator.edit { _, draft in
                draft.credentials.append(Credential(kind: kind, key: [1], secret: sealed, createdAt: now))
            }
            let path = folder + "/secrets.key"
            try FileManager.default.removeItem(atPath: path)
            await #expect(throws: SecretVaultError.missingKey(path: path)) {
                try await SecretVault.open(in: folder, of: coordinator, now: now)
            }
            try Data(repeating: 7, count: 32).write(to: URL(filePath: path))
            await #expect(throws: SecretVaultError.wrongKey(path: path)) {
                try await SecretVault.open(in: folder, of: coordinator, now: now)
            }
            let renewed = try await SecretVault.open(in: folder, of: coordinator, isRenewed: true, now: now)
            #expect(throws: SecretVaultError.sealedOtherwise) { try renewed.open(sealed, for: "it") }
            let later = try await SecretVault.open(in: folder, of: coordinator, now: now)
            #expect(try later.open(renewed.seal([2], for: "it"), for: "it") == [2])
            try await coordinator.close()
        }
    }

    @Test func `a database with stored replications does not go on without its key`() async throws {
        try await withFolder { folder in
            let now = now
            let coordinator = try StoreCoordinator(store: MemoryStore(), now: { now })
            _ = try await SecretVault.open(in: folder, of: coordinator, now: now)
            #expect(try await coordinator.makeDatabase(named: DatabaseName.replicator, by: nil))
            let database = try #require(coordinator.directory.database(named: DatabaseName.replicator))
            let body = DocumentBody(json: Array(#"{"source":"a","target":"b"}"#.utf8))
            _ = try await coordinator.write(
                [DocumentEdit(id: "r", body: body, isDeleted: false, place: .on(nil))], to: database, by: nil)
            let path = folder + "/secrets.key"
            try FileManager.default.removeItem(atPath: path)
            await #expect(throws: SecretVaultError.missingKey(path: path)) {
                try await SecretVault.open(in: folder, of: coordinator, now: now)
            }
            try await coordinator.close()
        }
    }
}

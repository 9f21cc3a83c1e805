import Crypto
import Foundation
package import MusterCore
import MusterDocuments
import MusterStore
import MusterWire

/// Seals the secrets that the server needs in clear again: those of AWS keys, of targets and of replications. Uses
/// AES-GCM with one key of 256 bits, which lies beside the database in a file of its own, `secrets.key`.
///
/// A sealed secret opens only for the purpose it was sealed for, so a stored secret is useless anywhere else. A copy of
/// the database without the key reveals no sealed secret.
package struct SecretVault: Sendable {
    private let key: SymmetricKey

    /// The name of the key file in the data folder.
    package static let fileName = "secrets.key"
    private static let keyBytes = 32

    /// Makes a vault with a random key that is never stored, for secrets that end with the process.
    package init() { key = SymmetricKey(size: .bits256) }

    private init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

    /// Seals a secret.
    ///
    /// - Parameter purpose: the kind of secret and its owner; `open` must receive the same.
    /// - Returns: nonce, ciphertext and tag; 28 bytes more than the secret.
    package func seal(_ secret: [UInt8], for purpose: String) -> [UInt8] {
        do {
            let box = try AES.GCM.seal(secret, using: key, authenticating: Array(purpose.utf8))
            guard let sealed = box.combined else { preconditionFailure("a nonce of 12 bytes combines") }
            return Array(sealed)
        } catch {
            preconditionFailure("AES-GCM seals whatever fits into memory: \(error)")
        }
    }

    /// Returns the mark of a text: 32 bytes (HMAC-SHA256) that are always the same for the text and the purpose, and
    /// that only the holder of the key can compute.
    package func mark(of text: String, for purpose: String) -> [UInt8] {
        let own = HMAC<SHA256>.authenticationCode(for: Array("mark: \(purpose)".utf8), using: key)
        return Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: Array(own))))
    }

    /// Opens a sealed secret.
    ///
    /// - Throws: `SecretVaultError.sealedOtherwise` when it was sealed with another key or for another purpose, or has
    ///   been changed.
    package func open(_ sealed: [UInt8], for purpose: String) throws(SecretVaultError) -> [UInt8] {
        do {
            let box = try AES.GCM.SealedBox(combined: sealed)
            return Array(try AES.GCM.open(box, using: key, authenticating: Array(purpose.utf8)))
        } catch {
            throw .sealedOtherwise
        }
    }
}

// MARK: The file

extension SecretVault {
    /// Opens a data folder's vault, and makes its key at the first start.
    ///
    /// The database holds a mark that was sealed with the key. So a missing or wrong key is noticed here, and not when
    /// the first secret is needed. Where the database holds no AWS keys, targets, replications, user pool key,
    /// certificate authority, push devices or guests, it can be opened without its key.
    ///
    /// - Parameters:
    ///   - isRenewed: whether to continue with a new key where the one that the database knows is lost. Secrets sealed
    ///     with the lost key can never be opened again.
    /// - Throws: `SecretVaultError`; `CoordinatorError` and `StoreError` when the mark can be neither read nor written.
    package static func open(
        in directory: String, of coordinator: StoreCoordinator, isRenewed: Bool = false, now: Instant
    ) async throws -> SecretVault {
        let replications = try await countReplications(of: coordinator)
        let (mark, isNeeded) = try await coordinator.read { store in
            let secrets = try store.credentials(.awsKey).count + store.credentials(.targetSecret).count
            // Password verifiers are not counted: they are of no use without the key of the user pool.
            let isUserPool = try !store.credentials(.userPoolKey).isEmpty
            // The identities of guests hold a mark made with the key. With another key, the server would not recognize
            // them.
            let isAuthority = try !store.credentials(.certificateAuthority).isEmpty
            let isNeeded =
                try secrets > 0 || replications > 0 || isUserPool || isAuthority || store.hasPushDevices
                || store.hasGuests
            return (try store.credential(.vaultMark, key: markKey), isNeeded)
        }
        let path = directory + "/" + fileName
        let stored = try read(path)
        if let mark, let stored {
            let vault = SecretVault(key: stored)
            if (try? vault.open(mark.secret, for: markPurpose)) != nil { return vault }
        }
        if mark != nil, isNeeded, !isRenewed {
            throw stored == nil ? SecretVaultError.missingKey(path: path) : .wrongKey(path: path)
        }
        // A key file that the database does not know is kept: the database may be an older copy, and the newer one
        // needs it.
        let key = stored ?? SecretToken.randomBytes(keyBytes)
        if stored == nil { try write(key, to: path) }
        let vault = SecretVault(key: key)
        let sealed = vault.seal(Array(markPurpose.utf8), for: markPurpose)
        try await coordinator.edit(by: nil) { _, draft in
            draft.credentials.append(
                Credential(kind: .vaultMark, key: markKey, secret: sealed, createdAt: now))
        }
        return vault
    }

    private static let markKey = Array("mark".utf8)
    private static let markPurpose = "muster secrets.key"

    /// Reads the key from a file; nil when there is no file.
    /// The number of stored replications (`_replicator`): their passwords are sealed with the key.
    private static func countReplications(of coordinator: StoreCoordinator) async throws -> Int {
        guard case .made(let database)? = coordinator.directory.database(named: DatabaseName.replicator)?.kind else {
            return 0
        }
        return try await coordinator.readDocuments { try $0.counts(in: .database(database.number)).living }
    }

    private static func read(_ path: String) throws(SecretVaultError) -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else { throw .unreadableKey(path: path) }
        guard data.count == keyBytes else { throw .wrongKey(path: path) }
        return Array(data)
    }

    /// Writes the key, readable by its owner alone, and waits until it is on disk. The database must never refer to a
    /// key that a power failure can lose.
    private static func write(_ key: [UInt8], to path: String) throws(SecretVaultError) {
        let draft = path + ".new"
        do {
            try? FileManager.default.removeItem(atPath: draft)
            guard FileManager.default.createFile(atPath: draft, contents: nil, attributes: [.posixPermissions: 0o600]),
                let file = FileHandle(forWritingAtPath: draft)
            else { throw SecretVaultError.unwritableKey(path: path) }
            try file.write(contentsOf: Data(key))
            try file.synchronize()
            try file.close()
            guard rename(draft, path) == 0 else { throw SecretVaultError.unwritableKey(path: path) }
            let folder = try FileHandle(forReadingFrom: URL(filePath: path).deletingLastPathComponent())
            try folder.synchronize()
            try folder.close()
        } catch {
            throw .unwritableKey(path: path)
        }
    }
}

/// Why the vault cannot be opened.
package enum SecretVaultError: Error, Hashable, Sendable {
    /// The database holds secrets, and the key they were sealed with is missing.
    case missingKey(path: String)
    /// The key is not the one that the database's secrets were sealed with.
    case wrongKey(path: String)
    /// The file cannot be read.
    case unreadableKey(path: String)
    /// The file cannot be written.
    case unwritableKey(path: String)
    /// The secret was sealed with another key or for another purpose, or has been changed.
    case sealedOtherwise
}

extension SecretVaultError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missingKey(let path):
            "\(path) is missing: secrets in the database were sealed with it. Put it back from the backup, or start "
                + "once with --renew-secrets-key and make AWS keys and webhook secrets anew. Push devices must then "
                + "register again, and people sign in again by password."
        case .wrongKey(let path):
            "\(path) is not the key that secrets in the database were sealed with. Put the right one back from the "
                + "backup, or start once with --renew-secrets-key and make AWS keys and webhook secrets anew. Push "
                + "devices must then register again, and people sign in again by password."
        case .unreadableKey(let path): "\(path) cannot be read."
        case .unwritableKey(let path): "\(path) cannot be written."
        case .sealedOtherwise: "A secret was sealed with another key."
        }
    }
}

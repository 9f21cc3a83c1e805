public import Foundation

/// Stores a person's credentials between two starts of an app.
public protocol CredentialKeeper: Sendable {
    /// Returns the stored credentials; nil if there are none.
    func loadCredentials() throws -> Data?
    /// Stores credentials in place of earlier ones.
    func storeCredentials(_ secret: Data) throws
    /// Deletes the stored credentials.
    func deleteCredentials() throws
}

/// An error of storing or reading credentials.
public enum CredentialError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Other users of this system may read the file.
    case readableByOthers(path: String)
    /// The operating system refused the access, with this reason.
    case refused(String)

    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .readableByOthers(let path): "\(path) can be read by others: chmod 600 it"
        case .refused(let reason): "credentials could not be kept: \(reason)"
        }
    }
}

/// Stores credentials in a file that only its owner may read (mode 0600).
public struct FileCredentialKeeper: CredentialKeeper {
    /// The file that the credentials are in. Only its owner may read it.
    public let path: String

    /// Makes a keeper of a file, which need not exist yet.
    public init(path: String) { self.path = path }

    /// Returns the stored credentials; nil if there are none.
    ///
    /// - Throws: `CredentialError.readableByOthers` if the file's mode lets other users read it, because its content is
    ///   no longer secret; `.refused` if the file cannot be read.
    public func loadCredentials() throws -> Data? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let mode = try refusing { try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int }
        guard (mode ?? 0) & 0o077 == 0 else { throw CredentialError.readableByOthers(path: path) }
        return try refusing { try Data(contentsOf: URL(filePath: path)) }
    }

    /// Stores credentials by replacing the file: at any moment it is the old one or the new one, whole.
    public func storeCredentials(_ secret: Data) throws {
        let draft = path + ".new"
        try? FileManager.default.removeItem(atPath: draft)
        guard
            FileManager.default.createFile(atPath: draft, contents: secret, attributes: [.posixPermissions: 0o600]),
            rename(draft, path) == 0
        else {
            try? FileManager.default.removeItem(atPath: draft)
            throw CredentialError.refused("\(path) cannot be written")
        }
    }

    /// Deletes the stored credentials.
    ///
    /// - Throws: `CredentialError.refused`.
    public func deleteCredentials() throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        try refusing { try FileManager.default.removeItem(atPath: path) }
    }

    /// Runs `body`, and throws `CredentialError.refused` in place of each of its errors.
    private func refusing<Success>(_ body: () throws -> Success) throws(CredentialError) -> Success {
        do {
            return try body()
        } catch {
            throw .refused(error.localizedDescription)
        }
    }
}

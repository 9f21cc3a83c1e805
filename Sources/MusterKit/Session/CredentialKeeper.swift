public import Foundation

/// Keeps what proves who someone is, between two starts of an app.
public protocol CredentialKeeper: Sendable {
    /// What was kept; nil where nothing was.
    func load() throws -> Data?
    /// Keeps credentials in place of what was kept before.
    func keep(_ secret: Data) throws
    /// Forgets what was kept.
    func forget() throws
}

/// Why credentials were not kept or found.
public enum CredentialError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Others may read the file.
    case readableByOthers(path: String)
    /// The system says no.
    case refused(String)

    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .readableByOthers(let path): "\(path) can be read by others: chmod 600 it"
        case .refused(let reason): "credentials could not be kept: \(reason)"
        }
    }
}

/// Keeps credentials in a file that its owner alone may read (0600).
public struct FileCredentialKeeper: CredentialKeeper {
    /// Where the file is.
    public let path: String

    /// A file, which need not be there yet.
    public init(path: String) { self.path = path }

    /// What was kept; nil where nothing was.
    ///
    /// - Throws: `CredentialError.readableByOthers`: what others could read is no secret any more.
    public func load() throws -> Data? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
        guard mode & 0o077 == 0 else { throw CredentialError.readableByOthers(path: path) }
        return try Data(contentsOf: URL(filePath: path))
    }

    /// Keeps credentials; the file is whole at any moment, the old one or the new.
    public func keep(_ secret: Data) throws {
        let draft = path + ".new"
        try? FileManager.default.removeItem(atPath: draft)
        guard
            FileManager.default.createFile(atPath: draft, contents: secret, attributes: [.posixPermissions: 0o600]),
            rename(draft, path) == 0
        else { throw CredentialError.refused("\(path) cannot be written") }
    }

    /// Forgets what was kept.
    public func forget() throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        try FileManager.default.removeItem(atPath: path)
    }
}

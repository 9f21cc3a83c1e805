import Foundation
import MusterCore
import MusterStore
import Synchronization

/// Tells the command line the address of the server that runs over a data folder, and gives it a key. Only the folder's
/// owner can read the file. The server writes it when it is ready and removes it when it stops.
package struct ControlFile: Codable, Sendable {
    /// The URL of the server.
    package var url: String
    /// An API key with the rights of an admin, valid until the server starts again or its admin is no admin any more.
    package var key: String
    /// The folder that the server runs over. A copy of the folder has a copy of this file, too.
    private var folder: DataLock.Identity
    /// Whether the server stops as soon as the command it was started for is done.
    package var isForOneCommand: Bool?

    private static func path(in directory: String) -> String { directory + "/control.json" }

    /// The control file of a data folder; nil when there is none, when it cannot be read, or when it came with a copy
    /// of another folder.
    package static func read(in directory: String) -> ControlFile? {
        let file = FileManager.default.contents(atPath: path(in: directory))
            .flatMap { try? JSONDecoder().decode(ControlFile.self, from: $0) }
        return file?.folder == DataLock.identity(in: directory) ? file : nil
    }

    /// Writes the control file of a folder whose lock this process holds.
    ///
    /// - Throws: the error of the file system.
    static func write(url: String, key: String, isForOneCommand: Bool, in directory: String) throws {
        let path = Self.path(in: directory)
        guard let folder = DataLock.identity(in: directory) else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: directory])
        }
        let data = try JSONEncoder().encode(
            ControlFile(url: url, key: key, folder: folder, isForOneCommand: isForOneCommand))
        // The file is created empty and private, so the key is never in a file that others can read.
        guard
            FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = FileHandle(forWritingAtPath: path)
        else { throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: path]) }
        do {
            try handle.write(contentsOf: data)
            try handle.close()
        } catch {
            remove(in: directory)
            throw error
        }
    }

    package static func remove(in directory: String) {
        try? FileManager.default.removeItem(atPath: path(in: directory))
    }
}

/// The state of a running server's control file. The key and the address become known at different times, and on a full
/// disk the key or the file may come late.
final class ControlAccess: Sendable {
    private struct State {
        var key: String?
        var holder: UserNumber?
        var address: String?
        var isWritten = false
    }

    private let state = Mutex(State())
    private let directory: String
    private let isForOneCommand: Bool

    init(directory: String, isForOneCommand: Bool) {
        self.directory = directory
        self.isForOneCommand = isForOneCommand
    }

    /// Whether the file is on disk, with the current key.
    var isComplete: Bool { state.withLock { $0.isWritten } }

    /// The user whose rights the key has; nil while there is no key.
    var holder: UserNumber? { state.withLock { $0.holder } }

    func setKey(_ key: (secret: String, holder: UserNumber)) {
        state.withLock { state in
            state.key = key.secret
            state.holder = key.holder
            state.isWritten = false
        }
    }

    func setAddress(_ address: String) { state.withLock { $0.address = address } }

    /// Writes the file, once both the key and the address are known.
    ///
    /// - Throws: the error of the file system.
    func write() throws {
        let (key, address) = state.withLock { ($0.key, $0.address) }
        guard let key, let address else { return }
        try ControlFile.write(url: address, key: key, isForOneCommand: isForOneCommand, in: directory)
        state.withLock { $0.isWritten = true }
    }
}

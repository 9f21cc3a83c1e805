import Foundation

/// How the command line finds the server that runs over a data folder, and is let in: an address and a key in a file
/// that only the folder's owner can read. Written when the server is ready, removed when it stops.
package struct ControlFile: Codable, Sendable {
    /// The address that the server answers at.
    package var url: String
    /// An API key with the rights of an admin, good until the server starts again.
    package var key: String
    /// Whether the server stops as soon as the command is done that it was started for.
    package var isForOneCommand: Bool?

    private static func path(in directory: String) -> String { directory + "/control.json" }

    /// The control file of a data folder; nil when there is none or it cannot be read.
    package static func read(in directory: String) -> ControlFile? {
        FileManager.default.contents(atPath: path(in: directory))
            .flatMap { try? JSONDecoder().decode(ControlFile.self, from: $0) }
    }

    func write(in directory: String) throws {
        let data = try JSONEncoder().encode(self)
        let path = Self.path(in: directory)
        // Made empty and private first: the key is never in a file that others can read.
        guard
            FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = FileHandle(forWritingAtPath: path)
        else { throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: path]) }
        try handle.write(contentsOf: data)
        try handle.close()
    }

    static func remove(in directory: String) {
        try? FileManager.default.removeItem(atPath: path(in: directory))
    }
}

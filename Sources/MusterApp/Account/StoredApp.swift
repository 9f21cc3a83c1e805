import Crypto
import Foundation

/// What the app keeps beside the stores of its accounts. Nothing of it is secret.
struct StoredApp: Codable, Sendable {
    var server: String?
    var user: String?
    var isSignedIn = false
    var isReporting = true
    var language: Language?
    var navigation: Navigation?

    /// A name that belongs to one account alone, for its folder and its credentials.
    static func accountName(_ server: String, _ user: String) -> String {
        let digest = SHA256.hash(data: Data("\(server)\n\(user)".utf8))
        return digest.prefix(10).map { String(format: "%02x", $0) }.joined()
    }

    private static func file(in folder: URL) -> URL { folder.appending(path: "app.json") }

    /// What is stored in a folder; the defaults where nothing is, or what is no settings of any version.
    ///
    /// - Throws: where there is something that cannot be read now, as before the first unlock of the phone.
    static func read(from folder: URL) throws -> StoredApp {
        let data: Data
        do {
            data = try Data(contentsOf: file(in: folder))
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return StoredApp()
        }
        return (try? JSONDecoder().decode(StoredApp.self, from: data)) ?? StoredApp()
    }

    /// Stores it, whole or not at all. On a full disk what was stored before stays.
    func write(to folder: URL) {
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard let data = try? JSONEncoder().encode(self) else { return }
        try? data.write(to: Self.file(in: folder), options: .atomic)
    }
}

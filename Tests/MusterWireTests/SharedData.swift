import Foundation

/// Files that no one here wrote: the folder in `MUSTER_TEST_DATA`, else `../shared/data` beside the package.
enum SharedData {
    static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["MUSTER_TEST_DATA"] { return URL(filePath: path) }
        return URL(filePath: #filePath).appending(path: "../../../../shared/data").standardizedFileURL
    }()

    /// Why a test that needs them is skipped.
    static let reason = "needs the shared test data: set MUSTER_TEST_DATA"

    static let isThere = FileManager.default.fileExists(atPath: folder.appending(path: "README.md").path)

    /// The bytes of a file.
    static func bytes(_ path: String) throws -> [UInt8] {
        try Array(Data(contentsOf: folder.appending(path: path)))
    }

    /// The names of the files in a folder that end so.
    static func names(in path: String, ending: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path)) ?? []
        return names.filter { $0.hasSuffix(ending) }.sorted()
    }
}

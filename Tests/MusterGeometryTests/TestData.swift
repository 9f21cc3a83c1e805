import Foundation

/// The files that the project's owner gave for tests: in the folder of MUSTER_TEST_DATA, else beside the package.
enum TestData {
    static let packageRoot = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let folder: URL = {
        if let named = ProcessInfo.processInfo.environment["MUSTER_TEST_DATA"] { return URL(filePath: named) }
        return packageRoot.appending(path: "../shared/data").standardizedFileURL
    }()

    static let isPresent = FileManager.default.fileExists(atPath: folder.path())

    static func text(_ path: String) throws -> String {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }

    static func json(_ path: String) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appending(path: path)))
    }
}

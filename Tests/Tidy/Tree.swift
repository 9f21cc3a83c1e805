import Foundation

/// A text file of the tree.
struct SourceFile: Sendable {
    /// Relative to the root, with `/` between folders.
    let path: String
    let text: String
    /// Its lines, without their ends.
    let lines: [String]
    /// The lines of Swift with the insides of comments and literals blanked out; of another file none.
    let code: [String]

    init(path: String, text: String) {
        self.path = path
        self.text = text
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        code = path.hasSuffix(".swift") ? Code(text).lines : []
    }

    /// Whether a text stands anywhere in it. The search is C's, for in a debug build Swift's takes seconds for a tree.
    func contains(_ needle: String) -> Bool { text.withCString { strstr($0, needle) != nil } }

    var isSwift: Bool { path.hasSuffix(".swift") }

    /// The folder below `Sources`; nil elsewhere.
    var target: String? {
        let parts = path.split(separator: "/")
        return parts.count >= 3 && parts[0] == "Sources" ? String(parts[1]) : nil
    }

    /// How many lines there are; a last line end begins no other.
    var lineCount: Int { lines.last == "" ? lines.count - 1 : lines.count }
}

/// A breach of a rule, in a form that editors and people find.
struct Finding: Hashable, Sendable, CustomStringConvertible {
    let path: String
    /// From 1; 0 for the file as a whole.
    let line: Int
    let message: String

    var description: String { "\(path):\(max(line, 1)): \(message)" }
}

/// Everything that belongs to the project: what git ignores, and what others or a generator wrote, is left out.
enum Tree {
    /// The folder of the package, found from this file's own place.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Every text file below 1 MB, by path.
    static let files: [SourceFile] = {
        var found: [SourceFile] = []
        collect(root, "", into: &found)
        return found.sorted { $0.path < $1.path }
    }()

    static let swift = files.filter(\.isSwift)

    private static let ignoredFolders: Set<String> = [
        ".git", ".venv", ".pytest_cache", "__pycache__", "node_modules", "vendor", "licences", "libm",
    ]
    private static let ignoredAtRoot: Set<String> = ["tmp", "data", "Package.resolved", "LICENSE"]
    private static let textEndings: Set<String> = [
        "", "swift", "md", "js", "mjs", "css", "html", "py", "sh", "json", "yml", "yaml", "toml", "txt", "svg",
        "modulemap", "h", "c",
    ]

    private static func collect(_ folder: URL, _ prefix: String, into found: inout [SourceFile]) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where !name.hasPrefix(".build") && !ignoredFolders.contains(name) {
            if name.hasSuffix(".pb.swift") { continue }
            if prefix.isEmpty, ignoredAtRoot.contains(name) { continue }
            let url = folder.appending(path: name)
            let values = try? url.resourceValues(forKeys: [.isDirectoryKey, .isSymbolicLinkKey, .fileSizeKey])
            if values?.isSymbolicLink == true { continue }
            if values?.isDirectory == true {
                collect(url, prefix + name + "/", into: &found)
            } else if textEndings.contains(url.pathExtension), (values?.fileSize ?? .max) < 1_000_000,
                let text = try? String(contentsOf: url, encoding: .utf8)
            {
                found.append(SourceFile(path: prefix + name, text: text))
            }
        }
    }
}

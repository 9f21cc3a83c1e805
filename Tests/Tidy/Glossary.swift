/// Whether the files that docs/glossary.md sends a reader to are there.
enum Glossary {
    /// Paths in the page that name no file or folder of the tree. A path may leave out `Sources/`, the `Muster` before
    /// a target's name, and `.swift`.
    static func absentPaths(in file: SourceFile, _ tree: some Sequence<String>) -> [Finding] {
        let present = Set(tree.flatMap { path in [path] + folders(of: path) })
        return file.lines.enumerated().flatMap { index, line in
            quotedPaths(in: line).filter { path in
                ["", "Sources/", "Sources/Muster"].allSatisfy { start in
                    !present.contains(start + path) && !present.contains(start + path + ".swift")
                }
            }.map { Finding(path: file.path, line: index + 1, message: "`\($0)` is not in the tree") }
        }
    }

    /// What a line has between backticks that looks like a path below the root.
    private static func quotedPaths(in line: String) -> [String] {
        line.split(separator: "`", omittingEmptySubsequences: false).enumerated().compactMap { index, part in
            guard index % 2 == 1, part.contains("/"), !part.hasPrefix("/"), !part.contains(" ") else { return nil }
            return part.hasSuffix("/") ? String(part.dropLast()) : String(part)
        }
    }

    private static func folders(of path: String) -> [String] {
        let parts = path.split(separator: "/")
        return parts.indices.dropFirst().map { parts[..<$0].joined(separator: "/") }
    }
}

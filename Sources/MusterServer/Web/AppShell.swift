import MusterHTTP
import MusterWire
import NIOCore

/// The list of the files of the member's app, each with its digest, so that a service worker can store all of them or
/// none. A version of the app is the files that the server read at one start.
///
/// The server makes the list from the files. It begins with the folders that belong to the app, and adds every file
/// that a listed file names, and the files in `words/` of each folder with a listed file. A file names another one by a
/// path in quotes, relative to its own folder.
struct AppShell: Sendable {
    /// The path at which the server answers the list.
    static let path = "me/shell.json"

    /// The files that the app needs to open: paths below the server's root, sorted.
    let files: [String]
    /// The files that the app's map needs besides, sorted.
    let map: [String]
    /// The digest of each file in `files` and `map`, by its path, as `StaticFiles` makes it.
    let digests: [String: String]
    /// The digest of a text that has a line, `path digest`, for each file in `files` and `map`, sorted by path.
    var version: String {
        let lines = (files + map).sorted().map { "\($0) \(digests[$0] ?? "")\n" }
        return StaticFiles.digest(of: Array(lines.joined().utf8))
    }

    /// The folders that belong to the app. A folder that does not exist adds nothing.
    private static let ownFolders = ["me/", "engine/", "vendor/preact/"]
    /// The folders of the app's map. The map is large, so a screen loads it when the screen is first shown.
    private static let mapFolders = ["console/map/", "vendor/maplibre/", "basemap/"]

    /// Lists the files of the member's app among a page's files; nil where the page has no such app.
    init?(of page: StaticFiles) {
        let contents = page.contents
        guard contents["me/index.html"] != nil else { return nil }
        let isOfMap = { (path: String) in Self.mapFolders.contains { path.hasPrefix($0) } }
        let own = contents.keys.filter { path in Self.ownFolders.contains { path.hasPrefix($0) } }
        // A file at the path of the list is left out, because the server answers its own list there.
        let shell = Self.reached(from: own, in: contents) { !isOfMap($0) && $0 != Self.path }
        let mapFiles = Self.reached(from: contents.keys.filter(isOfMap), in: contents) { !shell.contains($0) }
        files = shell.sorted()
        map = mapFiles.sorted()
        digests = page.digests.filter { shell.contains($0.key) || mapFiles.contains($0.key) }
    }

    /// The list as JSON.
    var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("version", version)
            writer.member("files", listing: files) { $0.value($1) }
            writer.member("map", listing: map) { $0.value($1) }
            writer.key("digests")
            writer.beginObject()
            for path in (files + map).sorted() {
                writer.key(path)
                writer.value(digests[path] ?? "")
            }
            writer.endObject()
        }
    }

    /// Returns the files among `contents` that `first` leads to by names. Texts of licences are no part of an app.
    private static func reached(
        from first: [String], in contents: [String: ByteBuffer], where isAdmitted: (String) -> Bool
    ) -> Set<String> {
        var reached: Set<String> = []
        var waiting = first
        let words = Dictionary(grouping: contents.keys) { folder(of: $0) }
        while let path = waiting.popLast() {
            guard let content = contents[path], !path.hasSuffix(".txt"), !reached.contains(path), isAdmitted(path)
            else { continue }
            reached.insert(path)
            waiting += words[folder(of: path) + "words/"] ?? []
            // A library needs nothing outside its folder, and its files are large, so they are not searched for names.
            guard !path.hasPrefix("vendor/") else { continue }
            waiting += PathNames(in: content.readableBytesView).names.compactMap { resolve($0, from: path) }
        }
        return reached
    }

    /// The folder of a path, with the slash at its end; empty at the root.
    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    /// Resolves a name in the file at a path; nil for a name that leads out of the page's folder.
    private static func resolve(_ name: String, from path: String) -> String? {
        var segments = folder(of: path).split(separator: "/")
        for segment in name.split(separator: "/") where segment != "." {
            guard segment == ".." else {
                segments.append(segment)
                continue
            }
            guard segments.popLast() != nil else { return nil }
        }
        return segments.joined(separator: "/")
    }
}

/// The texts in quotes in a file of a page that may be paths of files: letters, digits, `.`, `/`, `-` and `_`, with a
/// dot. Lines that are comments are left out, as a comment may name any file.
private struct PathNames {
    private(set) var names: Set<String> = []

    init(in text: ByteBufferView) {
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let words = line.drop { $0 == UInt8(ascii: " ") }
            if let first = words.first, first == UInt8(ascii: "*") { continue }
            if words.starts(with: "//".utf8) || words.starts(with: "/*".utf8) { continue }
            add(from: words)
        }
    }

    private mutating func add(from line: some Sequence<UInt8>) {
        var quote: UInt8?
        var name: [UInt8] = []
        for byte in line {
            if quote != nil, Self.isOfPath(byte) {
                name.append(byte)
                continue
            }
            if byte == quote, name.contains(UInt8(ascii: ".")) { names.insert(String(decoding: name, as: UTF8.self)) }
            name.removeAll(keepingCapacity: true)
            quote = Self.closing(byte)
        }
    }

    /// The byte that closes the quotation or bracket that this byte opens; nil where it opens none.
    private static func closing(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): byte
        case UInt8(ascii: "("): UInt8(ascii: ")")
        default: nil
        }
    }

    private static func isOfPath(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

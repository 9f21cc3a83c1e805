import Crypto
import Foundation
import HTTPTypes
package import Hummingbird
import MusterCoding
import NIOCore

// `StaticFiles`: serves the files of one folder, read once at the start, and nothing else of the disk.

/// The reason why a folder cannot be served.
package enum StaticFilesError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The folder does not exist or cannot be read.
    case unreadable(path: String)
    /// The folder holds more than the server keeps in memory.
    case tooLarge(path: String, limitBytes: Int)

    package var description: String {
        switch self {
        case .unreadable(let path): "\(path) is not a folder that can be read"
        case .tooLarge(let path, let limitBytes): "\(path) holds more than \(limitBytes >> 20) MiB"
        }
    }
}

/// The web page: the files of one folder, read once and served from memory.
///
/// Requests are looked up in a dictionary of the paths found, so that no request can name any other file. Hidden files
/// and the targets of symbolic links are left out.
///
/// Scripts and style sheets are served without their comments (`CommentStripping`), but for those below `vendor/`,
/// which are other people's.
package struct StaticFiles: Fallback {
    fileprivate struct File: Sendable {
        /// What a browser receives.
        struct Content: Sendable {
            let plain: ByteBuffer
            let digest: String
            /// The `ETag` (RFC 9110, section 8.8.3).
            var tag: String { "\"\(digest)\"" }
        }

        let type: String
        /// The content, without the comments of a script or a style sheet.
        let content: FirstUse<Content>
        /// The compressed content, where that is smaller. The first request that accepts it compresses the content,
        /// for tens of milliseconds.
        let packed: FirstUse<ByteBuffer?>
    }

    private var files: [String: File]
    private let policy: String

    /// The largest number of bytes kept in memory.
    package static let limitBytes = 64 << 20

    /// Reads a folder.
    ///
    /// - Parameter mapOrigin: another origin from which the page may load a map; nil for none.
    /// - Throws: `StaticFilesError`; the file system's error when a file cannot be read.
    package init(folder: String, mapOrigin: String? = nil) throws {
        let root = URL(fileURLWithPath: folder, isDirectory: true).resolvingSymlinksInPath()
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: root.path, isDirectory: &isFolder), isFolder.boolValue,
            let paths = FileManager.default.subpaths(atPath: root.path)
        else { throw StaticFilesError.unreadable(path: folder) }
        var files: [String: File] = [:]
        var total = 0
        for path in paths where !path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) {
            let url = root.appendingPathComponent(path)
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            guard attributes[.type] as? FileAttributeType == .typeRegular,
                url.resolvingSymlinksInPath().path.hasPrefix(root.path + "/"),
                let type = Self.type(of: path)
            else { continue }
            let data = try Data(contentsOf: url)
            total += data.count
            guard total <= Self.limitBytes else {
                throw StaticFilesError.tooLarge(path: folder, limitBytes: Self.limitBytes)
            }
            files[path] = File(ByteBuffer(bytes: data), type: type, comments: Self.comments(of: path))
        }
        self.files = files
        policy = Self.policy(mapOrigin: mapOrigin)
    }

    /// Whether the folder holds a file of this path.
    package func contains(_ path: String) -> Bool { files[path] != nil }

    /// The digest of every file, by its path: the first 15 bytes of its SHA-256 in base64url, as its `ETag` has it.
    package var digests: [String: String] { files.mapValues(\.content.value.digest) }

    /// What a browser receives of every file, by the file's path.
    package var contents: [String: ByteBuffer] { files.mapValues(\.content.value.plain) }

    /// Returns the digest of a file's content, in the form of `digests`.
    package static func digest(of content: [UInt8]) -> String {
        Base64.encodeUnpadded(Array(SHA256.hash(data: content)).prefix(15), .forURLs)
    }

    /// Returns static files of which there is only one, with content that the server made.
    ///
    /// - Parameter path: the path of the file. Its extension must be one that `type(of:)` knows.
    package func holding(_ content: [UInt8], at path: String) -> StaticFiles {
        guard let type = Self.type(of: path) else { preconditionFailure("\(path) has no media type") }
        var made = self
        made.files = [path: File(ByteBuffer(bytes: content), type: type, comments: nil)]
        return made
    }

    /// Returns the requested file; nil when the request names none. The digest is also in `Server-Timing`, which a page
    /// can read of the files that it has loaded.
    package func respond(to request: Request) -> Response? {
        guard request.method == .get || request.method == .head else { return nil }
        guard let file = file(for: request) else { return redirection(of: request) }
        let content = file.content.value
        var headers: HTTPFields = [
            .contentType: file.type, .eTag: content.tag, .cacheControl: "no-cache", .vary: "Accept-Encoding",
            .contentSecurityPolicy: policy, .referrerPolicy: "no-referrer",
            .serverTiming: "file;desc=\(content.tag)",
        ]
        if request.headers[.ifNoneMatch]?.contains(content.tag) == true {
            return Response(status: .notModified, headers: headers)
        }
        var body = content.plain
        if request.accepts("gzip"), let packed = file.packed.value {
            body = packed
            headers[.contentEncoding] = "gzip"
        }
        headers[.contentLength] = "\(body.readableBytes)"
        return Response(
            status: .ok, headers: headers, body: request.method == .head ? .init() : .init(byteBuffer: body))
    }

    /// Returns the file at the request's path; nil where there is none. At `/` only a client that accepts HTML receives
    /// the page.
    private func file(for request: Request) -> File? {
        guard let path = PercentEncoding.decode(request.uri.path) else { return nil }
        if path == "/" {
            return request.headers[.accept]?.contains("text/html") == true ? files["index.html"] : nil
        }
        let name = String(path.drop { $0 == "/" })
        if name.hasSuffix("/"), Self.holdsPages(name) { return files[name + "index.html"] }
        return files[name]
    }

    /// The answer to a request for a page's folder without the slash at its end, from where the page would not find its
    /// files; nil for any other.
    private func redirection(of request: Request) -> Response? {
        guard let path = PercentEncoding.decode(request.uri.path) else { return nil }
        let name = String(path.drop { $0 == "/" })
        guard Self.holdsPages(name + "/"), files[name + "/index.html"] != nil,
            let folder = name.split(separator: "/").last
        else { return nil }
        return Response(
            status: .permanentRedirect,
            headers: [.location: "\(folder)/", .referrerPolicy: "no-referrer", .contentLength: "0"])
    }

    /// Whether the server answers a folder's path with the page in the folder: for the folders of the console, and the
    /// member's app. The name of any other folder may be the name of a database.
    private static func holdsPages(_ folder: String) -> Bool { folder.hasPrefix("console/") || folder == "me/" }

    /// The page may only load and call this server, and load a map from the operator's origin where there is one.
    /// MapLibre starts its worker from a blob; service workers are files. The page may compile a WebAssembly module of
    /// this server, but may not evaluate a text as a script.
    private static func policy(mapOrigin: String?) -> String {
        let map = mapOrigin.map { " \($0)" } ?? ""
        return """
            default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
            img-src 'self' data: blob:\(map); worker-src 'self' blob:; manifest-src 'self'; \
            connect-src 'self'\(map); base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
    }

    /// The media type for the file's extension; nil for files that are not part of a page.
    private static func type(of path: String) -> String? {
        let types = [
            "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
            "mjs": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
            "json": "application/json", "svg": "image/svg+xml", "png": "image/png", "ico": "image/x-icon",
            "webmanifest": "application/manifest+json", "txt": "text/plain; charset=utf-8",
            "woff2": "font/woff2", "pbf": "application/x-protobuf", "wasm": "application/wasm",
        ]
        return path.split(separator: ".").last.flatMap { types[$0.lowercased()] }
    }

    /// The language whose comments are left out of the file; nil for a file that is served as it is.
    private static func comments(of path: String) -> CommentStripping.Language? {
        let languages: [String: CommentStripping.Language] = ["js": .script, "mjs": .script, "css": .styleSheet]
        guard !path.hasPrefix("vendor/") else { return nil }
        return path.split(separator: ".").last.flatMap { languages[$0.lowercased()] }
    }
}

extension StaticFiles.File {
    /// - Parameter comments: the language whose comments are left out; nil for a file that is served as it is.
    fileprivate init(_ bytes: ByteBuffer, type: String, comments: CommentStripping.Language?) {
        self.type = type
        let content = FirstUse {
            let all = Array(bytes.readableBytesView)
            guard let comments else { return Content(plain: bytes, digest: StaticFiles.digest(of: all)) }
            let rest = CommentStripping.strip(all, of: comments)
            return Content(plain: ByteBuffer(bytes: rest), digest: StaticFiles.digest(of: rest))
        }
        self.content = content
        let isText = !["image/png", "image/x-icon", "font/woff2"].contains(type)
        packed = FirstUse { isText ? Gzip.pack(content.value.plain) : nil }
    }
}

extension HTTPField.Name {
    /// Content Security Policy Level 3, https://www.w3.org/TR/CSP3/
    fileprivate static let contentSecurityPolicy = HTTPField.Name("Content-Security-Policy")!
    /// Referrer Policy, https://www.w3.org/TR/referrer-policy/
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    /// Server Timing, https://www.w3.org/TR/server-timing/
    fileprivate static let serverTiming = HTTPField.Name("Server-Timing")!
}

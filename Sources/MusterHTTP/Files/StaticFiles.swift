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
package struct StaticFiles: Fallback {
    fileprivate struct File: Sendable {
        let type: String
        /// The file's `ETag` (RFC 9110, section 8.8.3).
        let tag: String
        let plain: ByteBuffer
        /// The compressed content, where that is smaller. The first request that accepts it compresses the content,
        /// for tens of milliseconds.
        let packed: FirstUse<ByteBuffer?>
    }

    private let files: [String: File]

    /// The largest number of bytes kept in memory.
    package static let limitBytes = 64 << 20

    /// Reads a folder.
    ///
    /// - Throws: `StaticFilesError`; the file system's error when a file cannot be read.
    package init(folder: String) throws {
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
            files[path] = File(Array(data), type: type)
        }
        self.files = files
    }

    /// Whether the folder holds a file of this path.
    package func contains(_ path: String) -> Bool { files[path] != nil }

    /// Returns the requested file; nil when the request names none.
    package func respond(to request: Request) -> Response? {
        guard request.method == .get || request.method == .head else { return nil }
        guard let file = file(for: request) else { return nil }
        var headers: HTTPFields = [
            .contentType: file.type, .eTag: file.tag, .cacheControl: "no-cache", .vary: "Accept-Encoding",
            .contentSecurityPolicy: Self.policy, .referrerPolicy: "no-referrer",
        ]
        if request.headers[.ifNoneMatch]?.contains(file.tag) == true {
            return Response(status: .notModified, headers: headers)
        }
        var body = file.plain
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
        return files[String(path.drop { $0 == "/" })]
    }

    /// The page may only load and call this server. MapLibre starts its worker from a blob; the service worker for
    /// pushes is a file.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; worker-src 'self' blob:; \
        connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    /// The media type for the file's extension; nil for files that are not part of a page.
    private static func type(of path: String) -> String? {
        let types = [
            "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
            "mjs": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
            "json": "application/json", "svg": "image/svg+xml", "png": "image/png", "ico": "image/x-icon",
            "webmanifest": "application/manifest+json", "txt": "text/plain; charset=utf-8",
            "woff2": "font/woff2", "pbf": "application/x-protobuf",
        ]
        return path.split(separator: ".").last.flatMap { types[$0.lowercased()] }
    }
}

extension StaticFiles.File {
    fileprivate init(_ bytes: [UInt8], type: String) {
        self.type = type
        tag = "\"" + Base64.encodeUnpadded(Array(SHA256.hash(data: bytes)).prefix(15), .forURLs) + "\""
        let plain = ByteBuffer(bytes: bytes)
        self.plain = plain
        let isText = !["image/png", "image/x-icon", "font/woff2"].contains(type)
        packed = FirstUse { isText ? Gzip.pack(plain) : nil }
    }
}

extension Request {
    /// Whether the client accepts this content encoding.
    fileprivate func accepts(_ encoding: String) -> Bool {
        (headers[.acceptEncoding] ?? "").split(separator: ",").contains { offer in
            let parts = offer.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
            return parts.first == encoding && !parts.dropFirst().contains("q=0")
        }
    }
}

extension HTTPField.Name {
    /// Content Security Policy Level 3, https://www.w3.org/TR/CSP3/
    fileprivate static let contentSecurityPolicy = HTTPField.Name("Content-Security-Policy")!
    /// Referrer Policy, https://www.w3.org/TR/referrer-policy/
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
}

package import Hummingbird
import MusterHTTP
import MusterWire
import NIOCore

/// Answers requests that no route handles: the web page's files, where the server has them, and a greeting at `/`.
///
/// Without the files the server serves everything else, and `fault` says what is missing.
package struct WebAssets: Fallback {
    private let files: StaticFiles?
    /// The list of the member app's files, made at the first request for it; nil where there is no such app.
    private let shell: FirstUse<StaticFiles?>
    /// A sentence for the log that says which part of the page is missing and what to do; nil when the page is
    /// complete.
    package let fault: String?

    /// Reads the page from a folder. A page that cannot be served is no error; `fault` says why.
    ///
    /// - Parameters:
    ///   - webRoot: the folder with the page; nil where none was found.
    ///   - mapOrigin: what the page may load besides this server's own files; nil for nothing.
    package init(webRoot: String?, mapOrigin: String? = nil) {
        guard let webRoot else {
            (files, shell) = (nil, FirstUse { nil })
            fault = "There is no web page: no folder with its files was found; name it with --web. \(Self.rest)"
            return
        }
        do {
            let found = try StaticFiles(folder: webRoot, mapOrigin: mapOrigin)
            guard found.contains("index.html") else {
                (files, shell) = (nil, FirstUse { nil })
                fault = "There is no web page: \(webRoot) has no index.html; name another with --web. \(Self.rest)"
                return
            }
            shell = FirstUse { AppShell(of: found).map { found.holding($0.json, at: AppShell.path) } }
            files = found
            fault = Self.libraries.first { !found.contains($0.file) }
                .map { "The web page \($0.consequence): \(webRoot) lacks \($0.file)" }
        } catch {
            (files, shell) = (nil, FirstUse { nil })
            fault = "There is no web page: \(error). \(Self.rest)"
        }
    }

    /// Returns the answer to a request for a file, or for `/`; nil for any other.
    package func respond(to request: Request) -> Response? {
        if request.uri.path == "/\(AppShell.path)", let list = shell.value { return list.respond(to: request) }
        if let response = files?.respond(to: request) { return response }
        guard request.method == .get || request.method == .head else { return nil }
        if files == nil, ["/", "/index.html"].contains(request.uri.path),
            request.headers[.accept]?.contains("text/html") == true
        {
            return Self.notice(withBody: request.method == .get)
        }
        guard request.uri.path == "/" else { return nil }
        return .json { writer in
            writer.beginObject()
            writer.member("muster", "Welcome")
            writer.member("api", APIPaths.description)
            writer.endObject()
        }
    }

    /// The page that a browser receives where the web page is missing. It names no folder, because anyone may read it.
    private static func notice(withBody: Bool) -> Response {
        let page = """
            <!doctype html>
            <html lang="en"><meta charset="utf-8"><title>Muster: no web page</title>
            <h1>This Muster server has no web page</h1>
            <p>Its files are missing where the server runs; the server’s log says where it looked. Whoever runs it
            installs them, or names their folder with <code>--web</code>, and starts the server again.</p>
            <p>Everything else works: phones report their positions, and apps and the command line reach the server.</p>
            </html>

            """
        let body = ByteBuffer(string: page)
        return Response(
            status: .notFound,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentLength: "\(body.readableBytes)",
            ],
            body: withBody ? .init(byteBuffer: body) : .init())
    }

    /// The libraries of the page, which `Scripts/web-vendor` fetches, and what is wrong without each.
    private static let libraries = [
        (file: "vendor/preact/preact-htm.js", consequence: "shows nothing"),
        (file: "vendor/maplibre/maplibre-gl.js", consequence: "has no map"),
    ]
    private static let rest = "Everything else is served"
}

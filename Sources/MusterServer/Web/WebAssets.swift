package import Hummingbird
import MusterHTTP
import MusterWire
import NIOCore

/// Answers requests that no route handles: the web page's files, where the server has them, and a greeting at `/`.
///
/// Without the files the server serves everything else, and `fault` says what is missing.
package struct WebAssets: Fallback {
    private let files: StaticFiles?
    /// A sentence for the log that says which part of the page is missing and what to do; nil when the page is
    /// complete.
    package let fault: String?

    /// Reads the page from a folder. A page that cannot be served is no error; `fault` says why.
    ///
    /// - Parameter webRoot: the folder with the page; nil where none was found.
    package init(webRoot: String?) {
        guard let webRoot else {
            files = nil
            fault = "There is no web page: no folder with its files was found; name it with --web. \(Self.rest)"
            return
        }
        do {
            let found = try StaticFiles(folder: webRoot)
            guard found.contains("index.html") else {
                files = nil
                fault = "There is no web page: \(webRoot) has no index.html; name another with --web. \(Self.rest)"
                return
            }
            files = found
            fault = found.contains(Self.map) ? nil : "The web page has no map: \(webRoot) lacks \(Self.map)"
        } catch {
            files = nil
            fault = "There is no web page: \(error). \(Self.rest)"
        }
    }

    /// Returns the answer to a request for a file, or for `/`; nil for any other.
    package func respond(to request: Request) -> Response? {
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

    /// The library that draws the map, which `Scripts/web-vendor` fetches.
    private static let map = "vendor/maplibre/maplibre-gl.js"
    private static let rest = "Everything else is served"
}

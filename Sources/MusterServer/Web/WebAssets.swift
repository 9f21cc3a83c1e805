package import Hummingbird
import MusterWire

/// What is at paths that no route has: the page's files, where there is a page, and a few words at `/`.
package struct WebAssets: Fallback {
    private let files: StaticFiles?

    /// The few words alone.
    package init() { files = nil }

    /// The page in a folder.
    ///
    /// - Parameter webRoot: the folder with the page; nil for none.
    /// - Throws: `StaticFilesError`.
    package init(webRoot: String?) throws {
        files = try webRoot.map { try StaticFiles(folder: $0) }
    }

    /// The answer to a request for a file, or for `/`.
    package func respond(to request: Request) -> Response? {
        if let response = files?.respond(to: request) { return response }
        guard request.uri.path == "/", request.method == .get || request.method == .head else { return nil }
        return .json { writer in
            writer.beginObject()
            writer.member("muster", "Welcome")
            writer.member("api", "\(NativeEndpoint.root)/openapi.json")
            writer.endObject()
        }
    }
}

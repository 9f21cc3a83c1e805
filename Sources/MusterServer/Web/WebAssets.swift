package import Hummingbird
import MusterWire

/// Answers requests that no route handles: the page's files, where there is a page, and a greeting at `/`.
package struct WebAssets: Fallback {
    private let files: StaticFiles?

    /// Makes assets without a page, only with the greeting.
    package init() { files = nil }

    /// Makes the assets of a page in a folder.
    ///
    /// - Parameter webRoot: the folder with the page; nil for none.
    /// - Throws: `StaticFilesError`.
    package init(webRoot: String?) throws {
        files = try webRoot.map { try StaticFiles(folder: $0) }
    }

    /// Returns the answer to a request for a file, or for `/`; nil for any other.
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

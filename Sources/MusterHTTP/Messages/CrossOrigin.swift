import HTTPTypes
package import Hummingbird

/// Lets pages of configured origins read answers and send credentials (the CORS protocol of the Fetch standard). Pages
/// of other origins cannot read anything.
package struct CrossOrigin<Context: RequestContext>: RouterMiddleware {
    package let origins: Set<String>
    /// The header fields that pages may send, as a preflight answer lists them.
    private let allowedFields: String

    /// - Parameter fields: names of further header fields that pages may send.
    package init(origins: Set<String>, fields: [String] = []) {
        self.origins = origins
        allowedFields = (Self.commonFields + fields).joined(separator: ", ")
    }

    private static var commonFields: [String] {
        [
            "accept", "authorization", "content-type", "content-encoding", "if-match", "if-none-match", "destination",
            "idempotency-key", "last-event-id", "range", "x-requested-with",
        ]
    }

    /// How long a browser may cache the preflight answer, in seconds.
    private var maximumAgeSeconds: Int { 600 }

    package func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let origin = request.headers[.origin], origins.contains(origin) else {
            return try await next(request, context)
        }
        var response: Response
        if request.method == .options, request.headers[.accessControlRequestMethod] != nil {
            response = Response(status: .noContent)
            response.headers[.accessControlAllowMethods] = "GET, HEAD, POST, PUT, PATCH, DELETE, COPY"
            response.headers[.accessControlAllowHeaders] = allowedFields
            response.headers[.accessControlMaxAge] = "\(maximumAgeSeconds)"
        } else {
            response = try await next(request, context)
            response.headers[.accessControlExposeHeaders] =
                "content-length, content-type, content-range, etag, location, retry-after, server"
        }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlAllowCredentials] = "true"
        response.headers.append(HTTPField(name: .vary, value: "Origin"))
        return response
    }
}

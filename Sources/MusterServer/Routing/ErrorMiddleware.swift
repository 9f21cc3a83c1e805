import HTTPTypes
import Hummingbird
import Logging
import MusterHTTP

/// The outermost layer. Counts every request, and answers every error as a problem, without secrets or internal
/// details.
struct ErrorMiddleware: RouterMiddleware {
    let table: RouteTable
    let metrics: Metrics
    let fallback: (any Fallback)?
    /// Whether the server itself uses TLS. If so, it tells browsers to use only TLS (RFC 6797).
    let isEncrypted: Bool

    /// How long a browser uses only TLS, in seconds: a year.
    private static let strictTransport = "max-age=31536000"

    func handle(
        _ request: Request, context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var response = await respond(to: request, context, next)
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        response.headers[.contentTypeOptions] = "nosniff"
        response.headers[.referrerPolicy] = "no-referrer"
        if isEncrypted { response.headers[.strictTransportSecurity] = Self.strictTransport }
        if request.method == .head { response.leaveOutBody() }
        metrics.count(
            request.method, at: context.endpointPath, status: response.status.code,
            seconds: (ContinuousClock.now - start) / .seconds(1))
        return response
    }

    private func respond(
        to request: Request, _ context: AppRequestContext, _ next: (Request, AppRequestContext) async throws -> Response
    ) async -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            return unrouted(request)
        } catch {
            if let problem = Problem(mapping: error) { return problem.response }
            context.log(error)
            return Problem.internalError.response
        }
    }

    /// The answer to a request that matches no route: a file, 405 for a method that the path does not take, or 404.
    private func unrouted(_ request: Request) -> Response {
        if let response = fallback?.respond(to: request) { return response }
        let methods = table.methods(at: request.uri.path)
        if let response = table.unroutedAnswer(to: request.uri.path, methods) { return response }
        return (methods.isEmpty ? Problem.notFound : .methodNotAllowed(methods)).response
    }
}

extension Response {
    /// Removes the body for HEAD. All else stays as in the answer to GET.
    fileprivate mutating func leaveOutBody() {
        // Setting a body replaces the length, so it is saved first.
        let length = headers[.contentLength] ?? body.contentLength.map { "\($0)" }
        body = .init()
        headers[.contentLength] = length
    }
}

extension HTTPField.Name {
    /// Tells browsers not to guess media types.
    static let contentTypeOptions = HTTPField.Name("X-Content-Type-Options")!
    /// Keeps browsers from telling other servers which address led to them.
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
}

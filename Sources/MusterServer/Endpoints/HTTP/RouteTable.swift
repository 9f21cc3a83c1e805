import HTTPTypes
package import Hummingbird
import MusterCore

/// Every route there is. What is not in it is not served.
///
/// The one table serves the requests, writes OpenAPI, and lets a test walk every route as every role.
package struct RouteTable: Sendable {
    /// The routes in the order they were added.
    package private(set) var routes: [Route] = []

    /// An empty table.
    package init() {}

    /// Adds a route.
    package mutating func add(_ route: Route) { routes.append(route) }

    /// The methods that a path takes; empty where there is no such path. Where several routes could mean it, those
    /// count that name most of it.
    package func methods(at path: String) -> [HTTPRequest.Method] {
        let segments = path.split(separator: "/")
        let isCouchDB = ReservedPaths.isCouchDB(path)
        let found = routes.filter { $0.matches(segments) && (isCouchDB || !$0.isOfDatabaseAtRoot) }
        let most = found.map(\.namedSegments).max()
        let routes = found.filter { $0.namedSegments == most }
        let methods = routes.map(\.method)
        return routes.contains(where: \.answersHead) && !methods.contains(.head) ? methods + [.head] : methods
    }

    /// A router over this table.
    ///
    /// Around every route stands, from the outside in: counting, telling errors as problems, and the authorizer.
    ///
    /// - Parameters:
    ///   - fallback: asked for paths that are in no route; nil answers 404.
    ///   - isEncrypted: whether the server speaks TLS itself.
    package func router(
        identity: Identity, metrics: Metrics, fallback: (any Fallback)? = nil, origins: Set<String> = [],
        isEncrypted: Bool = false
    ) -> Router<AppRequestContext> {
        let router = Router(context: AppRequestContext.self)
        if !origins.isEmpty { router.add(middleware: CrossOrigin(origins: origins)) }
        router.add(
            middleware: ErrorMiddleware(table: self, metrics: metrics, fallback: fallback, isEncrypted: isEncrypted))
        let heads = Set(routes.filter { $0.method == .head }.map(\.path))
        for route in routes {
            let authorizer = Authorizer(route: route, identity: identity)
            let respond: Route.Handler = { request, context in
                if route.isOfDatabaseAtRoot {
                    // What is another path of the server, or a file of the page, is no database.
                    if let file = fallback?.respond(to: request) { return file }
                    guard ReservedPaths.isCouchDB(request.uri.path) else { throw HTTPError(.notFound) }
                }
                return try await authorizer.respond(to: request, context)
            }
            router.on(route.routerPath, method: route.method, use: respond)
            // The edge leaves the body out, before any of it is written.
            if route.answersHead, !heads.contains(route.path) {
                router.on(route.routerPath, method: .head, use: respond)
            }
        }
        return router
    }
}

/// Serves what is in no route, such as files.
package protocol Fallback: Sendable {
    /// The answer; nil when this is nothing of its own either.
    func respond(to request: Request) -> Response?
}

/// Stands before a route and lets in only whom the route admits.
struct Authorizer: Sendable {
    let route: Route
    let identity: Identity

    func respond(to request: Request, _ context: AppRequestContext) async throws -> Response {
        RequestWork.current?.setRoute(route)
        switch route.admission {
        case .anyone, .provenByHandler:
            return try await route.handler(request, context)
        case .adminOrLoopback:
            if context.isFromLoopback, request.isOfThisMachine { return try await route.handler(request, context) }
            return try await respond(to: request, context, admitting: [.admin], devices: false)
        case .roles(let roles, let devices):
            return try await respond(to: request, context, admitting: roles, devices: devices)
        }
    }

    private func respond(
        to request: Request, _ context: AppRequestContext, admitting roles: Set<Role>, devices: Bool
    ) async throws -> Response {
        let principal = try await identity.authenticate(
            request.headers[.authorization], from: context.remoteAddress)
        guard roles.contains(principal.role), devices || principal.device == nil else { throw Problem.forbidden }
        var context = context
        context.principal = principal
        return try await route.handler(request, context)
    }
}

extension Request {
    /// Whether nothing says that a proxy passed the request on, and the host that is asked for is this machine: a page
    /// elsewhere, whose name was made to lead here, names itself.
    var isOfThisMachine: Bool {
        guard !HTTPField.Name.signsOfProxies.contains(where: { headers[$0] != nil }) else { return false }
        guard let host = head.authority ?? headers[.host] else { return true }
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" }.dropFirst() : host.prefix { $0 != ":" }
        return name == "localhost" || name == "::1" || (name.hasPrefix("127.") && name.allSatisfy(\.isASCIIDigitOrDot))
    }
}

extension HTTPField.Name {
    /// RFC 7239.
    static let forwarded = HTTPField.Name("Forwarded")!
    /// What came before RFC 7239.
    static let xForwardedFor = HTTPField.Name("X-Forwarded-For")!
    /// The fields by which proxies say that they passed a request on.
    fileprivate static let signsOfProxies: [HTTPField.Name] =
        [.forwarded, .xForwardedFor, .xForwardedProto]
        + ["X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Server", "X-Real-IP", "Via"]
        .compactMap { HTTPField.Name($0) }
}

extension Character {
    fileprivate var isASCIIDigitOrDot: Bool { self == "." || ("0"..."9").contains(self) }
}

import HTTPTypes
package import Hummingbird
package import MusterHTTP

/// All routes of the server. The server answers nothing else, except the fallback's files.
///
/// One table serves the requests and generates OpenAPI, and a test tries each of its routes as each role.
package struct RouteTable: Sendable {
    /// The routes, in the order they were added.
    package private(set) var routes: [Route] = []

    package init() {}

    package mutating func add(_ route: Route) { routes.append(route) }

    /// An endpoint's answer to requests that match none of its routes.
    private struct UnroutedAnswer: Sendable {
        var isOfEndpoint: @Sendable (_ path: String) -> Bool
        var respond: @Sendable (_ methods: [HTTPRequest.Method]) -> Response
    }

    private var unroutedAnswers: [UnroutedAnswer] = []

    /// Sets how requests that match no route are answered at an endpoint's paths. Everywhere else the answer is a
    /// problem: 404 or 405.
    ///
    /// - Parameters:
    ///   - isOfEndpoint: whether a path is the endpoint's.
    ///   - respond: makes the answer from the methods that the path takes; empty where the path does not exist.
    package mutating func answerUnrouted(
        _ isOfEndpoint: @escaping @Sendable (_ path: String) -> Bool,
        with respond: @escaping @Sendable (_ methods: [HTTPRequest.Method]) -> Response
    ) {
        unroutedAnswers.append(UnroutedAnswer(isOfEndpoint: isOfEndpoint, respond: respond))
    }

    /// The answer of the endpoint that the path belongs to; nil where it belongs to none.
    func unroutedAnswer(to path: String, _ methods: [HTTPRequest.Method]) -> Response? {
        unroutedAnswers.first { $0.isOfEndpoint(path) }?.respond(methods)
    }

    /// The methods that a path takes; empty where the path does not exist. Where several routes match, the ones with
    /// the most literal segments count.
    package func methods(at path: String) -> [HTTPRequest.Method] {
        let segments = path.split(separator: "/")
        let isCouchDB = ReservedPaths.isCouchDB(path)
        let found = routes.filter { $0.matches(segments) && (isCouchDB || !$0.isOfDatabaseAtRoot) }
        let most = found.map(\.namedSegments).max()
        let routes = found.filter { $0.namedSegments == most }
        let methods = routes.map(\.method)
        return routes.contains(where: \.answersHead) && !methods.contains(.head) ? methods + [.head] : methods
    }

    /// Makes a router over this table.
    ///
    /// Each route is wrapped, from the outside in, in the counting of requests, the answering of errors as problems,
    /// and the authorizer.
    ///
    /// - Parameters:
    ///   - fallback: answers paths that match no route; nil to answer them with 404.
    ///   - isEncrypted: whether the server itself uses TLS.
    package func router(
        identity: Identity, metrics: Metrics, fallback: (any Fallback)? = nil, origins: Set<String> = [],
        isEncrypted: Bool = false
    ) -> Router<AppRequestContext> {
        let router = Router(context: AppRequestContext.self)
        if !origins.isEmpty {
            let fields = Set(routes.flatMap { $0.wireProtocol.proofFields.map(\.canonicalName) })
            router.add(middleware: CrossOrigin(origins: origins, fields: fields.sorted()))
        }
        router.add(
            middleware: ErrorMiddleware(table: self, metrics: metrics, fallback: fallback, isEncrypted: isEncrypted))
        let heads = Set(routes.filter { $0.method == .head }.map(\.path))
        for route in routes {
            let authorizer = Authorizer(route: route, identity: identity)
            let respond: Route.Handler = { request, context in
                if route.isOfDatabaseAtRoot {
                    // Another path of the server, or a file of the web page, is not a database.
                    if let file = fallback?.respond(to: request) { return file }
                    guard ReservedPaths.isCouchDB(request.uri.path) else { throw HTTPError(.notFound) }
                }
                return try await authorizer.respond(to: request, context)
            }
            router.on(route.routerPath, method: route.method, use: respond)
            // `ErrorMiddleware` removes the body before any of it is written.
            if route.answersHead, !heads.contains(route.path) {
                router.on(route.routerPath, method: .head, use: respond)
            }
        }
        return router
    }
}

extension Request {
    /// Whether no proxy passed the request on, and the requested host is this machine. A foreign page whose domain was
    /// made to resolve to this machine sends that domain as the host.
    package var isOfThisMachine: Bool {
        guard !HTTPField.Name.signsOfProxies.contains(where: { headers[$0] != nil }) else { return false }
        guard let host = head.authority ?? headers[.host] else { return true }
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" }.dropFirst() : host.prefix { $0 != ":" }
        return name == "localhost" || name == "::1" || (name.hasPrefix("127.") && name.allSatisfy(\.isASCIIDigitOrDot))
    }
}

extension HTTPField.Name {
    /// `Forwarded` (RFC 7239).
    package static let forwarded = HTTPField.Name("Forwarded")!
    /// The older form of `Forwarded` (RFC 7239).
    static let xForwardedFor = HTTPField.Name("X-Forwarded-For")!
    /// The fields that show that a proxy passed the request on.
    fileprivate static let signsOfProxies: [HTTPField.Name] =
        [.forwarded, .xForwardedFor, .xForwardedProto]
        + ["X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Server", "X-Real-IP", "Via"]
        .compactMap { HTTPField.Name($0) }
}

extension Character {
    fileprivate var isASCIIDigitOrDot: Bool { self == "." || ("0"..."9").contains(self) }
}

import HTTPTypes
import Hummingbird
import MusterCore
import MusterHTTP

/// Authenticates and authorizes each request before its route's handler runs. Handlers need not check the route's
/// roles.
struct Authorizer: Sendable {
    let route: Route
    let identity: Identity
    /// The route's method and path, for the log.
    private let name: String

    init(route: Route, identity: Identity) {
        self.route = route
        self.identity = identity
        name = "\(route.method.rawValue) \(route.path)"
    }

    func respond(to request: Request, _ context: AppRequestContext) async throws -> Response {
        RequestWork.current?.setRoute(name)
        do {
            var request = request
            var context = context
            try await admit(&request, &context)
            return try await route.handler(request, context)
        } catch {
            guard let response = route.wireProtocol.response(to: error, context) else { throw error }
            return response
        }
    }

    /// Sets the context's proof and principal.
    ///
    /// - Throws: `IdentityError` or an error of the route's protocol when authentication fails; `RoleRefusal` when the
    ///   route does not admit the principal.
    private func admit(_ request: inout Request, _ context: inout AppRequestContext) async throws {
        switch route.admission {
        case .anyone: return
        case .link:
            context.link = try await identity.authenticateLink(
                request.headers[.authorization], from: context.remoteAddress)
        case .linkInPath:
            context.link = try await identity.authenticateLink(
                inPath: context.parameter("token"), from: context.remoteAddress)
        case .adminOrLoopback:
            if context.isFromLoopback, request.isOfThisMachine { return }
            try await authenticate(&request, &context)
            try require([.admin], devices: false, context)
        case .roles(let roles, let devices):
            try await authenticate(&request, &context)
            try require(roles, devices: devices, context)
        case .rolesOrWebSocket(let roles):
            do {
                try await authenticate(&request, &context)
            } catch IdentityError.missing where WebSocketUpgrade.isRequested(by: request.headers) {
                return
            }
            try require(roles, devices: false, context)
        case .anyoneIdentified:
            do {
                try await authenticate(&request, &context)
                if let principal = context.principal, principal.role == .guest {
                    throw RoleRefusal(principal: principal)
                }
            } catch IdentityError.missing {
                return
            } catch IdentityError.refused where context.proof?.isSentByBrowsers == true {
                return
            }
        }
    }

    private func authenticate(_ request: inout Request, _ context: inout AppRequestContext) async throws {
        context.proof = try await route.wireProtocol.proof(in: &request, context)
        guard let proof = context.proof else { throw IdentityError.missing }
        var principal = try await proof.verify(by: identity, atOpening: true)
        if principal.proof == .control { principal.operatorName = request.operatorName }
        context.principal = principal
    }

    private func require(_ roles: Set<Role>, devices: Bool, _ context: AppRequestContext) throws {
        guard let principal = context.principal else { throw IdentityError.missing }
        guard Route.Admission.admits(principal, with: roles, devices: devices) else {
            throw RoleRefusal(principal: principal)
        }
    }
}

extension Request {
    /// The user of the operating system that the command line states, on one line and cut to 64 characters.
    fileprivate var operatorName: String {
        let text = headers[.musterOperator] ?? ""
        let shown = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return String(String.UnicodeScalarView(shown.prefix(64)))
    }
}

extension HTTPField.Name {
    /// The header in which the command line names the user who runs it.
    static let musterOperator = HTTPField.Name("Muster-Operator")!
}

package import Hummingbird
package import Logging
package import ServiceLifecycle

/// Everything that a server answers on one port: its endpoints, the description of their routes, and the web page.
package struct Endpoints: Sendable {
    private let parts: ServerParts
    private let endpoints: [any Endpoint]

    /// Makes the endpoints over the parts of a server. Routes are added in the order of the endpoints.
    package init(_ types: [any Endpoint.Type], over parts: ServerParts) {
        self.parts = parts
        endpoints = types.map { $0.init(parts) }
    }

    /// All routes of the server.
    package var routes: RouteTable {
        var routes = RouteTable()
        for endpoint in endpoints { endpoint.register(in: &routes) }
        OpenAPI.register(in: &routes)
        return routes
    }

    /// The services that the endpoints run besides answering requests.
    package var services: [any Service] { endpoints.flatMap(\.services) }

    /// Makes the router that serves the routes and the web page. Where the page cannot be read, logs that and serves
    /// the rest.
    package func router(logger: Logger) -> Router<AppRequestContext> {
        let configuration = parts.configuration
        let webAssets = WebAssets(webRoot: configuration.webRoot, mapOrigin: configuration.mapStyle?.origin)
        if let fault = webAssets.fault { logger.warning("\(fault)") }
        return routes.router(
            identity: parts.identity, metrics: parts.metrics, fallback: webAssets, origins: configuration.origins,
            isEncrypted: configuration.tls != nil)
    }
}

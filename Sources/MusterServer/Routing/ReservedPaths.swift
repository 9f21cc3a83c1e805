/// The first path segments that belong to the server itself, besides those that begin with `_`. A database may not have
/// such a name, and a request for such a path never reaches a database. A database that had the name before it was
/// reserved is still served below `/couchdb`.
package enum ReservedPaths {
    private static let segments: Set<String> = [
        // The server's own endpoints and files.
        "api", "health", "metrics", "owntracks", "osmand", "overland", "ulogger", "pub", "ruuvi", "sms", "ifttt",
        "graphql", "Marti", "couchdb", "aws", "meshblu", "live", "vendor", "licences", "assets", "index.html",
        "live.css", "push-worker.js", "muster.svg", "favicon.ico", "robots.txt", "app", "console", "me", "engine",
        "basemap", "docs", "tiles", "fonts",
        // AWS's services.
        "tracking", "geofencing", "tags", "metadata", "maps", "places", "routes", "identitypools",
        // Meshblu.
        "data", "devices", "mydevices", "messages", "subscribe", "status", "authenticate", "events", "ipaddress",
    ]

    /// Whether a first segment, spelled as in the request, belongs to the server.
    package static func contains(_ segment: some StringProtocol) -> Bool { segments.contains(String(segment)) }

    /// Whether the path belongs to CouchDB's protocol: to a database, or to another of CouchDB's own paths.
    package static func isCouchDB(_ path: String) -> Bool {
        guard let first = path.split(separator: "/").first else { return false }
        return first == "couchdb" || !(contains(first) || first.hasPrefix("."))
    }
}

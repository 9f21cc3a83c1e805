/// The first segments of paths that are the server's own, beside those that begin with `_`: no database may have such a
/// name, and no request for such a path is one for a database.
package enum ReservedPaths {
    private static let segments: Set<String> = [
        // Our own endpoints and files.
        "api", "health", "metrics", "owntracks", "pub", "couchdb", "aws", "meshblu", "live", "vendor",
        "licences", "assets", "index.html", "live.css", "push-worker.js", "muster.svg", "favicon.ico", "robots.txt",
        "app",
        "console", "docs", "tiles", "fonts",
        // AWS's services.
        "tracking", "geofencing", "tags", "metadata", "maps", "places", "routes", "identitypools",
        // Meshblu.
        "data", "devices", "mydevices", "messages", "subscribe", "status", "authenticate", "events", "ipaddress",
    ]

    /// Whether a first segment, as it is written, is the server's own.
    package static func contains(_ segment: some StringProtocol) -> Bool { segments.contains(String(segment)) }

    /// Whether a request for this path is one for a CouchDB client's database, or of another of CouchDB's paths.
    package static func isCouchDB(_ path: String) -> Bool {
        guard let first = path.split(separator: "/").first else { return false }
        return first == "couchdb" || !(contains(first) || first.hasPrefix("."))
    }
}

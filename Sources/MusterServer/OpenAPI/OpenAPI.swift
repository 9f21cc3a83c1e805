import HTTPTypes
import Hummingbird
import MusterCore
import MusterHTTP
import MusterWire
import NIOCore

/// The OpenAPI 3.1 document, generated from the table that serves the routes, so that it always matches.
package enum OpenAPI {
    /// Adds the route of the document. The document describes all routes added before it, and itself. It is written
    /// when it is first requested.
    package static func register(in routes: inout RouteTable) {
        let documentation = Route.Documentation(
            "Service", "This document.", answers: [.init(200, "OpenAPI 3.1.", json: "Object")])
        let described =
            routes.routes + [
                Route(.get, APIPaths.description, admits: .anyone, documentation) { _, _ in .noContent }
            ]
        let body = FirstUse { ByteBuffer(bytes: document(of: described)) }
        routes.add(
            Route(.get, APIPaths.description, admits: .anyone, documentation) { _, _ in
                Response(
                    status: .ok, headers: [.contentType: "application/json", .cacheControl: "public, max-age=60"],
                    body: .init(byteBuffer: body.value))
            })
    }

    /// Returns the OpenAPI document of these routes, as JSON.
    static func document(of routes: [Route]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("openapi", "3.1.0")
        writer.key("info")
        writer.beginObject()
        writer.member("title", "Muster")
        writer.member("version", "1.0.0")
        writer.member("description", "Locations and safety of a team's people.")
        writer.endObject()
        writer.key("paths")
        writer.beginObject()
        // OpenAPI only allows HTTP's own methods.
        let routes = routes.filter { $0.method != .copy }
        for path in unique(routes.map(\.path)) {
            // A parameter in OpenAPI is one segment. The rest of a path is described as one, with its slashes encoded.
            writer.key(path.replacing("...}", with: "}"))
            writer.beginObject()
            for route in routes where route.path == path { write(route, to: &writer) }
            writer.endObject()
        }
        writer.endObject()
        writeComponents(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    private static func unique(_ paths: [String]) -> [String] {
        var seen: Set<String> = []
        return paths.filter { seen.insert($0).inserted }
    }

    // MARK: A route

    private static func write(_ route: Route, to writer: inout JSONWriter) {
        let documentation = route.documentation
        writer.key(route.method.rawValue.lowercased())
        writer.beginObject()
        writer.member("operationId", operationID(of: route))
        writer.member("summary", documentation.summary)
        writer.member("tags", listing: [documentation.tag]) { $0.value($1) }
        writer.member("description", admission(of: route))
        if route.admission.isOpen { writer.member("security", listing: [String]()) { $0.value($1) } }
        writer.key("parameters")
        writer.beginArray()
        for name in route.parameters {
            write(name, in: "path", summary: "Which \(name).", schema: Schema.pathPart(name), to: &writer)
        }
        for part in documentation.query {
            write(part.name, in: "query", summary: part.summary, schema: part.schema, to: &writer)
        }
        writer.endArray()
        if !documentation.body.isEmpty {
            writer.key("requestBody")
            writer.beginObject()
            writer.member("required", true)
            write(content: documentation.body, to: &writer)
            writer.endObject()
        }
        writer.key("responses")
        writer.beginObject()
        for answer in documentation.answers { write(answer, to: &writer) }
        for status in refusals(of: route) { writeProblem(status, to: &writer) }
        writer.endObject()
        writer.endObject()
    }

    private static func operationID(of route: Route) -> String {
        let isNative = route.path.hasPrefix(APIPaths.root)
        let path = isNative ? route.path.dropFirst(APIPaths.root.count) : "/root" + route.path
        let words = path.split(separator: "/").map { $0.filter { $0.isLetter || $0.isNumber || $0 == "-" } }
        return ([route.method.rawValue.lowercased()] + words).joined(separator: "-")
    }

    private static func admission(of route: Route) -> String {
        switch route.admission {
        case .anyone: "Admits anyone."
        case .adminOrLoopback: "Admits admins, and requests from the server's own machine."
        case .link: "Admits the token of a link, and no user."
        case .linkInPath: "Admits the token in the path, of a link that was given for maps, and no user."
        case .anyoneIdentified: "Admits anyone; a valid credential identifies the user."
        case .rolesOrWebSocket(let roles): "Admits \(names(roles)), who may prove it by a message of a WebSocket."
        case .roles(let roles, let devices): "Admits \(names(roles))\(devices ? ", and a device's own token" : "")."
        }
    }

    private static func names(_ roles: Set<Role>) -> String {
        (Role.allCases + [.guest]).filter { roles.contains($0) }.map(\.rawValue).joined(separator: ", ")
    }

    private static func write(
        _ name: String, in place: String, summary: String, schema: String, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.member("name", name)
        writer.member("in", place)
        writer.member("description", summary)
        writer.member("required", place == "path")
        writer.key("schema")
        writer.raw(schema)
        writer.endObject()
    }

    // MARK: Answers

    private static func write(_ answer: Route.Answer, to writer: inout JSONWriter) {
        writer.key("\(answer.status)")
        writer.beginObject()
        writer.member("description", answer.summary)
        if !answer.body.isEmpty { write(content: answer.body, to: &writer) }
        writer.endObject()
    }

    private static func write(content: [String: String], to writer: inout JSONWriter) {
        writer.key("content")
        writer.beginObject()
        for (type, schema) in content.sorted(by: { $0.key < $1.key }) {
            writer.key(type)
            writer.beginObject()
            writer.key("schema")
            writer.raw("{\"$ref\":\"#/components/schemas/\(schema)\"}")
            writer.endObject()
        }
        writer.endObject()
    }

    /// The statuses of problems that a route may answer with, besides its documented answers.
    static func refusals(of route: Route) -> [Int] {
        var statuses = [422, 429, 500, 503]
        if !route.admission.isOpen { statuses += [401, 403] }
        // A route that admits anyone and takes a body takes a secret in it, which may be wrong.
        if route.admission.isOpen, !route.documentation.body.isEmpty { statuses.append(401) }
        if !route.parameters.isEmpty { statuses += [404] }
        if !route.documentation.body.isEmpty { statuses += [400, 413, 415] }
        if route.method != .get { statuses += [409, 507] }
        if route.path.hasSuffix("/changes") || route.path.hasSuffix("/live") { statuses += [410] }
        let said = route.documentation.answers.map(\.status)
        return statuses.filter { !said.contains($0) }.sorted()
    }

    private static func writeProblem(_ status: Int, to writer: inout JSONWriter) {
        writer.key("\(status)")
        writer.beginObject()
        writer.member("description", HTTPResponse.Status(code: status).reasonPhrase)
        write(content: ["application/problem+json": "Problem"], to: &writer)
        writer.endObject()
    }

    private static func writeComponents(to writer: inout JSONWriter) {
        writer.key("components")
        writer.beginObject()
        writer.key("schemas")
        writer.beginObject()
        for (name, schema) in Schema.named {
            writer.key(name)
            writer.raw(schema)
        }
        writer.endObject()
        writer.key("securitySchemes")
        writer.raw(#"{"bearer":{"type":"http","scheme":"bearer"},"basic":{"type":"http","scheme":"basic"}}"#)
        writer.endObject()
        writer.key("security")
        writer.raw(#"[{"bearer":[]},{"basic":[]}]"#)
    }
}

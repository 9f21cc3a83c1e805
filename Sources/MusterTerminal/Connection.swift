package import Foundation
import MusterCoding

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The native API of a server, over HTTP.
package struct Connection: Sendable {
    package let base: URL
    package let token: String
    /// The user of the operating system who runs the command, for the audit log of the server on this machine; nil for
    /// any other server.
    package let operatorName: String?

    package init(base: String, token: String, operatorName: String? = nil) throws {
        guard let base = URL(string: base), base.scheme == "http" || base.scheme == "https", base.host() != nil else {
            throw CommandFailure("'\(base)' is not an http or https address")
        }
        self.base = base
        self.token = token
        self.operatorName = operatorName
    }

    /// Sends a request below `root` and returns the body of a successful answer.
    ///
    /// - Throws: `CommandFailure` with the server's problem, or the reason why the server could not be reached.
    @discardableResult
    package func send(
        _ method: String, _ path: String, below root: String = "/api/v1", json: (any Encodable)? = nil,
        body: Data? = nil, contentType: String = "application/json"
    ) async throws -> Data {
        let (data, status) = try await exchange(
            method, path, below: root, json: json, body: body, contentType: contentType)
        guard (200..<300).contains(status) else { throw CommandFailure(problem: data, status: status, of: path) }
        return data
    }

    /// Sends a request and returns the answer, whatever its status.
    ///
    /// - Parameter timeoutSeconds: how long the server may be silent.
    package func exchange(
        _ method: String, _ path: String, below root: String = "/api/v1", json: (any Encodable)? = nil,
        body: Data? = nil, contentType: String = "application/json", timeoutSeconds: Double = 60
    ) async throws -> (Data, Int) {
        // The segments `.` and `..` of a URL would name the parent, and an empty one would name the whole list.
        let segments = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        if let segment = segments.first(where: { ["", ".", ".."].contains($0) }) {
            throw CommandFailure("'\(segment)' is not a name")
        }
        guard let url = URL(string: root + path, relativeTo: base) else {
            throw CommandFailure("'\(path)' is not a path")
        }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.timeoutInterval = timeoutSeconds
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        if let operatorName { request.setValue(operatorName, forHTTPHeaderField: "Muster-Operator") }
        if let json { request.httpBody = try Self.encode(json) }
        if let body { request.httpBody = body }
        if request.httpBody != nil { request.setValue(contentType, forHTTPHeaderField: "Content-Type") }
        do {
            // An unstructured task shields the request from cancellation: Foundation may end the process by a fatal
            // error when a request under way is cancelled.
            let (data, response) = try await Task { [request] in try await URLSession.shared.data(for: request) }.value
            try Task.checkCancellation()
            return (data, (response as? HTTPURLResponse)?.statusCode ?? 0)
        } catch let error as URLError {
            throw CommandFailure("\(base.absoluteString) cannot be reached: \(error.localizedDescription)")
        }
    }

    private static func encode(_ json: any Encodable) throws -> Data {
        do {
            return try JSONEncoder().encode(json)
        } catch EncodingError.invalidValue(let value, let context) {
            let name = context.codingPath.last.map { "\($0.stringValue): " } ?? ""
            throw CommandFailure("\(name)\(value) is no number")
        }
    }

    /// Creates an item in the list at `path`, unless one with its `name` exists.
    package func makeUnlessThere(_ path: String, json: any Encodable) async throws {
        struct Named: Decodable { var name: String }
        let (body, status) = try await exchange("POST", path, json: json)
        if (200..<300).contains(status) { return }
        // A 409 may have another reason, such as a limit.
        let name = try JSONDecoder().decode(Named.self, from: try JSONEncoder().encode(json)).name
        if status == 409, try await exchange("GET", "\(path)/\(name.segment)").1 == 200 { return }
        throw CommandFailure(problem: body, status: status, of: path)
    }

    package func get<Answer: Decodable>(_ path: String, as type: Answer.Type = Answer.self) async throws -> Answer {
        try JSONDecoder().decode(type, from: try await send("GET", path))
    }

    /// Checks that an item with a name exists, so that a command does not act on a mistyped name.
    ///
    /// - Parameters:
    ///   - kind: the kind of item, for the message: "team".
    ///   - path: the path of the list of all items of that kind.
    ///   - remedy: the command that creates one.
    /// - Throws: `CommandFailure` that lists the existing names.
    package func require(_ kind: String, called name: String, in path: String, remedy: String) async throws {
        struct Named: Decodable { var name: String }
        let names = try await list(path, of: Named.self).map(\.name)
        guard !names.contains(name) else { return }
        throw CommandFailure(
            "there is no \(kind) '\(name)'.\(Suggestion.sentence(for: name, among: names)) "
                + "The \(kind)s are: \(Suggestion.list(names)). \(remedy)")
    }

    /// Reads all pages of a list.
    package func list<Item: Decodable & Sendable>(_ path: String, of type: Item.Type = Item.self) async throws -> [Item]
    {
        var items: [Item] = []
        var cursor: String?
        repeat {
            let query = path + (path.contains("?") ? "&" : "?") + "limit=1000" + (cursor.map { "&cursor=\($0)" } ?? "")
            let page = try await get(query, as: ListPage<Item>.self)
            items += page.items
            cursor = page.nextCursor
        } while cursor != nil
        return items
    }
}

/// A page of a list, as the API sends it.
private struct ListPage<Item: Decodable & Sendable>: Decodable, Sendable {
    package var items: [Item]
    package var nextCursor: String?
}

extension String {
    /// The text, percent-encoded as a segment of a path.
    package var segment: String { PercentEncoding.encode(self) }
}

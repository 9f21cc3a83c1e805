import ArgumentParser
import Foundation
import Logging
import MusterServer
import MusterStore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The native API of a server, over HTTP.
struct Connection: Sendable {
    let base: URL
    let token: String

    init(base: String, token: String) throws {
        guard let base = URL(string: base), base.scheme == "http" || base.scheme == "https", base.host() != nil else {
            throw CommandFailure("'\(base)' is no http or https address")
        }
        self.base = base
        self.token = token
    }

    /// Sends a request below `/api/v1`, or elsewhere, and returns the body of a successful answer.
    ///
    /// - Throws: `CommandFailure` with what the server said, or why it could not be reached.
    @discardableResult
    func send(
        _ method: String, _ path: String, below root: String = "/api/v1", json: (any Encodable)? = nil,
        body: Data? = nil, contentType: String = "application/json"
    ) async throws -> Data {
        let (data, status) = try await exchange(
            method, path, below: root, json: json, body: body, contentType: contentType)
        guard (200..<300).contains(status) else { throw CommandFailure(problem: data, status: status, of: path) }
        return data
    }

    /// Sends a request and returns what came, whatever its status.
    func exchange(
        _ method: String, _ path: String, below root: String = "/api/v1", json: (any Encodable)? = nil,
        body: Data? = nil, contentType: String = "application/json"
    ) async throws -> (Data, Int) {
        guard let url = URL(string: root + path, relativeTo: base) else {
            throw CommandFailure("'\(path)' is no path")
        }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        if let json { request.httpBody = try JSONEncoder().encode(json) }
        if let body { request.httpBody = body }
        if request.httpBody != nil { request.setValue(contentType, forHTTPHeaderField: "Content-Type") }
        do {
            let (data, response) = try await URLSession.shared.data(for: request)
            return (data, (response as? HTTPURLResponse)?.statusCode ?? 0)
        } catch let error as URLError {
            throw CommandFailure("\(base.absoluteString) cannot be reached: \(error.localizedDescription)")
        }
    }

    /// Makes a named thing unless there is one of that name already.
    func makeUnlessThere(_ path: String, json: any Encodable) async throws {
        let (body, status) = try await exchange("POST", path, json: json)
        guard (200..<300).contains(status) || status == 409 else {
            throw CommandFailure(problem: body, status: status, of: path)
        }
    }

    func get<Answer: Decodable>(_ path: String, as type: Answer.Type = Answer.self) async throws -> Answer {
        try JSONDecoder().decode(type, from: try await send("GET", path))
    }

    /// Checks that something of a name exists, so that a command does not act on a mistyped one.
    ///
    /// - Parameters:
    ///   - kind: what it is, for the message: "team".
    ///   - path: the list of all of its kind.
    ///   - remedy: the command that makes it.
    /// - Throws: `CommandFailure` that lists what exists.
    func require(_ kind: String, called name: String, in path: String, remedy: String) async throws {
        struct Named: Decodable { var name: String }
        let names = try await list(path, of: Named.self).map(\.name)
        guard !names.contains(name) else { return }
        throw CommandFailure(
            "there is no \(kind) '\(name)'.\(Suggestion.sentence(for: name, among: names)) "
                + "The \(kind)s are: \(Suggestion.list(names)). \(remedy)")
    }

    /// Reads every page of a list.
    func list<Item: Decodable & Sendable>(_ path: String, of type: Item.Type = Item.self) async throws -> [Item] {
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

/// A page of a list, as the API gives it.
private struct ListPage<Item: Decodable & Sendable>: Decodable, Sendable {
    var items: [Item]
    var nextCursor: String?
}

extension Connection {
    /// Runs a command against the data in a folder: through the server that runs over it, or, when none does, through
    /// one that is started for the occasion on this machine alone. Either way it is the same road, the native API.
    ///
    /// One that starts just now is waited for, and so is another command that has one for itself; 15 seconds at most.
    ///
    /// - Throws: `CommandFailure` where the folder holds no store, and what `body` throws.
    static func withServer<Result>(
        over data: String, _ body: (Connection) async throws -> Result
    ) async throws -> Result {
        if let connection = try await running(over: data) { return try await body(connection) }
        try await DataFolder.requireStore(in: data)
        return try await withNewServer(over: data, body)
    }

    /// Runs a command through a server that is started for the occasion; makes the store where there is none.
    static func withNewServer<Result>(
        over data: String, _ body: (Connection) async throws -> Result
    ) async throws -> Result {
        var settings = Configuration(dataDirectory: data)
        settings.port = 0
        settings.isForOneCommand = true
        settings.adminPassword = ProcessInfo.processInfo.environment["MUSTER_ADMIN_PASSWORD"]
        var logger = Logger(label: "muster")
        logger.logLevel = .error
        let prepared = settings
        let quiet = logger
        var found: Connection?
        let opened = try await FolderWait(looksPerSecond: 4).open(prepared, logger: quiet) {
            found = try await running(over: data)
            return found == nil
        }
        if let found { return try await body(found) }
        guard let server = opened else { throw CommandFailure("\(data) cannot be opened") }
        return try await server.runWhile { address in
            guard let control = ControlFile.read(in: data) else {
                throw CommandFailure("the server that was started for this command left no control file in \(data)")
            }
            return try await body(Connection(base: address, token: control.key))
        }
    }

    /// The server that runs over a folder to stay; nil where none does, or has not said yet where it is.
    static func running(over data: String) async throws -> Connection? {
        guard let control = ControlFile.read(in: data), control.isForOneCommand != true else { return nil }
        let connection = try Connection(base: control.url, token: control.key)
        // A file left behind by a killed server leads nowhere, or to somebody else's server.
        guard let (_, status) = try? await connection.exchange("GET", "/session"), status == 200 else { return nil }
        return connection
    }
}

/// A failure told in a sentence; the command ends with status 1.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// What a problem document (RFC 9457) says, every fault with its place; and where nothing is at a path, the path.
    init(problem: Data, status: Int, of path: String = "") {
        struct Problem: Decodable {
            struct Fault: Decodable {
                var pointer: String?
                var detail: String
            }
            var title: String?
            var detail: String?
            var errors: [Fault]?
        }
        guard let problem = try? JSONDecoder().decode(Problem.self, from: problem) else {
            self.init("the server answered with status \(status)")
            return
        }
        let faults = (problem.errors ?? []).map { "\n  \($0.pointer.map { $0 + ": " } ?? "")\($0.detail)" }
        let place = String(path.prefix { $0 != "?" })
        if status == 404, problem.detail == nil, !place.isEmpty {
            self.init("there is nothing here by that name: \(place.removingPercentEncoding ?? place)")
            return
        }
        self.init((problem.detail ?? problem.title ?? "status \(status)") + faults.joined())
    }
}

/// Turns whatever keeps a server from starting into a sentence.
func clearly<Success>(_ body: () async throws -> Success) async throws -> Success {
    do {
        return try await body()
    } catch let error as any CustomStringConvertible & Error {
        throw CommandFailure(error.description)
    }
}

extension String {
    /// As a segment of a path.
    var segment: String {
        addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "._-"))) ?? self
    }
}

import Foundation
import Logging
import MusterCore
import MusterEndpoints
import MusterKit
import MusterReplication
import MusterServer
import MusterWire
import Testing

/// A whole server over a socket, in a folder that is gone afterwards.
struct RunningServer: Sendable {
    let address: String
    let connections: HTTPConnections
    private static let password = "admin's secret"
    /// The password of everyone that `member` makes.
    static let memberPassword = "member's secret"

    /// Serves while `body` runs.
    ///
    /// - Parameter configure: changes the settings with which the server starts.
    static func run<Result>(
        configuredBy configure: (inout Configuration) throws -> Void = { _ in },
        _ body: (RunningServer) async throws -> Result
    ) async throws -> Result {
        let folder = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var settings = Configuration(dataDirectory: folder)
        settings.port = 0
        settings.adminPassword = password
        try configure(&settings)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return try await Server(settings, endpoints: AllEndpoints.types, logger: logger).runWhile { address in
            // Its own, and closed first: a server that stops lets connections finish that are kept open.
            let connections = HTTPConnections()
            let result: Result
            do {
                result = try await body(RunningServer(address: address, connections: connections))
            } catch {
                await connections.close()
                throw error
            }
            await connections.close()
            return result
        }
    }

    /// Serves while `body` runs, by a clock that stands still.
    static func run<Result>(
        standingAt now: Instant, _ body: (RunningServer) async throws -> Result
    ) async throws -> Result {
        try await run(configuredBy: { $0.now = { now } }, body)
    }

    /// Asks the native API as the admin.
    @discardableResult
    func ask(_ method: String, _ path: String, _ json: String? = nil) async throws -> JSONValue {
        let (status, body) = try await answer(method, path, json)
        let told = String(decoding: body.prefix(1_000), as: UTF8.self)
        try #require((200..<300).contains(status), "\(method) \(path): \(status) \(told)")
        return body.isEmpty ? .null : try JSONValue(parsing: body, depthLimit: 64, valueLimit: 1_000_000)
    }

    private func answer(_ method: String, _ path: String, _ json: String? = nil) async throws -> (Int, [UInt8]) {
        try await connections.sendRequest(
            method, "\(address)/api/v1/\(path)", json: json.map { Array($0.utf8) },
            credentials: .basic(name: "admin", password: Self.password))
    }

    /// How many positions it has of somebody's phone, as an observer of observations sees them; 0 before it heard of
    /// the phone.
    func positions(of user: String) async throws -> Int {
        let (status, body) = try await answer(
            "GET", "users/\(user)/devices/phone/positions?limit=1000&from=2023-01-01T00:00:00Z")
        if status == 404 { return 0 }
        try #require(status == 200)
        return try JSONValue(parsing: body, depthLimit: 64, valueLimit: 1_000_000)["items"]?.elements?.count ?? 0
    }

    /// Makes the team crew, and a muster region for it: 50 m around the place that `fix` counts from.
    func makeMeadow() async throws {
        try await ask("POST", "teams", #"{"name":"crew"}"#)
        try await ask("POST", "collections", #"{"name":"site","policy":"raw"}"#)
        let meadow = #"""
            {"type":"FeatureCollection","features":[{"type":"Feature","id":"meadow","properties":{"radius":50,\#
            "muster":true,"name":"The meadow"},"geometry":{"type":"Point","coordinates":[13,52]}}]}
            """#
        try await ask("POST", "collections/site/regions", meadow)
    }

    /// Makes a member, and signs them in.
    ///
    /// - Parameter address: what they reach the server by; nil: its own address.
    func member(_ name: String, of team: String?, at address: String? = nil) async throws -> MusterKit.Session {
        let team = team.map { #","team":"\#($0)""# } ?? ""
        try await ask(
            "POST", "users", #"{"name":"\#(name)","role":"member","password":"\#(Self.memberPassword)"\#(team)}"#)
        let keeper = FileCredentialKeeper(path: temporaryPath())
        defer { try? keeper.deleteCredentials() }
        return try await MusterKit.Session.signIn(
            at: address ?? self.address, user: name, password: Self.memberPassword, keeper, connections: connections)
    }
}

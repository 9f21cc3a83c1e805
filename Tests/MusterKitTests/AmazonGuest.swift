import Foundation
import MusterCore
import MusterReplication
import MusterServer
import MusterWire
import Testing

/// A guest of an identity pool, over the endpoints of Cognito: someone who used an app before they signed in.
struct AmazonGuest {
    private typealias Key = (id: String, secret: String, token: String?)

    private let server: RunningServer
    private let pool: String
    private let key: Key
    let identity: String

    /// Makes an identity pool that allows guests, with its team, and a guest of it.
    init(of team: String, at server: RunningServer) async throws {
        self.server = server
        let made = try await server.ask("POST", "keys", #"{"label":"pools","user":"admin","kind":"aws"}"#)
        let admin: Key = (
            id: try #require(made["accessKeyId"]?.string), secret: try #require(made["secretAccessKey"]?.string),
            token: nil
        )
        pool = try #require(
            try await Self.ask(
                server, "AWSCognitoIdentityService.CreateIdentityPool",
                #"{"IdentityPoolName":"\#(team)","AllowUnauthenticatedIdentities":true}"#, by: admin)["IdentityPoolId"]?
                .string)
        identity = try #require(
            try await Self.ask(server, "AWSCognitoIdentityService.GetId", #"{"IdentityPoolId":"\#(pool)"}"#)[
                "IdentityId"]?.string)
        let credentials = try await Self.ask(
            server, "AWSCognitoIdentityService.GetCredentialsForIdentity", #"{"IdentityId":"\#(identity)"}"#)[
                "Credentials"]
        key = (
            id: try #require(credentials?["AccessKeyId"]?.string),
            secret: try #require(credentials?["SecretKey"]?.string), token: credentials?["SessionToken"]?.string
        )
    }

    /// Stores a record of a dataset that the guest has not stored before.
    func put(_ value: String, for record: String, in dataset: String) async throws {
        let path = "/identitypools/\(pool)/identities/\(identity)/datasets/\(dataset)"
        let listed = try await Self.send(server, "GET", path + "/records", "", service: "cognito-sync", by: key)
        let session = try #require(listed["SyncSessionToken"]?.string)
        _ = try await Self.send(
            server, "POST", path,
            #"{"SyncSessionToken":"\#(session)","RecordPatches":[{"Op":"replace","Key":"\#(record)","#
                + #""Value":"\#(value)","SyncCount":0}]}"#,
            service: "cognito-sync", by: key)
    }

    /// Signs a user of the pool's team in with the guest's identity, which merges the guest into the user.
    func signIn(as user: String, password: String) async throws {
        let settings = try await server.ask("GET", "cognito")
        let client = try #require(settings["clientId"]?.string)
        let signedIn = try await Self.ask(
            server, "AWSCognitoIdentityProviderService.InitiateAuth",
            #"{"ClientId":"\#(client)","AuthFlow":"USER_PASSWORD_AUTH","#
                + #""AuthParameters":{"USERNAME":"\#(user)","PASSWORD":"\#(password)"}}"#)
        let token = try #require(signedIn["AuthenticationResult"]?["IdToken"]?.string)
        let region = try #require(settings["region"]?.string)
        let provider = "cognito-idp.\(region).amazonaws.com/\(try #require(settings["userPoolId"]?.string))"
        _ = try await Self.ask(
            server, "AWSCognitoIdentityService.GetCredentialsForIdentity",
            #"{"IdentityId":"\#(identity)","Logins":{"\#(provider)":"\#(token)"}}"#)
    }

    // MARK: Requests

    /// Calls an operation of a service that takes all of them at one path.
    private static func ask(
        _ server: RunningServer, _ operation: String, _ json: String, by key: Key? = nil
    ) async throws -> JSONValue {
        try await send(server, "POST", "/", json, service: "cognito-identity", target: operation, by: key)
    }

    private static func send(
        _ server: RunningServer, _ method: String, _ path: String, _ json: String, service: String,
        target: String? = nil, by key: Key?
    ) async throws -> JSONValue {
        let url = try #require(URL(string: server.address))
        let time = Instant(seconds: Date().timeIntervalSince1970).amazonDate
        var values = ["host": "\(url.host() ?? ""):\(url.port ?? 80)", "x-amz-date": time]
        values["x-amz-target"] = target
        values["x-amz-security-token"] = key?.token
        var headers = values.filter { $0.key != "host" }.map { HTTPHeaderField($0.key, $0.value) }
        if let key {
            let scope = SignatureV4.Scope(date: String(time.prefix(8)), region: "us-east-1", service: service)
            let names = values.keys.sorted()
            let canonical = try #require(
                SignatureV4.canonicalRequest(
                    method: method, path: path, query: nil, signedHeaders: names,
                    bodyDigest: SigningKey.digest(of: Array(json.utf8))
                ) { name in values[name].map { [$0] } })
            let text = SignatureV4.stringToSign(at: time, scope: scope, digest: SigningKey.digest(of: canonical))
            let signature = SigningKey(secret: key.secret, scope: scope).signature(of: text)
            headers.append(
                HTTPHeaderField(
                    "Authorization",
                    SignatureV4(accessKeyID: key.id, scope: scope, signedHeaders: names, signature: signature)
                        .authorization))
        }
        headers.append(
            HTTPHeaderField("Content-Type", target == nil ? "application/json" : "application/x-amz-json-1.1"))
        let transport = AsyncHTTPTransport()
        do {
            let response = try await transport.send(
                HTTPTransportRequest(
                    method: method, url: server.address + path, headers: headers,
                    body: json.isEmpty ? nil : .bytes(Array(json.utf8)), deadlineSeconds: 60))
            var body: [UInt8] = []
            while let piece = try await response.nextPiece() { body += piece }
            await transport.close()
            try #require(response.status == 200, "\(target ?? path): \(String(decoding: body, as: UTF8.self))")
            return try JSONValue(parsing: body)
        } catch {
            await transport.close()
            throw error
        }
    }
}

import CryptoExtras
import Foundation
import MusterCoding
import MusterCore
import MusterHTTP
import MusterWire
import Synchronization

/// The service account that Google gave the operator to send by Firebase Cloud Messaging.
package struct FCMCredentials: Sendable {
    let project: String
    let account: String
    let tokenURL: String
    let key: _RSA.Signing.PrivateKey
    /// The base address of FCM; tests give another one than Google's.
    let url: String

    /// Why a file is not a service account; the detail follows the file's name in a message.
    package struct ParsingError: Error, Hashable {
        package let detail: String
    }

    /// - Parameters:
    ///   - file: the bytes of the account's JSON file.
    ///   - url: the base address of the service; nil for Google's. Only tests give one.
    /// - Throws: `ParsingError`.
    package init(file: [UInt8], url: String? = nil) throws(ParsingError) {
        guard let value = try? JSONValue(parsing: file) else { throw ParsingError(detail: "is not JSON") }
        func text(_ name: String) throws(ParsingError) -> String {
            guard let text = value[name]?.string, !text.isEmpty else { throw ParsingError(detail: "has no \(name)") }
            return text
        }
        project = try text("project_id")
        account = try text("client_email")
        tokenURL = try text("token_uri")
        guard let key = try? _RSA.Signing.PrivateKey(pemRepresentation: try text("private_key")) else {
            throw ParsingError(detail: "has no private_key of RSA, in PEM")
        }
        self.key = key
        guard (try? HTTPAddress(tokenURL)) != nil, project.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x2F })
        else { throw ParsingError(detail: "has an invalid token_uri or project_id") }
        self.url = url ?? "https://fcm.googleapis.com"
    }
}

/// Sends by Firebase Cloud Messaging, HTTP v1: an access token of OAuth for the service account (RFC 7523), and a
/// request for each message. The messages to many devices share few connections over HTTP/2, where the service offers
/// it, and are sent over HTTP/1.1 otherwise. The token is asked for over HTTP/1.1, once an hour.
final class FCMSender: PushSender {
    private let credentials: FCMCredentials
    private let client: CheckedHTTPClient
    private let now: @Sendable () -> Instant
    private let state = Mutex(State())

    private struct State {
        var token: (text: String, until: Instant)?
        /// The request for a token that is under way. All messages that need a token wait for it.
        var exchange: Task<Access, Never>?
    }

    private enum Access: Sendable {
        case token(String)
        case failed(PushOutcome)
    }

    /// Seconds before its end at which a token is renewed.
    private static let marginSeconds: Double = 300
    /// FCM keeps a message for 28 days at most.
    private static let longestSeconds = 28 * 86_400
    /// Seconds to wait after FCM's quota was used up, where FCM states no time.
    private static let quotaSeconds: Double = 60

    init(_ credentials: FCMCredentials, client: CheckedHTTPClient, now: @escaping @Sendable () -> Instant) {
        self.credentials = credentials
        self.client = client
        self.now = now
    }

    func send(_ message: PushMessage, to address: PushAddress) async -> PushOutcome {
        let access = await accessToken()
        guard case .token(let token) = access else {
            if case .failed(let outcome) = access { return outcome }
            return .retry("there is no access token", afterSeconds: nil)
        }
        do {
            let url = try HTTPAddress("\(credentials.url)/v1/projects/\(credentials.project)/messages:send")
            let headers = [
                (name: "Authorization", value: "Bearer \(token)"), (name: "Content-Type", value: "application/json"),
            ]
            let text = Self.text(of: message, to: address.token, at: now())
            guard text.count <= Self.textLimitBytes + address.token.utf8.count else {
                return .refused(PushOutcome.tooLong)
            }
            let answer = try await client.post(text, to: url, headers: headers, over: .http2)
            if answer.status == 401 { state.withLock { if $0.token?.text == token { $0.token = nil } } }
            return Self.outcome(of: answer)
        } catch let fault as CallError {
            return .retry(fault.reason, afterSeconds: nil)
        } catch {
            return .refused("the address of FCM is not a valid URL")
        }
    }

    // MARK: The access token

    private func accessToken() async -> Access {
        let now = now()
        let exchange = state.withLock { state -> Task<Access, Never>? in
            if let token = state.token, now < token.until { return nil }
            if let exchange = state.exchange { return exchange }
            let exchange = Task { await self.exchangeToken() }
            state.exchange = exchange
            return exchange
        }
        guard let exchange else {
            return state.withLock { $0.token.map { .token($0.text) } ?? .failed(.retry("", afterSeconds: nil)) }
        }
        return await exchange.value
    }

    private func exchangeToken() async -> Access {
        let access = await askForToken()
        state.withLock { $0.exchange = nil }
        return access
    }

    private func askForToken() async -> Access {
        let now = now()
        do {
            let grant = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
            let body = "grant_type=\(grant)&assertion=\(try assertion(at: now))"
            let answer = try await client.post(
                Array(body.utf8), to: try HTTPAddress(credentials.tokenURL),
                headers: [("Content-Type", "application/x-www-form-urlencoded")])
            let value = try? JSONValue(parsing: answer.body)
            guard answer.status == 200, let token = value?["access_token"]?.string else {
                let reason = value?["error"]?.string.map { " \($0)" } ?? ""
                let words = "the token server answered \(answer.status)\(reason)"
                if [400, 401, 403].contains(answer.status) {
                    return .failed(.misconfigured(words, advice: Self.advice))
                }
                return .failed(.retry(words, afterSeconds: answer.retryAfterSeconds))
            }
            let seconds = max(1, (value?["expires_in"]?.number ?? 3600) - Self.marginSeconds)
            state.withLock { $0.token = (token, now.advanced(bySeconds: seconds)) }
            return .token(token)
        } catch let fault as CallError {
            return .failed(.retry("the token server: \(fault.reason)", afterSeconds: nil))
        } catch {
            return .failed(.retry("no token could be signed", afterSeconds: nil))
        }
    }

    private func assertion(at now: Instant) throws -> String {
        let seconds = now.milliseconds / 1000
        let claims = JSONWriter.object { writer in
            writer.member("iss", credentials.account)
            writer.member("scope", "https://www.googleapis.com/auth/firebase.messaging")
            writer.member("aud", credentials.tokenURL)
            writer.member("iat", seconds)
            writer.member("exp", seconds + 3600)
        }
        let text = SignedToken.unsigned([("alg", "RS256"), ("typ", "JWT")], claims)
        let signature = try credentials.key.signature(for: Array(text.utf8), padding: .insecurePKCS1v1_5)
        return text + "." + Base64.encodeUnpadded(signature.rawRepresentation, .forURLs)
    }

    // MARK: Messages

    /// The largest message that FCM accepts, in bytes, without the device's token.
    private static let textLimitBytes = 4_096

    /// The request's body.
    static func text(of message: PushMessage, to token: String, at now: Instant) -> [UInt8] {
        PushMessage.fit(textLimitBytes + token.utf8.count) {
            text(of: message, to: token, at: now, bodyBytes: $0)
        }
    }

    private static func text(
        of message: PushMessage, to token: String, at now: Instant, bodyBytes: Int
    ) -> [UInt8] {
        JSONWriter.object { writer in
            writer.key("message")
            writer.beginObject()
            writer.member("token", token)
            writer.key("data")
            writer.pushData(message.data, asTexts: true)
            if let notice = message.notice {
                writer.key("notification")
                writer.beginObject()
                writer.member("title", PushMessage.cut(notice.title, toBytes: PushMessage.titleBytes))
                writer.member("body", PushMessage.cut(notice.body, toBytes: bodyBytes))
                writer.endObject()
            }
            writer.key("android")
            writer.beginObject()
            writer.member("collapse_key", message.collapseID)
            writer.member("priority", message.notice == nil ? "NORMAL" : "HIGH")
            writer.member("ttl", "\(min(message.secondsToLive(at: now), longestSeconds))s")
            if message.notice != nil {
                writer.key("notification")
                writer.beginObject()
                writer.member("tag", message.collapseID)
                writer.endObject()
            }
            writer.endObject()
            writer.endObject()
        }
    }

    /// What the operator can do where the service account is refused.
    private static let advice =
        "--fcm-account must be a service account of the Firebase project that the app was built with, "
        + "and be permitted to send messages"

    /// The outcome that an answer means ("ErrorCode" of FCM's HTTP v1 API). `UNREGISTERED` alone says that the device
    /// is gone: an answer 403, or 404 without it, is about this server's account or project.
    static func outcome(of answer: CallAnswer) -> PushOutcome {
        let fault = (try? JSONValue(parsing: answer.body))?["error"]
        let code = fault?["details"]?.elements?.lazy.compactMap { $0["errorCode"]?.string }.first
        let words = "answered \(answer.status)\((code ?? fault?["status"]?.string).map { " \($0)" } ?? "")"
        switch (answer.status, code) {
        case (200..<300, _): return .delivered
        case (404, "UNREGISTERED"), (410, "UNREGISTERED"): return .gone(words, since: nil)
        case (403, "SENDER_ID_MISMATCH"): return .foreign(words, advice: advice)
        case (403, _), (404, _): return .misconfigured(words, advice: advice)
        case (429, _): return .retry(words, afterSeconds: answer.retryAfterSeconds ?? Self.quotaSeconds)
        case (401, _), (500..., _): return .retry(words, afterSeconds: answer.retryAfterSeconds)
        default: return .refused(words)
        }
    }
}

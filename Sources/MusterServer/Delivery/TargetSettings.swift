package import MusterCore
package import MusterStore
import MusterWire

/// The secret settings of a target: its address, which may hold a token, the secrets that sign deliveries, and the
/// header fields that the receiver wants; of a target that sends texts also to whom and how many. They are stored
/// sealed. Afterwards the server shows only the address's scheme, host and port, the fields' names, and the recipients.
package struct TargetSettings: Hashable, Sendable {
    /// A secret that signs deliveries.
    package struct Secret: Hashable, Sendable {
        package var secret: WebhookSecret
        /// When the secret stops being used, once another has replaced it.
        package var expiresAt: Instant?

        package init(secret: WebhookSecret, expiresAt: Instant? = nil) {
            self.secret = secret
            self.expiresAt = expiresAt
        }
    }

    /// A header field that every delivery carries.
    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package var url: String
    /// The secrets, the newest first.
    package var secrets: [Secret] = []
    package var fields: [Field] = []
    /// What a target that sends texts needs beside; nil for any other kind.
    package var texts: TextSettings?

    package init(url: String, secrets: [Secret] = [], fields: [Field] = [], texts: TextSettings? = nil) {
        self.url = url
        self.secrets = secrets
        self.fields = fields
        self.texts = texts
    }

    package static let fieldLimit = 20
    static let fieldNameLimitBytes = 100
    static let fieldValueLimitBytes = 1000
    /// The hours for which a replaced secret is used beside the new one, by default.
    package static let rotationHours: Double = 24

    /// The keys that sign deliveries now.
    package func keys(at now: Instant) -> [[UInt8]] {
        secrets.filter { $0.expiresAt.map { now < $0 } ?? true }.map(\.secret.key)
    }

    /// Adds a new secret. The newest earlier secret stays in use for the given hours; older ones are removed.
    package mutating func rotate(at now: Instant, keepingHours hours: Double) -> WebhookSecret {
        let fresh = Secret(secret: WebhookSecret(), expiresAt: nil)
        var former = secrets.prefix(1).filter { _ in hours > 0 }
        for index in former.indices { former[index].expiresAt = now.advanced(bySeconds: hours * 3600) }
        secrets = [fresh] + former
        return fresh.secret
    }

    /// Why a field may not be sent; nil when it may.
    package static func fault(of field: Field) -> String? {
        let name = field.name.lowercased()
        guard !name.isEmpty, name.utf8.count <= fieldNameLimitBytes, name.utf8.allSatisfy(isOfToken) else {
            return "'\(field.name.prefix(40))' is not the name of a header field"
        }
        guard !reserved.contains(name), !name.hasPrefix("webhook-"), !name.hasPrefix("proxy-") else {
            return "\(name) is set by Muster"
        }
        let isSound = field.value.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
        guard field.value.utf8.count <= fieldValueLimitBytes, isSound else {
            return "the value of \(name) must be ASCII, at most \(fieldValueLimitBytes) bytes"
        }
        return nil
    }

    private static let reserved: Set<String> = [
        "host", "user-agent", "content-length", "content-type", "transfer-encoding", "connection", "keep-alive",
        "upgrade", "te", "trailer", "expect",
    ]

    /// Whether a byte may appear in a token (RFC 9110, section 5.6.2).
    private static func isOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

// MARK: Sealing

extension TargetSettings {
    /// The credential that stores these settings.
    package func credential(of target: TargetNumber, sealedBy vault: SecretVault, at now: Instant) -> Credential {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("url", url)
        writer.key("secrets")
        writer.beginArray()
        for secret in secrets {
            writer.beginObject()
            writer.member("secret", secret.secret.text)
            if let end = secret.expiresAt { writer.member("expiresAt", end.milliseconds) }
            writer.endObject()
        }
        writer.endArray()
        writer.key("fields")
        writer.beginArray()
        for field in fields {
            writer.beginArray()
            writer.value(field.name)
            writer.value(field.value)
            writer.endArray()
        }
        writer.endArray()
        if let texts {
            writer.key("texts")
            texts.write(to: &writer)
        }
        writer.endObject()
        return Credential(
            kind: .targetSecret, key: Self.key(of: target),
            secret: vault.seal(writer.bytes, for: Self.purpose(of: target)), createdAt: now)
    }

    /// Opens the settings that a credential stores.
    ///
    /// - Throws: `SecretVaultError.sealedOtherwise`, also when the content is malformed.
    package init(_ credential: Credential, of target: TargetNumber, openedBy vault: SecretVault)
        throws(SecretVaultError)
    {
        let bytes = try vault.open(credential.secret, for: Self.purpose(of: target))
        guard let json = try? JSONValue(parsing: bytes), let url = json["url"]?.string else { throw .sealedOtherwise }
        self.url = url
        secrets = (json["secrets"]?.elements ?? []).compactMap { entry in
            entry["secret"]?.string.flatMap(WebhookSecret.init).map {
                Secret(secret: $0, expiresAt: entry["expiresAt"]?.integer.map { Instant(milliseconds: $0) })
            }
        }
        fields = (json["fields"]?.elements ?? []).compactMap { entry in
            guard let pair = entry.elements?.compactMap(\.string), pair.count == 2 else { return nil }
            return Field(name: pair[0], value: pair[1])
        }
        texts = json["texts"].flatMap { TextSettings(stored: $0) }
    }

    /// The key of a target's credential.
    package static func key(of target: TargetNumber) -> [UInt8] {
        withUnsafeBytes(of: target.rawValue.bigEndian) { [UInt8]($0) }
    }

    private static func purpose(of target: TargetNumber) -> String { "target \(target.rawValue)" }
}

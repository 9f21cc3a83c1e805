import Crypto
import MusterCoding
package import MusterCore
import MusterHTTP
package import MusterStore

/// The push service that delivers messages to a device.
package enum PushPlatform: String, Hashable, Sendable, CaseIterable {
    /// Web Push (RFC 8030): browsers, web apps on a Home Screen, UnifiedPush distributors.
    case webPush = "webpush"
    /// Apple's push notification service.
    case apns
    /// Apple's push notification service for development builds.
    case apnsSandbox = "apns-sandbox"
    /// Firebase Cloud Messaging.
    case fcm
}

/// The address that a device's pushes are sent to: a token of its platform, or a subscription of Web Push. It is a
/// secret, because anyone who has it can send to the device.
package struct PushAddress: Hashable, Sendable {
    package let platform: PushPlatform
    /// The token; for Web Push the URL of the push resource.
    package let token: String
    /// The keys that messages are encrypted for; Web Push alone has them.
    package let keys: WebPushKeys?
    /// The page that a click on a message opens, where the device named one.
    package let page: String?
    /// The Live Activities that the token is for; nil for the address of a device.
    package let activity: PushActivity?

    /// The largest token, in bytes: FCM's are a few hundred.
    package static let tokenLimitBytes = 4_096

    /// Why a text is not an address; the detail follows the field's name in a message.
    package struct ParsingError: Error, Hashable {
        /// The member of a request that is wrong.
        package let field: String
        package let detail: String

        package init(_ field: String, _ detail: String) {
            self.field = field
            self.detail = detail
        }
    }

    /// Makes the address of an app, by a token of its platform.
    ///
    /// - Parameter activity: the Live Activities that the token is for; nil for the token of the device.
    /// - Throws: `ParsingError` where the token is not one of the platform, or the platform has no Live Activities.
    package init(
        _ platform: PushPlatform, token: String, activity: PushActivity? = nil
    ) throws(ParsingError) {
        guard activity == nil || platform.hasActivities else {
            throw ParsingError("activity", "is for apns and apns-sandbox")
        }
        guard (1...Self.tokenLimitBytes).contains(token.utf8.count) else {
            throw ParsingError("token", "must be of 1 to \(Self.tokenLimitBytes) bytes")
        }
        switch platform {
        case .webPush: throw ParsingError("token", "is of apps: webpush has a subscription")
        case .apns, .apnsSandbox:
            guard token.utf8.count % 2 == 0, (16...512).contains(token.utf8.count),
                token.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
            else { throw ParsingError("token", "must be a device token of APNs in hexadecimal digits") }
        case .fcm:
            guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw ParsingError("token", "must be a registration token of FCM: ASCII without spaces")
            }
        }
        self.platform = platform
        self.token = token
        keys = nil
        page = nil
        self.activity = activity
    }

    /// Makes the address of a subscription of Web Push.
    ///
    /// - Parameters:
    ///   - endpoint: the URL of the push resource.
    ///   - page: the page that a click on a message opens.
    ///   - allowsPlain: whether an endpoint without TLS is accepted, as in a test.
    /// - Throws: `ParsingError` where a part of it cannot be used.
    package init(
        endpoint: String, keys: WebPushKeys, page: String?, allowsPlain: Bool
    ) throws(ParsingError) {
        do {
            let address = try HTTPAddress(endpoint)
            guard address.isEncrypted || allowsPlain else {
                throw ParsingError("subscription", "endpoint must begin with https://")
            }
            if let page {
                guard try HTTPAddress(page).isEncrypted || allowsPlain else {
                    throw ParsingError("page", "must begin with https://")
                }
            }
        } catch let fault as ParsingError {
            throw fault
        } catch let fault as HTTPAddress.ParsingError {
            throw ParsingError((try? HTTPAddress(endpoint)) == nil ? "subscription" : "page", fault.detail)
        } catch {
            throw ParsingError("subscription", "is not valid")
        }
        platform = .webPush
        token = endpoint
        self.keys = keys
        self.page = page
        activity = nil
    }

    /// The id of a device with this address: the same token is the same device, also when another user uses it.
    package var deviceID: String {
        let digest = SHA256.hash(data: Array("\(platform.rawValue) \(token)".utf8))
        return Base64.encodeUnpadded(Array(digest).prefix(16), .forURLs)
    }

    /// The service that the pushes go to, without secrets, for logs and lists.
    package var service: String {
        guard platform == .webPush else { return platform.rawValue }
        return "\(platform.rawValue) \((try? HTTPAddress(token))?.shown ?? "")"
    }
}

// MARK: Sealing

extension PushAddress {
    /// The credential that stores the address for a user.
    package func credential(of user: UserNumber, sealedBy vault: SecretVault, at now: Instant) -> Credential {
        let id = deviceID
        var bytes: [UInt8] = []
        for part in [Array(token.utf8), keys?.publicKey ?? [], keys?.secret ?? [], Array((page ?? "").utf8)] {
            bytes.append(UInt8(truncatingIfNeeded: part.count >> 8))
            bytes.append(UInt8(truncatingIfNeeded: part.count))
            bytes += part
        }
        return Credential(
            kind: .pushDevice, key: Array(id.utf8), user: user,
            label: [service, activity?.label].compactMap(\.self).joined(separator: " "),
            secret: vault.seal(bytes, for: Self.purpose(of: id)), createdAt: now)
    }

    /// Opens the address that a credential stores.
    ///
    /// - Throws: `SecretVaultError.sealedOtherwise`, also when the content is malformed.
    package init(_ credential: Credential, openedBy vault: SecretVault) throws(SecretVaultError) {
        let device = PushDevice(credential)
        var rest = try vault.open(credential.secret, for: Self.purpose(of: device?.id ?? ""))[...]
        var parts: [ArraySlice<UInt8>] = []
        while rest.count >= 2, let high = rest.popFirst(), let low = rest.popFirst() {
            let count = Int(high) << 8 | Int(low)
            guard count <= rest.count else { throw .sealedOtherwise }
            parts.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        guard let device, parts.count == 4, let token = String(validating: parts[0], as: UTF8.self) else {
            throw .sealedOtherwise
        }
        platform = device.platform
        self.token = token
        keys = try? WebPushKeys(publicKey: Array(parts[1]), secret: Array(parts[2]))
        page = parts[3].isEmpty ? nil : String(decoding: parts[3], as: UTF8.self)
        activity = device.activity
        if platform == .webPush, keys == nil { throw .sealedOtherwise }
    }

    private static func purpose(of device: String) -> String { "push device \(device)" }
}

/// A push device as lists show it: everything but its address.
package struct PushDevice: Hashable, Sendable {
    /// The id of the device: `PushAddress.deviceID`.
    package let id: String
    package let platform: PushPlatform
    /// The service that its pushes go to: the platform, and for Web Push the server.
    package let service: String
    /// The Live Activities that its token is for; nil for a device, which gets every other message.
    package let activity: PushActivity?
    package let createdAt: Instant

    /// The name of the service in the schedule. Live Activities have one of their own, so that Apple's refusals of
    /// them, for example of too many, delay no call for help.
    var scheduleService: String { activity == nil ? service : "\(service) live activities" }

    /// The device of a credential; nil for a credential that is not a push device.
    package init?(_ credential: Credential) {
        let words = credential.label.split(separator: " ", maxSplits: 1).map(String.init)
        guard credential.kind == .pushDevice, credential.user != nil,
            let platform = words.first.flatMap({ PushPlatform(rawValue: $0) })
        else { return nil }
        activity = platform.hasActivities && words.count > 1 ? PushActivity(label: words[1]) : nil
        id = String(decoding: credential.key, as: UTF8.self)
        self.platform = platform
        service = platform.hasActivities ? platform.rawValue : credential.label
        createdAt = credential.createdAt
    }
}

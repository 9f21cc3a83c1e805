public import Foundation
import MusterWire

extension Muster {
    /// The contents of a silent push: a dataset of the person has changed on the server.
    ///
    /// ```
    /// guard let update = Muster.PushUpdate(userInfo) else { return }
    /// let dataset = try muster.dataset(update.datasetName)
    /// if try await dataset.lastSyncCount < update.syncCount { try await dataset.synchronize() }
    /// ```
    public struct PushUpdate: Hashable, Sendable {
        /// The value that distinguishes such a push from others: `cognito-sync`.
        public var source: String
        /// The identity pool: the person's team.
        public var identityPoolID: String
        /// The identity in it: the person.
        public var identityID: String
        /// The dataset that changed, to pass to `Muster.dataset(_:)`.
        public var datasetName: String
        /// The dataset's sync count on the server. If it is not above `Dataset.lastSyncCount`, the device knows the
        /// change already.
        public var syncCount: Int64

        /// The value of `source` in these pushes.
        public static let source = "cognito-sync"

        /// Reads the payload of a push: `userInfo` of a remote notification, or the data of a message. The keys are at
        /// its top or under `data`; the count is a number or, as FCM sends it, its digits.
        ///
        /// - Returns: nil for a push of another source, or with a key missing.
        public init?(_ payload: [AnyHashable: Any]) {
            if let update = Self(reading: payload) {
                self = update
            } else if let inner = payload["data"] as? [AnyHashable: Any], let update = Self(reading: inner) {
                self = update
            } else if let text = payload["data"] as? String, let update = Self(json: Data(text.utf8)) {
                self = update
            } else {
                return nil
            }
        }

        /// Reads the payload of a push in JSON, as Web Push and UnifiedPush deliver it.
        ///
        /// - Returns: nil for data that are not a JSON object, for a push of another source, or with a key missing.
        public init?(json: Data) {
            guard let value = try? JSONValue(parsing: [UInt8](json)) else { return nil }
            let payload = Self.members(of: value["data"] ?? value)
            guard let update = Self(reading: payload) ?? Self(reading: Self.members(of: value)) else { return nil }
            self = update
        }

        private init?(reading payload: [AnyHashable: Any]) {
            guard payload["source"] as? String == Self.source, let pool = payload["identityPoolId"] as? String,
                let identity = payload["identityId"] as? String, let name = payload["datasetName"] as? String,
                let count = Self.count(payload["syncCount"])
            else { return nil }
            source = Self.source
            identityPoolID = pool
            identityID = identity
            datasetName = name
            syncCount = count
        }

        private static func count(_ value: Any?) -> Int64? {
            switch value {
            case let number as Int64: number
            case let number as Int: Int64(number)
            case let number as Double: Int64(exactly: number)
            case let number as NSNumber: number.int64Value
            case let text as String: Int64(text)
            default: nil
            }
        }

        private static func members(of value: JSONValue) -> [AnyHashable: Any] {
            (value.members ?? []).reduce(into: [:]) { payload, member in
                if let text = member.value.string { payload[member.key] = text }
                if let number = member.value.integer { payload[member.key] = number }
            }
        }
    }
}

import MusterCoding
package import MusterCore

/// The origin of events: the account and region that ARNs name, and the store.
package struct EventOrigin: Hashable, Sendable {
    /// The AWS account: twelve digits.
    package let account: String
    /// The AWS region, such as `us-east-1`.
    package let region: String
    let high: UInt64
    let low: UInt64

    /// Creates an origin.
    ///
    /// - Parameter store: the store's UUID.
    package init(account: String, region: String, store: String) {
        self.account = account
        self.region = region
        let digits = store.filter(\.isHexDigit)
        high = UInt64(digits.prefix(16), radix: 16) ?? 0
        low = UInt64(digits.suffix(16), radix: 16) ?? 0
    }

    /// Returns the id of a change's event: a UUID of version 8 (RFC 9562), always the same for the same change of the
    /// same store. When a restored backup leads to another change with the same number, committed at another time, that
    /// one has another id.
    package func id(of sequence: LogSequence, at committedAt: Instant) -> String {
        let high = (high ^ Self.scatter(UInt64(bitPattern: committedAt.milliseconds))) & ~0xF000 | 0x8000
        let low = (low ^ UInt64(bitPattern: sequence.rawValue)) & ~(3 << 62) | 2 << 62
        var digits: [UInt8] = []
        digits.append(hexadecimal: high)
        digits.append(hexadecimal: low)
        return Hexadecimal.uuid(digits)
    }

    /// The finishing step of SplitMix64: every bit of the result depends on every bit of the input, and different
    /// numbers stay different.
    static func scatter(_ number: UInt64) -> UInt64 {
        var bits = number
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}

extension EventOrigin {
    package func arn(ofCollection name: String) -> String { arn("geo", "geofence-collection/\(name)") }
    package func arn(ofTracker name: String) -> String { arn("geo", "tracker/\(name)") }
    package func arn(ofRule name: String) -> String { arn("events", "rule/\(name)") }
    package func arn(ofTarget name: String) -> String { arn("muster", "target/\(name)") }
    package func arn(ofTeam name: String) -> String { arn("muster", "team/\(name)") }

    private func arn(_ service: String, _ resource: String) -> String {
        "arn:aws:\(service):\(region):\(account):\(resource)"
    }

    /// Returns the name of the target in an ARN, whatever its region and account; nil for an ARN of anything else.
    package static func targetName(in arn: String) -> String? {
        let kind = "target/"
        let parts = arn.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "arn", parts[1].hasPrefix("aws"), parts[2] == "muster",
            parts[5].hasPrefix(kind), parts[5].count > kind.count
        else { return nil }
        return String(parts[5].dropFirst(kind.count))
    }
}

/// The tracker or collection that an Amazon Resource Name of the location service names. Account and region may be any
/// that are well formed, because there is one Muster.
package enum AmazonResource: Hashable, Sendable {
    case tracker(String)
    case collection(String)

    /// Reads `arn:aws:geo:REGION:ACCOUNT:tracker/NAME` or `…:geofence-collection/NAME`; nil for any other text, and for
    /// a name that no resource can have.
    package init?(arn: String) {
        let parts = arn.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false)
        guard AmazonText.arn.allows(arn), parts.count == 6, parts[1] == "aws" || parts[1].hasPrefix("aws-"),
            parts[2] == "geo", parts[4].utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        let resource = parts[5].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard resource.count == 2, AmazonText.resourceName.allows(String(resource[1])) else { return nil }
        switch resource[0] {
        case "tracker": self = .tracker(String(resource[1]))
        case "geofence-collection": self = .collection(String(resource[1]))
        default: return nil
        }
    }

    /// Returns the resource's name in a region and an account.
    package func arn(region: String, account: String) -> String {
        let resource =
            switch self {
            case .tracker(let name): "tracker/\(name)"
            case .collection(let name): "geofence-collection/\(name)"
            }
        return "arn:aws:geo:\(region):\(account):\(resource)"
    }
}

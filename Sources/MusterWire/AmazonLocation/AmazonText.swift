/// The texts that Amazon's model allows for a member: the length in Unicode scalars, and the characters.
package struct AmazonText: Sendable {
    private let lengths: ClosedRange<Int>
    private let pattern: String?
    private let isAdmitted: @Sendable (Unicode.Scalar) -> Bool
    private let hasForm: @Sendable (String) -> Bool

    private init(
        _ lengths: ClosedRange<Int>, pattern: String? = nil,
        of isAdmitted: @escaping @Sendable (Unicode.Scalar) -> Bool = { _ in true },
        form hasForm: @escaping @Sendable (String) -> Bool = { _ in true }
    ) {
        self.lengths = lengths
        self.pattern = pattern
        self.isAdmitted = isAdmitted
        self.hasForm = hasForm
    }

    /// The name of a tracker or a collection.
    package static let resourceName = AmazonText(1...100, pattern: #"[-._\w]+"#) { scalar in
        scalar.isASCII && (scalar.isLetterOrNumber || "-._".unicodeScalars.contains(scalar))
    }
    /// The id of a geofence. `.` and `..` are refused, because no URL can name them.
    package static let id = AmazonText(
        1...100, pattern: #"[-._\p{L}\p{N}]+"#,
        of: { $0.isLetterOrNumber || "-._".unicodeScalars.contains($0) }, form: { $0 != "." && $0 != ".." })
    /// The id of a device. Muster also allows a slash and an at sign, which the names of its own devices have.
    package static let deviceID = AmazonText(1...200, pattern: #"[-._\p{L}\p{N}]+"#) { scalar in
        scalar.isLetterOrNumber || "-._/@".unicodeScalars.contains(scalar)
    }
    /// The description of a resource.
    package static let description = AmazonText(0...1000)
    package static let tagKey = AmazonText(1...128, pattern: tagPattern, of: isOfTag)
    package static let tagValue = AmazonText(0...256, pattern: tagPattern, of: isOfTag)
    package static let propertyKey = AmazonText(1...20)
    /// The value of a geofence's property.
    package static let geofenceProperty = AmazonText(1...40)
    /// The value of a position's property.
    package static let positionProperty = AmazonText(1...150)
    /// A resource name, `arn:…`, of any service.
    package static let arn = AmazonText(
        0...1600, pattern: "arn(:[a-z0-9]+([.-][a-z0-9]+)*){2}(:([a-z0-9]+([.-][a-z0-9]+)*)?){2}:([^/].*)?",
        form: isARN)
    /// The token of a page.
    package static let token = AmazonText(1...2000)
    /// A geobuf in base 64.
    package static let geobuf = AmazonText(0...933_336)
    /// The key of a dataset's record. The store checks its length in bytes.
    package static let recordKey = AmazonText(1...1024)
    /// The value of a dataset's record.
    package static let recordValue = AmazonText(0...1_048_575)
    /// The id of a device that receives pushes.
    package static let deviceOfSync = AmazonText(1...256)
    /// The token by which a platform's push service knows a device.
    package static let pushToken = AmazonText(1...4096)
    /// The id of an identity pool or an identity.
    package static let cognitoID = AmazonText(
        1...CognitoID.lengthLimit, pattern: #"[\w-]+:[0-9a-f-]+"#, form: CognitoID.hasForm)
    package static let userName = AmazonText(1...128)
    /// A token, or another parameter of a sign-in.
    package static let authParameter = AmazonText(0...8192)
    /// Any text of up to 2,048 scalars.
    package static let any = AmazonText(0...2048)

    private static let tagPattern = #"([\p{L}\p{Z}\p{N}_.,:/=+\-@]*)"#
    private static let isOfTag: @Sendable (Unicode.Scalar) -> Bool = { scalar in
        scalar.isLetterOrNumber || scalar.isSeparator || "_.,:/=+-@".unicodeScalars.contains(scalar)
    }

    /// Whether a text is `arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE`, where region, account and resource may be
    /// empty and the resource begins with no slash.
    @Sendable
    private static func isARN(_ text: String) -> Bool {
        let parts = text.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "arn" else { return false }
        let isFormed = (1...4).allSatisfy { index in (index > 2 && parts[index].isEmpty) || isPart(parts[index]) }
        return isFormed && !parts[5].hasPrefix("/") && !parts[5].unicodeScalars.contains { lineEnds.contains($0) }
    }

    /// The characters that a dot of a pattern does not match.
    private static let lineEnds: Set<Unicode.Scalar> = ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"]

    /// Whether a part of a resource name consists of lower-case letters and digits, with single dots and hyphens
    /// between them.
    private static func isPart(_ part: Substring) -> Bool {
        var wasSeparator = true
        for byte in part.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): wasSeparator = false
            case UInt8(ascii: "."), UInt8(ascii: "-"):
                if wasSeparator { return false }
                wasSeparator = true
            default: return false
            }
        }
        return !wasSeparator
    }

    /// Returns the fault of a text in AWS's words; nil when it has none.
    package func fault(in text: String) -> String? {
        let count = text.unicodeScalars.count
        if count < lengths.lowerBound {
            return "Member must have length greater than or equal to \(lengths.lowerBound)"
        }
        if count > lengths.upperBound {
            return "Member must have length less than or equal to \(lengths.upperBound)"
        }
        guard let pattern, !text.unicodeScalars.allSatisfy(isAdmitted) || !hasForm(text) else { return nil }
        return "Member must satisfy regular expression pattern: \(pattern)"
    }

    package func allows(_ text: String) -> Bool { fault(in: text) == nil }
}

extension Unicode.Scalar {
    /// Whether the scalar is in one of Unicode's categories L and N.
    fileprivate var isLetterOrNumber: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            true
        default: self == "_"
        }
    }

    fileprivate var isSeparator: Bool {
        switch properties.generalCategory {
        case .spaceSeparator, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

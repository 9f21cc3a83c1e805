import MusterCoding
package import MusterCore

/// The id by which Cognito's clients name a team or a user: `REGION:UUID`.
///
/// Each team is an identity pool, and the users without a team are one more; each user is an identity. The UUID is of
/// version 8 (RFC 9562), with the entity's number in its last 32 bits and bits of the store's UUID in the others. So an
/// id never changes, needs no look-up, and is no id of another store.
package enum CognitoID: Hashable, Sendable {
    /// The identity pool of a team; nil stands for the users without a team.
    case pool(TeamNumber?)
    /// A user's identity.
    case identity(UserNumber)

    /// The longest id, in characters.
    package static let lengthLimit = 55

    /// Whether a text has the form of an id: `[\w-]+:[0-9a-f-]+`.
    @Sendable
    package static func hasForm(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty
            && parts[0].utf8.allSatisfy { byte in
                byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                    || (byte < 0x80 && Character(Unicode.Scalar(byte)).isLetterOrDigit)
            }
            && parts[1].allSatisfy { $0 == "-" || ("0"..."9").contains($0) || ("a"..."f").contains($0) }
    }
}

extension Character {
    fileprivate var isLetterOrDigit: Bool { isASCII && (isLetter || isNumber) }
}

extension EventOrigin {
    /// Returns the text of an id in this store.
    package func text(of id: CognitoID) -> String {
        let (kind, number) =
            switch id {
            case .pool(let team): (UInt64(0), UInt32(bitPattern: team?.rawValue ?? 0))
            case .identity(let user): (UInt64(1), UInt32(bitPattern: user.rawValue))
            }
        var digits: [UInt8] = []
        digits.append(hexadecimal: high & ~0xFFFF | 0x8000 | kind)
        digits.append(hexadecimal: (low & ~(3 << 62) | 2 << 62) & ~0xFFFF_FFFF | UInt64(number))
        return "\(region):\(Hexadecimal.uuid(digits))"
    }

    /// Reads an id of this store; nil for any other text.
    package func cognitoID(_ text: String) -> CognitoID? {
        guard text.utf8.count <= CognitoID.lengthLimit, let digits = text.split(separator: "-").last,
            digits.utf8.count == 12, let tail = UInt64(digits, radix: 16)
        else { return nil }
        let number = Int32(bitPattern: UInt32(truncatingIfNeeded: tail))
        let candidates: [CognitoID] = [
            .identity(UserNumber(number)), .pool(number == 0 ? nil : TeamNumber(number)),
        ]
        return candidates.first { self.text(of: $0) == text }
    }
}

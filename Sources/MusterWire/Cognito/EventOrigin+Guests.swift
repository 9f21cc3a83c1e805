import MusterCoding
package import MusterCore

/// The text form of guests' identities. Users' identities have the same form; the two differ in their bits.
extension EventOrigin {
    /// Returns the text of a guest's identity: `REGION:UUID`.
    package func text(of guest: GuestID) -> String {
        var digits: [UInt8] = []
        digits.append(hexadecimal: guest.high)
        digits.append(hexadecimal: guest.low)
        return "\(region):\(Hexadecimal.uuid(digits))"
    }

    /// Reads a text that may be a guest's identity; nil for a text of another form, and for the id of a user or a pool.
    /// `Identity` checks whether this server issued it.
    package func guestID(_ text: String) -> GuestID? {
        guard text.utf8.count <= CognitoID.lengthLimit, text.hasPrefix("\(region):") else { return nil }
        let digits = text.dropFirst(region.count + 1).filter { $0 != "-" }
        guard digits.utf8.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
            let low = UInt64(digits.suffix(16), radix: 16)
        else { return nil }
        let guest = GuestID(high: high, low: low)
        guard self.text(of: guest) == text, cognitoID(text) == nil else { return nil }
        return guest
    }
}

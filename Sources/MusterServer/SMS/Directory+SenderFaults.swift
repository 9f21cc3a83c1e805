package import MusterCore
import MusterWire

/// Why texts from the telephone number of a user are not surely known as that user's.
package enum SenderFault: Hashable, Sendable {
    /// No sender's number is the same as this one.
    case matchesNoSender
    /// The number has no country code, and the operator named none for such numbers.
    case hasNoCountry
    /// These other users have the same number, so its texts may be of any of them.
    case isShared(with: [String])

    /// What is wrong, and what to do, as a sentence about a user. It does not tell the number.
    package func words(of user: User) -> String {
        switch self {
        case .matchesNoSender:
            "No text by SMS counts as from \(user.name), because the number cannot be a sender's. "
                + "Write it with + and the country code."
        case .hasNoCountry:
            "Texts by SMS count as from \(user.name) only where the gateway writes the number without a country code. "
                + "Write it with + and the country code, or start the server with --sms-country."
        case .isShared(let others):
            "Texts by SMS from the number of \(user.name) may also be of \(others.joined(separator: ", ")), so only "
                + "calls for help count. Give each person a number of their own."
        }
    }
}

extension PhoneNumber {
    /// Whether the number of any sender can be the same as this one where it is a user's. None can be where the number
    /// has no sign, does not begin with the operator's country code, and is too long or too short to be national.
    package var canMatchSenders: Bool { isSame(as: self) }
}

extension Directory {
    /// Why texts from a user's number are not surely known as that user's; nil where they are, and without a number.
    ///
    /// - Parameter country: as for `TextSenders`.
    /// - Complexity: O(users).
    package func senderFault(of user: User, country: String?) -> SenderFault? {
        user.phone.flatMap { senderFault(of: user, phone: $0, among: Array(users.all), country: country) }
    }

    /// The users whose texts are not surely known as theirs, in the order of their names, with the reason.
    ///
    /// - Complexity: O(users), where few numbers end alike.
    package func senderFaults(country: String?) -> [(user: User, fault: SenderFault)] {
        let people = users.all.filter { $0.phone != nil }.sorted { $0.name < $1.name }
        let alike = Dictionary(grouping: people) { Self.lastDigits($0.phone) }
        return people.compactMap { user in
            guard let phone = user.phone else { return nil }
            let others = alike[Self.lastDigits(phone)] ?? []
            return senderFault(of: user, phone: phone, among: others, country: country).map { (user, $0) }
        }
    }

    private func senderFault(
        of user: User, phone: String, among people: [User], country: String?
    ) -> SenderFault? {
        guard let number = PhoneNumber(phone, country: country), number.canMatchSenders else { return .matchesNoSender }
        let others = people.filter { other in
            guard other.number != user.number, let text = other.phone, number.endsLike(text),
                let stored = PhoneNumber(text, country: country)
            else { return false }
            return number.isSame(as: stored) || stored.isSame(as: number)
        }
        if !others.isEmpty { return .isShared(with: others.map(\.name).sorted()) }
        return country == nil && !phone.hasPrefix("+") && !phone.hasPrefix("00") ? .hasNoCountry : nil
    }

    /// The last digits, which equal numbers share.
    private static func lastDigits(_ phone: String?) -> String {
        String((phone ?? "").filter { ("0"..."9").contains($0) }.suffix(PhoneNumber.digitCount.lowerBound))
    }
}

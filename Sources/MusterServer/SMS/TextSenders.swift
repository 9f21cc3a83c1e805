package import MusterCore
package import MusterGeometry
import MusterWire
import Synchronization

/// Who sends texts: finds the person of a number, bounds how many texts of a person are answered, and asks for a code
/// before a "safe" counts.
///
/// Anyone who knows a number can send a text that seems to come from it, but the answer goes to the phone that has the
/// number. So whoever writes the code that an answer named holds that phone. Codes, rates and the last answers are in
/// memory and end with the process: a person who wrote "safe" before a restart is then asked again.
package final class TextSenders: Sendable {
    /// How long a code may be used, in minutes.
    package static let codeMinutes = 15
    /// How many texts of a person are answered at once, and in an hour. Calls for help are counted apart, so that other
    /// texts under the person's number do not use up the answers to them.
    static let burst = 10.0
    static let perHour = 60.0
    /// How many texts of a person that are not understood are answered at once, and in an hour: two programs that
    /// answer each other must not do so for long.
    static let unknownBurst = 3.0
    static let unknownPerHour = 3.0
    /// How many wrong codes of a person are compared at once, and in an hour. Further codes count as wrong unread.
    /// There are a million codes, so a stranger who tries for a year finds one with a chance of 4 %.
    static let wrongBurst = 5.0
    static let wrongPerHour = 5.0
    /// How many answers are kept, for gateways that send a text again.
    static let answerLimit = 1_000

    /// A code that a person was asked for.
    package struct OpenCode: Hashable, Sendable {
        let code: String
        /// When the code was made: a text with it was written after that, however late it arrives.
        package let openedAt: Instant
        let expiresAt: Instant
        /// Where the person wrote to be before they were asked.
        package let place: Coordinate?
    }

    /// What a text asks an answer to.
    package enum Kind: Hashable, Sendable { case call, other, unknown }

    private struct Tables {
        var rates = QuotaBuckets<UserNumber>(perSecond: perHour / 3_600, burst: burst)
        var callRates = QuotaBuckets<UserNumber>(perSecond: perHour / 3_600, burst: burst)
        var unknownRates = QuotaBuckets<UserNumber>(perSecond: unknownPerHour / 3_600, burst: unknownBurst)
        var wrongCodes = QuotaBuckets<UserNumber>(perSecond: wrongPerHour / 3_600, burst: wrongBurst)
        var codes: [UserNumber: OpenCode] = [:]
        var usedCodes: [UserNumber: String] = [:]
        var answers: [String: String] = [:]
        /// The ids of `answers`, the oldest first.
        var answered: [String] = []
    }

    private let country: String?
    private let waitClock: @Sendable () -> ContinuousClock.Instant
    private let randomBytes: @Sendable (Int) -> [UInt8]
    private let tables = Mutex(Tables())

    /// - Parameter country: the digits of the country code of numbers that have none.
    package init(
        country: String?, waitClock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        randomBytes: @escaping @Sendable (Int) -> [UInt8] = SecretToken.randomBytes
    ) {
        self.country = country
        self.waitClock = waitClock
        self.randomBytes = randomBytes
    }

    /// Finds the users who have a number; nobody has what is no number.
    ///
    /// - Complexity: O(users).
    package func owners(of text: String, in directory: Directory) -> [User] {
        guard let number = PhoneNumber(text, country: country) else { return [] }
        return directory.users.all.filter { user in
            guard let phone = user.phone, number.endsLike(phone) else { return false }
            return PhoneNumber(phone, country: country).map { number.isSame(as: $0) } ?? false
        }
    }

    /// Whether one more text of a user is answered.
    package func admitText(of user: UserNumber, _ kind: Kind) -> Bool {
        let now = waitClock()
        return tables.withLock { tables in
            switch kind {
            case .call: tables.callRates.spendTokens(1, of: user, at: now) == nil
            case .other: tables.rates.spendTokens(1, of: user, at: now) == nil
            case .unknown:
                tables.rates.spendTokens(1, of: user, at: now) == nil
                    && tables.unknownRates.spendTokens(1, of: user, at: now) == nil
            }
        }
    }

    // MARK: Codes

    /// The code that a user must write to count as safe: the open one, or else a new one.
    ///
    /// - Parameters:
    ///   - place: where the user says to be; the place of a later text replaces it.
    ///   - newest: when the newest was said of the user, or an incident began. A code from before it would not count.
    package func openCode(of user: UserNumber, at place: Coordinate?, after newest: Instant?, now: Instant) -> String {
        let fresh = makeCode()
        return tables.withLock { tables in
            tables.codes = tables.codes.filter { now < $0.value.expiresAt }
            var open = tables.codes[user]
            if let openedAt = open?.openedAt, let newest, openedAt <= newest { open = nil }
            let code = OpenCode(
                code: open?.code ?? fresh, openedAt: open?.openedAt ?? now,
                expiresAt: open?.expiresAt ?? now.advanced(bySeconds: Double(Self.codeMinutes) * 60),
                place: place ?? open?.place)
            tables.codes[user] = code
            return code.code
        }
    }

    /// The open code of a user where the given code is it; it stays open.
    ///
    /// - Returns: nil for a wrong code, and for any code where none is open or too many were wrong.
    package func matchingCode(_ code: String, of user: UserNumber, now: Instant) -> OpenCode? {
        let moment = waitClock()
        return tables.withLock { tables in
            guard let open = tables.codes[user], now < open.expiresAt,
                tables.wrongCodes.tokens(of: user, at: moment) >= 1
            else { return nil }
            guard Array(code.utf8).isEqualInConstantTime(to: Array(open.code.utf8)) else {
                _ = tables.wrongCodes.spendTokens(1, of: user, at: moment)
                return nil
            }
            return open
        }
    }

    /// Closes the open code of a user: it has been used, or the user called for help after it.
    ///
    /// - Parameter code: the code to close where it is still open; nil for any.
    package func closeCode(_ code: OpenCode? = nil, of user: UserNumber) {
        tables.withLock { tables in
            if let code { tables.usedCodes[user] = code.code }
            if code == nil || tables.codes[user]?.code == code?.code { tables.codes[user] = nil }
        }
    }

    /// Whether this is the code that a user used last.
    package func isUsedCode(_ code: String, of user: UserNumber) -> Bool {
        tables.withLock { $0.usedCodes[user] == code }
    }

    private func makeCode() -> String {
        let number = randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        let digits = String(number)
        return String(repeating: "0", count: TextMessage.codeLength - digits.count) + digits
    }

    // MARK: Texts that come again

    /// The answer to a text that came before; empty where it was not answered, nil for a new text.
    package func formerAnswer(toID id: String) -> String? { tables.withLock { $0.answers[id] } }

    /// Keeps an answer. The oldest is removed where there are too many.
    package func storeAnswer(_ answer: String, toID id: String) {
        tables.withLock { tables in
            if tables.answers.updateValue(answer, forKey: id) == nil { tables.answered.append(id) }
            if tables.answered.count > Self.answerLimit { tables.answers[tables.answered.removeFirst()] = nil }
        }
    }
}

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
    /// Whose a number is.
    package enum Sender: Hashable, Sendable {
        case known(User)
        case unknown
        /// Several users have the number, so its texts are of nobody.
        case shared([User])
    }

    /// How long a code may be used, in minutes.
    package static let codeMinutes = 15
    /// How many texts of a person are answered at once, and in an hour.
    static let burst = 10.0
    static let perHour = 60.0
    /// How many wrong codes of a person are compared at once, and in an hour. Further codes count as wrong unread.
    /// There are a million codes, so a stranger who tries for a year finds one with a chance of 4 %.
    static let wrongBurst = 5.0
    static let wrongPerHour = 5.0
    /// How many answers are kept, for gateways that send a text again.
    static let answerLimit = 1_000

    private struct OpenCode {
        let code: String
        let expiresAt: Instant
        let place: Coordinate?
    }

    private struct Tables {
        var rates = QuotaBuckets<UserNumber>(perSecond: perHour / 3_600, burst: burst)
        var wrongCodes = QuotaBuckets<UserNumber>(perSecond: wrongPerHour / 3_600, burst: wrongBurst)
        var codes: [UserNumber: OpenCode] = [:]
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

    /// Finds the user who has a number.
    ///
    /// - Complexity: O(users).
    package func sender(of text: String, in directory: Directory) -> Sender {
        guard let number = PhoneNumber(text, country: country) else { return .unknown }
        let owners = directory.users.all.filter { user in
            guard let phone = user.phone, number.endsLike(phone) else { return false }
            return PhoneNumber(phone, country: country)?.isSame(as: number) ?? false
        }
        guard let owner = owners.first else { return .unknown }
        return owners.count == 1 ? .known(owner) : .shared(Array(owners))
    }

    /// Whether one more text of a user is answered.
    package func admitText(of user: UserNumber) -> Bool {
        let now = waitClock()
        return tables.withLock { $0.rates.spendTokens(1, of: user, at: now) == nil }
    }

    // MARK: Codes

    /// The code that a user must write to count as safe: the open one, or else a new one.
    ///
    /// - Parameter place: where the user says to be; the place of a later text replaces it.
    package func openCode(of user: UserNumber, at place: Coordinate?, now: Instant) -> String {
        let fresh = makeCode()
        return tables.withLock { tables in
            tables.codes = tables.codes.filter { now < $0.value.expiresAt }
            let open = tables.codes[user]
            let code = OpenCode(
                code: open?.code ?? fresh,
                expiresAt: open?.expiresAt ?? now.advanced(bySeconds: Double(Self.codeMinutes) * 60),
                place: place ?? open?.place)
            tables.codes[user] = code
            return code.code
        }
    }

    /// Uses up the open code of a user, if the given code is it.
    ///
    /// - Returns: false for a wrong code, and for any code where none is open or too many were wrong. Otherwise true,
    ///   with the place that the user wrote before.
    package func useCode(
        _ code: String, of user: UserNumber, now: Instant
    ) -> (isRight: Bool, place: Coordinate?) {
        let moment = waitClock()
        return tables.withLock { tables in
            guard let open = tables.codes[user], now < open.expiresAt,
                tables.wrongCodes.tokens(of: user, at: moment) >= 1
            else { return (false, nil) }
            guard Array(code.utf8).isEqualInConstantTime(to: Array(open.code.utf8)) else {
                _ = tables.wrongCodes.spendTokens(1, of: user, at: moment)
                return (false, nil)
            }
            tables.codes[user] = nil
            return (true, open.place)
        }
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

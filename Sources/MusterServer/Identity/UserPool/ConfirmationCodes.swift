package import MusterCore
import MusterHTTP
import Synchronization

/// The codes by which a person confirms a new account or a new password. Muster sends no mail: an admin reads the codes
/// and gives each to the person, or a target of the operator sends them (`CodeSender`). They are held in memory and end
/// with the process.
///
/// A code has 80 random bits, so nobody guesses one, and wrong ones need not be counted. Nobody can end or replace a
/// code that an admin has read out: a person who asks again gets the same.
package final class ConfirmationCodes: Sendable {
    /// The purpose of a code.
    package enum Purpose: String, Sendable {
        case signUp = "sign-up"
        case password
    }

    /// The change that a code confirms.
    enum Subject: Sendable {
        /// An account to be made with this password, of the user who will have this number.
        case account(StoredPassword, of: UserNumber)
        /// A new password of a user, in place of the one that has this mark.
        case password(of: UserNumber, mark: [UInt8])
    }

    /// The addresses that a client states at `SignUp`.
    package struct Contact: Hashable, Sendable {
        package let email: String?
        package let phoneNumber: String?

        /// Makes a contact; nil where there is no address.
        package init?(email: String?, phoneNumber: String?) {
            guard email != nil || phoneNumber != nil else { return nil }
            self.email = email
            self.phoneNumber = phoneNumber
        }
    }

    /// An open code.
    package struct Entry: Sendable {
        let subject: Subject
        /// The name of the user.
        package let user: String
        package let code: String
        package let expiresAt: Instant
        /// Where the person who signs up wishes to get the code. Nobody has checked it.
        package let contact: Contact?
        /// The prefix of the address that asked for a new account; nil for a new password.
        let origin: String?
        /// The admins who have read the code.
        fileprivate var readers: Set<UserNumber> = []
        /// Whether a target has accepted the code; nil where none was asked, or has not answered yet.
        package fileprivate(set) var wasSent: Bool?
        /// Whether an admin ended the password that the code replaces: the user cannot sign in before it is set.
        fileprivate var isRequired = false
        /// How often the code was handed to a target, and when it was last.
        fileprivate var sends = 0
        fileprivate var lastSentAt: Instant?

        package var purpose: Purpose {
            switch subject {
            case .account: .signUp
            case .password: .password
            }
        }

        /// The user whose password the code sets; nil for a new account.
        package var account: UserNumber? {
            switch subject {
            case .account: nil
            case .password(let user, _): user
            }
        }

        init(
            _ subject: Subject, user: String, contact: Contact? = nil, from address: String? = nil, at now: Instant
        ) {
            self.subject = subject
            self.user = user
            self.contact = contact
            origin = address.map { AddressPrefix.of($0) }
            code = Identity.randomText(ConfirmationCodes.length)
            expiresAt = now.advanced(bySeconds: ConfirmationCodes.lifetimeSeconds)
        }

        /// The number that the user of a new account will have; nil for a new password.
        package var newUser: UserNumber? {
            switch subject {
            case .account(_, let user): user
            case .password: nil
            }
        }

        fileprivate func isGood(_ code: String?, at now: Instant) -> Bool {
            guard now < expiresAt else { return false }
            return code.map { Array(self.code.utf8).isEqualInConstantTime(to: Array($0.utf8)) } ?? true
        }
    }

    private struct Tables {
        /// Codes for accounts that wait to be confirmed, by the account's name.
        var signUps: [String: Entry] = [:]
        /// Codes for new passwords, by user: there are at most as many as users.
        var resets: [UserNumber: Entry] = [:]

        /// Makes room among the codes that no admin has read: removes the oldest one of the network with the most such
        /// codes, if possible one that no target has sent. Removes none if that network asked for the new code, or if
        /// that network has few.
        mutating func makeRoomForSignUp(from origin: String?) {
            let unread = signUps.values.lazy.filter(\.readers.isEmpty)
            let counts = Dictionary(unread.map { ($0.origin, 1) }, uniquingKeysWith: +)
            guard let most = counts.max(by: { $0.value < $1.value }), most.key != origin,
                most.value > ConfirmationCodes.signUpCapacity / 100,
                let oldest = unread.filter({ $0.origin == most.key })
                    .min(by: { ($0.wasSent == true ? 1 : 0, $0.expiresAt) < ($1.wasSent == true ? 1 : 0, $1.expiresAt) }
                    )
            else { return }
            signUps[oldest.user] = nil
        }

        /// Changes an entry that is still open.
        mutating func change(_ entry: Entry, _ change: (inout Entry) -> Void) {
            if let account = entry.account {
                guard var open = resets[account], open.code == entry.code else { return }
                change(&open)
                resets[account] = open
            } else {
                guard var open = signUps[entry.user], open.code == entry.code else { return }
                change(&open)
                signUps[entry.user] = open
            }
        }
    }

    private let tables = Mutex(Tables())

    /// The length of a code: letters and digits of base 32, 5 bits each.
    static let length = 16
    /// The lifetime of a code, in seconds: a day, because a person hands it over.
    static let lifetimeSeconds: Double = 86_400
    /// How often a code is sent at most, and the shortest time between two messages, in seconds.
    static let sendLimit = 5
    static let sendPauseSeconds: Double = 60
    /// The largest number of accounts that wait to be confirmed.
    static let signUpCapacity = 10_000

    // MARK: Accounts

    /// Makes the code of a new account.
    ///
    /// When too many accounts wait, the network with the most waiting accounts loses one, so that a flood from one
    /// network does not keep others from signing up.
    ///
    /// - Throws: `UserPoolError.nameTaken` where an account of that name waits; `IdentityError.tooMany` where too many
    ///   accounts wait.
    func issueSignUp(
        for name: String, number: UserNumber, password: StoredPassword, contact: Contact?, from address: String,
        at now: Instant
    ) throws -> Entry {
        let entry = Entry(.account(password, of: number), user: name, contact: contact, from: address, at: now)
        return try tables.withLock { tables in
            if let other = tables.signUps[name], now < other.expiresAt { throw UserPoolError.nameTaken }
            if tables.signUps.count >= Self.signUpCapacity {
                tables.signUps = tables.signUps.filter { now < $0.value.expiresAt }
            }
            if tables.signUps.count >= Self.signUpCapacity { tables.makeRoomForSignUp(from: entry.origin) }
            guard tables.signUps.count < Self.signUpCapacity else {
                throw IdentityError.tooMany("accounts that wait for their codes", limit: Self.signUpCapacity)
            }
            tables.signUps[name] = entry
            return entry
        }
    }

    /// The account that waits under a name; nil where none does, or where the code is not its own.
    ///
    /// - Parameter code: nil when the caller may confirm an account without its code.
    func signUp(named name: String, code: String? = nil, at now: Instant) -> Entry? {
        tables.withLock { tables in tables.signUps[name].flatMap { $0.isGood(code, at: now) ? $0 : nil } }
    }

    /// Removes a waiting account once it has been created.
    func removeSignUp(_ entry: Entry) {
        tables.withLock { tables in
            if tables.signUps[entry.user]?.code == entry.code { tables.signUps[entry.user] = nil }
        }
    }

    // MARK: Passwords

    /// Makes the code for a new password, unless there is one for the same present password.
    ///
    /// - Parameter isRequired: whether an admin ended the present password.
    /// - Returns: the valid code.
    func issueReset(for user: User, mark: [UInt8], isRequired: Bool = false, at now: Instant) -> Entry {
        var entry = Entry(.password(of: user.number, mark: mark), user: user.name, at: now)
        entry.isRequired = isRequired
        return tables.withLock { [entry] tables in
            if let other = tables.resets[user.number], now < other.expiresAt,
                case .password(_, mark) = other.subject
            {
                return other
            }
            tables.resets[user.number] = entry
            return entry
        }
    }

    /// The mark of the password that a user may replace by this code; nil for a wrong code.
    func resetMark(of user: UserNumber, code: String, at now: Instant) -> [UInt8]? {
        let entry = tables.withLock { $0.resets[user] }
        guard let entry, entry.isGood(code, at: now), case .password(_, let mark) = entry.subject else { return nil }
        return mark
    }

    /// Whether an admin ended the password of a user, who has not set another yet.
    func isResetRequired(of user: UserNumber, at now: Instant) -> Bool {
        tables.withLock { tables in tables.resets[user].map { $0.isRequired && now < $0.expiresAt } ?? false }
    }

    /// Ends the code of a user whose password has changed, or who is gone.
    func forgetReset(of user: UserNumber) { tables.withLock { $0.resets[user] = nil } }

    // MARK: Reading

    /// All open codes, by purpose and user.
    package func all(at now: Instant) -> [Entry] {
        tables.withLock { tables in
            tables.resets = tables.resets.filter { now < $0.value.expiresAt }
            return (Array(tables.signUps.values) + tables.resets.values).filter { now < $0.expiresAt }
                .sorted { ($0.purpose.rawValue, $0.user) < ($1.purpose.rawValue, $1.user) }
        }
    }

    /// Records that an admin has read codes.
    func recordReading(of entries: [Entry], by admin: UserNumber) {
        tables.withLock { tables in
            for entry in entries { tables.change(entry) { $0.readers.insert(admin) } }
        }
    }

    /// Counts that a code is about to be sent. A person gets at most one message a minute and `sendLimit` in all,
    /// regardless of the caller, because anyone may ask for codes.
    ///
    /// - Returns: whether the code may be sent now; false, too, for one that is not open any more.
    func beginSending(of entry: Entry, at now: Instant) -> Bool {
        tables.withLock { tables in
            var mayBeSent = false
            tables.change(entry) { entry in
                let isEarly = entry.lastSentAt.map { now.seconds(since: $0) < Self.sendPauseSeconds } ?? false
                guard entry.sends < Self.sendLimit, !isEarly else { return }
                entry.sends += 1
                entry.lastSentAt = now
                mayBeSent = true
            }
            return mayBeSent
        }
    }

    /// Records whether a target has accepted a code. Once one has, a later failure changes nothing.
    func recordSending(of entry: Entry, succeeded: Bool) {
        tables.withLock { tables in tables.change(entry) { $0.wasSent = succeeded || $0.wasSent == true } }
    }
}

extension ConfirmationCodes.Entry {
    /// Whether an admin has read the code before.
    func isRead(by admin: UserNumber) -> Bool { readers.contains(admin) }
}

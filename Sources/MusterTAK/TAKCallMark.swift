import MusterCore
import MusterStore
import MusterWire

/// Names one call for help by one device, by the UID of its events: the beginning of the ids of its declarations.
struct TAKCallMark: Hashable, Sendable {
    private let prefix: String

    private static let over = "over-"
    private static let end = "end-"
    /// The number of declarations that are read at once, and of such pages at most: whoever has more of them cannot end
    /// a call by TAK.
    static let pageLimit = 500
    private static let pages = 8

    init(of event: CoTEvent, by device: DeviceNumber) {
        prefix = "tak-\(device.rawValue)-\(Fingerprint.text(of: Array(event.uid.utf8)).prefix(16))-"
    }

    /// The id of a declaration that calls.
    ///
    /// - Parameter isOverAnother: whether somebody called for the person already. Such a call is not ended by TAK.
    func idOfCall(at now: Instant, isOverAnother: Bool) -> String {
        prefix + (isOverAnother ? Self.over : "") + "\(now.milliseconds)"
    }

    func idOfEnd(at now: Instant) -> String { "\(prefix)\(Self.end)\(now.milliseconds)" }

    /// Whether a declaration is this call.
    func isOfCall(_ declaration: Declaration) -> Bool { declaration.kind == .sos && declaration.id.hasPrefix(prefix) }

    /// Whether the person counts as calling for help by this call alone, so that its end takes nobody else's call away.
    ///
    /// The engine keeps one call of a person, and only from when it became an SOS. So this looks at all declarations
    /// about the person: a call by anybody else counts where no end has come after it, and where it arrived after this
    /// call began, however early it was made, because a phone may have been offline.
    func isOnlyCall(of user: UserNumber, _ declared: Declared, in store: any Store) throws -> Bool {
        guard declared.status == .sos, declared.source == .ownDeclaration,
            let said = try Self.declarations(about: user, in: store)
        else { return false }
        let own = said.filter { isOfCall($0.declaration) && $0.declaration.moment >= declared.since }
        guard let first = own.first?.declaration, first.moment == declared.since,
            !own.contains(where: { $0.declaration.id.hasPrefix(prefix + Self.over) })
        else { return false }
        // A check-in timer that ran out calls without a declaration.
        guard declared.latest == own.map(\.declaration.moment).max() else { return false }
        let ended = said.filter { Self.ends($0, before: first) }.map(\.declaration.moment).max()
        return !said.contains { kept in
            let other = kept.declaration
            let isCall = other.kind == .sos || other.kind == .needsHelp
            guard isCall, !isOfCall(other) || other.moment < declared.since else { return false }
            return other.receivedTime >= first.receivedTime || ended.map { other.moment >= $0 } ?? true
        }
    }

    /// Whether a declaration has ended all calls before it, and came before this one.
    private static func ends(_ kept: KeptDeclaration, before call: Declaration) -> Bool {
        let declaration = kept.declaration
        guard kept.isCurrent, declaration.moment <= call.moment, declaration.receivedTime <= call.receivedTime else {
            return false
        }
        return declaration.kind == .clear || declaration.kind == .safe
    }

    /// All declarations about a person that the server keeps, oldest first; nil when they are too many.
    private static func declarations(about user: UserNumber, in store: any Store) throws -> [KeptDeclaration]? {
        var all: [KeptDeclaration] = []
        for _ in 0..<pages {
            let page = try store.declarations(
                of: user, after: all.last.map { DeclarationKey($0.declaration) }, limit: pageLimit)
            all += page
            if page.count < pageLimit { return all }
        }
        return nil
    }
}

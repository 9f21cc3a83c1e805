public import Foundation

/// Where in the app a person is, as a value: it is stored, restored, and made of links and notifications.
public struct Navigation: Codable, Hashable, Sendable {
    /// The tab that is shown.
    public var tab = Tab.now
    /// What is opened above the list of the tab, the outermost first.
    public var path: [Route] = []
    /// What is shown over everything; nil for nothing.
    public var sheet: Sheet?

    /// The first tab, with nothing opened.
    public init() {}

    /// A tab. A leader has all, a member the first four.
    public enum Tab: String, Codable, CaseIterable, Sendable, Identifiable {
        /// The own state, the buttons, the timer.
        case now
        /// The way to the assembly points.
        case way
        /// Who sees the person.
        case seen
        /// This phone: permissions, what waits, the account.
        case phone
        /// The list of people.
        case people
        /// The map of people and regions.
        case map
        /// The incident with its roll.
        case incident
        /// The regions.
        case regions

        /// Its name.
        public var id: String { rawValue }
        /// Whether only leaders have it.
        public var isLeaders: Bool {
            switch self {
            case .now, .way, .seen, .phone: false
            case .people, .map, .incident, .regions: true
            }
        }
    }

    /// Something that is opened above a list.
    public enum Route: Codable, Hashable, Sendable {
        /// One person, by the user's name.
        case person(String)
        /// A region to look at or edit.
        case region(collection: String, id: String)
        /// A new region.
        case newRegion
        /// A past incident.
        case incident(Int64)
        /// What waits on this phone.
        case outbox
        /// The permissions.
        case permissions
        /// The datasets.
        case datasets
    }

    /// Something that is shown over everything.
    public enum Sheet: String, Codable, Hashable, Sendable, Identifiable {
        /// The call of an incident.
        case call
        /// The countdown of an SOS.
        case sos
        /// Somebody calls for help.
        case alarm

        /// Its name.
        public var id: String { rawValue }
    }

    /// Leads to what a link is about: `…/me/#/call`, `…/me/#/way`, or `muster://person/ana`.
    ///
    /// - Returns: false for a link that names nothing of the app; nothing has changed then.
    @discardableResult
    public mutating func open(_ link: URL, isLeader: Bool) -> Bool {
        let parts =
            link.scheme == "muster"
            ? ([link.host(percentEncoded: false)].compactMap(\.self) + link.pathComponents.filter { $0 != "/" })
            : (link.fragment(percentEncoded: false) ?? "").split(separator: "/").map(String.init)
        guard let first = parts.first else { return false }
        switch first {
        case "call": sheet = .call
        case "sos": sheet = .sos
        case "person" where isLeader && parts.count > 1: (tab, path) = (.people, [.person(parts[1])])
        case "outbox": (tab, path) = (.phone, [.outbox])
        default:
            guard let tab = Tab(rawValue: first), isLeader || !tab.isLeaders else { return false }
            (self.tab, path) = (tab, [])
        }
        return true
    }

    /// Leads to what a notification is about. Unknown kinds lead to the first tab.
    ///
    /// - Parameters:
    ///   - kind: the `kind` in the data of the server's message: `incident`, `call`, `check-in`, `locate`, `par`.
    ///   - user: the person whom it is about, if it names one.
    public mutating func open(notification kind: String, user: String?, isLeader: Bool) {
        switch kind {
        case "incident": sheet = .call
        case "call" where isLeader: sheet = .alarm
        default: (tab, path) = (.now, [])
        }
        if isLeader, let user, kind != "incident" { (tab, path) = (.people, [.person(user)]) }
    }

    /// The tabs of a face.
    public static func tabs(isLeader: Bool) -> [Tab] {
        isLeader ? [.people, .map, .incident, .regions, .now, .way, .seen, .phone] : [.now, .way, .seen, .phone]
    }

    /// Leaves out what a member may not see, as after somebody is no longer a leader.
    public mutating func restrict(isLeader: Bool) {
        guard !isLeader else { return }
        if tab.isLeaders { (tab, path) = (.now, []) }
        path.removeAll { route in
            switch route {
            case .person, .region, .newRegion, .incident: true
            case .outbox, .permissions, .datasets: false
            }
        }
        if sheet == .alarm { sheet = nil }
    }
}

public import Foundation

/// Where in the app a person is, as a value: it is stored, restored, and made of links and notifications.
public struct Navigation: Codable, Hashable, Sendable {
    /// The tab that is shown. Nothing is opened in a tab that one has just come to.
    public var tab = Tab.now {
        didSet { if tab != oldValue { path = [] } }
    }
    /// What is opened above the list of the tab, the outermost first.
    public var path: [Route] = []
    /// What is shown over everything; nil for nothing.
    public var sheet: Sheet?

    /// The first tab, with nothing opened.
    public init() {}

    /// A part of the app. Most are tabs; a leader, who has more parts than a phone shows tabs, finds some within
    /// others.
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
        /// A part that is no tab of its own.
        case part(Tab)
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
        case "person" where isLeader && parts.count > 1: show([.person(parts[1])], in: .people)
        case "outbox": show([.outbox], in: .phone)
        default:
            guard let tab = Tab(rawValue: first), isLeader || !tab.isLeaders else { return false }
            show(tab, isLeader: isLeader)
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
        default: show([], in: .now)
        }
        if isLeader, let user, kind != "incident" { show([.person(user)], in: .people) }
    }

    /// Leads to a part: to its tab, or within another one.
    public mutating func show(_ part: Tab, isLeader: Bool) {
        let home = Self.tabs(isLeader: isLeader).first { Self.parts(within: $0, isLeader: isLeader).contains(part) }
        show(home == nil ? [] : [.part(part)], in: home ?? part)
    }

    private mutating func show(_ path: [Route], in tab: Tab) {
        self.tab = tab
        self.path = path
    }

    /// The tabs of a face, five at most: of more a phone shows the last ones under "More", where nobody finds an SOS.
    public static func tabs(isLeader: Bool) -> [Tab] {
        isLeader ? [.now, .people, .map, .incident, .phone] : [.now, .way, .seen, .phone]
    }

    /// The parts that are found within a tab, because they have none of their own.
    public static func parts(within tab: Tab, isLeader: Bool) -> [Tab] {
        guard isLeader else { return [] }
        switch tab {
        case .now: return [.way, .seen]
        case .map: return [.regions]
        case .way, .seen, .phone, .people, .incident, .regions: return []
        }
    }

    /// Leaves out what a member may not see, as after somebody is no longer a leader.
    public mutating func restrict(isLeader: Bool) {
        // As after somebody became a leader, whose tabs are others.
        if !Self.tabs(isLeader: isLeader).contains(tab), isLeader || !tab.isLeaders { show(tab, isLeader: isLeader) }
        guard !isLeader else { return }
        if tab.isLeaders { show([], in: .now) }
        path.removeAll { route in
            switch route {
            case .person, .region, .newRegion, .incident, .part: true
            case .outbox, .permissions, .datasets: false
            }
        }
        if sheet == .alarm { sheet = nil }
    }
}

import Foundation

/// What widgets and the Live Activity show without the app: texts that the app's models worded, and until when they may
/// be shown as of now. The app stores it whenever one of them changes.
struct Glance: Codable, Hashable, Sendable {
    /// One thing to show.
    struct Face: Codable, Hashable, Sendable {
        /// The name of a symbol of SF Symbols.
        var symbol: String
        var title: String
        var line: String
        var tone: Tone
        /// The time of what it says; nil for none.
        var asOf: Date?
    }

    /// The colour of a face.
    enum Tone: String, Codable, Sendable {
        /// No colour: old, or nothing to be safe from.
        case none
        case calm
        case doubt
        case alarm
    }

    /// The person's own state, as the server said it.
    var status: Face
    /// The way to the nearest assembly point.
    var way: Face
    /// After this moment the two are shown by `agedStatus` and `agedWay`.
    var freshUntil: Date
    /// The state as the server said it, marked as old.
    var agedStatus: Face
    var agedWay: Face

    /// The state and the way as a widget shows them at a moment.
    func faces(at moment: Date) -> (status: Face, way: Face) {
        moment < freshUntil ? (status, way) : (agedStatus, agedWay)
    }

    // MARK: Storing

    private static let key = "glance"

    /// What the app stored last; nil before the first time, and where it cannot be read.
    static func load(from group: UserDefaults? = AppGroup.defaults) -> Glance? {
        guard let data = group?.data(forKey: key) else { return nil }
        return try? JSONDecoder().decode(Glance.self, from: data)
    }

    /// Stores it for the widgets.
    ///
    /// - Returns: whether it differs from what was stored.
    @discardableResult
    func store(in group: UserDefaults? = AppGroup.defaults) -> Bool {
        guard Glance.load(from: group) != self, let data = try? JSONEncoder().encode(self) else { return false }
        group?.set(data, forKey: Glance.key)
        return true
    }

    /// Forgets what the widgets show, as when the person signs out.
    static func erase(from group: UserDefaults? = AppGroup.defaults) { group?.removeObject(forKey: key) }

    /// What is shown before anybody has signed in.
    static let empty = Glance(
        status: Face(symbol: "person.crop.circle.badge.questionmark", title: "Muster", line: "", tone: .none),
        way: Face(symbol: "location.north.line", title: "Muster", line: "", tone: .none), freshUntil: .distantFuture,
        agedStatus: Face(symbol: "person.crop.circle.badge.questionmark", title: "Muster", line: "", tone: .none),
        agedWay: Face(symbol: "location.north.line", title: "Muster", line: "", tone: .none))
}

public import Foundation
public import MusterKit

/// What the operating system gives the app. An app on a phone makes it of the system's frameworks, a test of its own.
public struct AppSystem: Sendable {
    /// The folder in which the app keeps its stores and settings.
    public var folder: URL
    /// A keeper of the credentials of one account, by a name that belongs to that account alone; nil for a file that
    /// only its owner can read, or on an Apple device for the keychain.
    public var credentials: (@Sendable (_ account: String) -> any CredentialKeeper)?
    /// The positions of the phone; nil where it has none.
    public var location: (any LocationSource)?
    /// Where the phone points.
    public var headings: any HeadingSource
    /// Whether there is a network.
    public var connectivity: any ConnectivitySource
    /// What the person allows the app.
    public var permissions: any PermissionKeeper
    /// Shows notifications of the phone itself.
    public var notifier: any Notifier
    /// Keeps the process running while something waits to be sent.
    public var processTime: any ProcessTime
    /// Whether a server may be reached by http, which others on the way can read and change; for development alone. A
    /// server on the phone itself always may.
    public var allowsPlainHTTP: Bool
    /// How MusterKit records and sends. Its clock is the clock of all models.
    public var options: Muster.Options
    /// The languages of the person, the first first (BCP 47).
    public var preferredLanguages: [String]
    /// The time zone of clock times.
    public var timeZone: TimeZone
    /// The version of the app that is shown.
    public var version: String

    /// What an app has that gives nothing but a folder.
    public init(
        folder: URL, credentials: (@Sendable (_ account: String) -> any CredentialKeeper)? = nil,
        location: (any LocationSource)? = nil, headings: any HeadingSource = NoHeadings(),
        connectivity: any ConnectivitySource = AssumedConnectivity(),
        permissions: any PermissionKeeper = NoPermissions(), notifier: any Notifier = NoNotifier(),
        processTime: any ProcessTime = NoProcessTime(), allowsPlainHTTP: Bool = false,
        options: Muster.Options = Muster.Options(), preferredLanguages: [String] = Locale.preferredLanguages,
        timeZone: TimeZone = .current, version: String = ""
    ) {
        self.folder = folder
        self.credentials = credentials
        self.location = location
        self.headings = headings
        self.connectivity = connectivity
        self.permissions = permissions
        self.notifier = notifier
        self.processTime = processTime
        self.allowsPlainHTTP = allowsPlainHTTP
        self.options = options
        self.preferredLanguages = preferredLanguages
        self.timeZone = timeZone
        self.version = version
    }
}

/// Where the phone points.
public struct PhoneHeading: Hashable, Sendable {
    /// Degrees clockwise from true north.
    public var degrees: Double
    /// The error of it, degrees; negative if the compass is not to be relied on.
    public var accuracyDegrees: Double

    /// A direction with its error.
    public init(degrees: Double, accuracyDegrees: Double) {
        self.degrees = degrees
        self.accuracyDegrees = accuracyDegrees
    }
}

/// A source of the direction in which the phone points.
public protocol HeadingSource: Sendable {
    /// A stream of directions, which ends when its reader stops.
    func headings() -> AsyncStream<PhoneHeading>
}

/// Tells whether there is a network.
public protocol ConnectivitySource: Sendable {
    /// Whether there is a network now, and then each change.
    func changes() -> AsyncStream<Bool>
}

/// Something that a person allows the app.
public enum Permission: String, CaseIterable, Codable, Sendable, Identifiable {
    case location, locationAlways, preciseLocation, notifications, criticalAlerts, bluetooth, motion, localNetwork
    case nearbyInteraction, camera

    /// Its name.
    public var id: String { rawValue }
}

/// Whether a person allows something.
public enum PermissionState: String, Codable, Sendable {
    case granted
    /// The person was not asked yet.
    case notAsked
    case denied
    /// A profile or parental control forbids it; the person cannot allow it.
    case restricted
    /// This phone does not have it, or it was not asked of the system.
    case unavailable
}

/// Knows what the person allows, and asks for it.
public protocol PermissionKeeper: Sendable {
    /// Whether the person allows something.
    func state(of permission: Permission) async -> PermissionState
    /// Asks the person, if they were not asked yet.
    func ask(for permission: Permission) async -> PermissionState
}

/// A notification that the phone itself shows.
public struct Notice: Hashable, Sendable, Identifiable {
    /// A later notice of the same id takes its place.
    public var id: String
    /// What happened.
    public var title: String
    /// What to do.
    public var body: String
    /// When to show it, by the phone's clock; nil for now.
    public var at: Date?
    /// Whether it breaks through silence, where the person and the system allow it.
    public var isCritical: Bool
    /// The actions that it offers.
    public var actions: [QuickAction]

    /// A notification with its texts.
    public init(
        id: String, title: String, body: String, at: Date? = nil, isCritical: Bool = false, actions: [QuickAction] = []
    ) {
        self.id = id
        self.title = title
        self.body = body
        self.at = at
        self.isCritical = isCritical
        self.actions = actions
    }
}

/// Shows notifications of the phone itself.
public protocol Notifier: Sendable {
    /// Shows a notification, or plans it.
    func show(_ notice: Notice) async
    /// Removes a notification that is shown or planned.
    func remove(_ id: Notice.ID) async
}

/// Asks the system to let the process run for a while after the app is no longer seen, or was started for a
/// notification. A system that does not is no failure: what waits is on the disk.
@MainActor public protocol ProcessTime: Sendable {
    /// Asks for it; asking again while it was asked for already changes nothing.
    func hold()
    /// Says that it is no longer needed; a release without a hold changes nothing.
    func release()
}

/// What a person can do from a notification, a shortcut, a widget or the Action button, also while the app is not open
/// and there is no network.
public enum QuickAction: String, CaseIterable, Codable, Sendable, Identifiable {
    case safe, needHelp, seen, checkIn, startSOS, cancelSOS

    /// Its name.
    public var id: String { rawValue }
}

/// A phone without a compass.
public struct NoHeadings: HeadingSource {
    /// A source of nothing.
    public init() {}
    /// An empty stream.
    public func headings() -> AsyncStream<PhoneHeading> { AsyncStream { $0.finish() } }
}

/// A phone that does not say whether there is a network: it is tried.
public struct AssumedConnectivity: ConnectivitySource {
    /// A source that says once that there is a network.
    public init() {}
    /// A stream of one element.
    public func changes() -> AsyncStream<Bool> {
        AsyncStream { continuation in
            continuation.yield(true)
            continuation.finish()
        }
    }
}

/// A system that says nothing of permissions.
public struct NoPermissions: PermissionKeeper {
    /// A keeper that has nothing.
    public init() {}
    /// `.unavailable`.
    public func state(of permission: Permission) async -> PermissionState { .unavailable }
    /// `.unavailable`.
    public func ask(for permission: Permission) async -> PermissionState { .unavailable }
}

/// A system that shows no notifications.
public struct NoNotifier: Notifier {
    /// A notifier that does nothing.
    public init() {}
    /// Does nothing.
    public func show(_ notice: Notice) async {}
    /// Does nothing.
    public func remove(_ id: Notice.ID) async {}
}

/// A system whose processes run as long as they like.
public struct NoProcessTime: ProcessTime {
    /// A process time that does nothing.
    public nonisolated init() {}
    /// Does nothing.
    public func hold() {}
    /// Does nothing.
    public func release() {}
}

import Foundation
import MusterApp

/// What the app tells its extensions.
enum PushSettings {
    private static let languageKey = "language"
    private static let userKey = "user"
    private static let criticalKey = "allowsCritical"

    /// The language of the app; that of the phone before the app told it, and before the first unlock.
    static var language: Language {
        AppGroup.defaults?.string(forKey: languageKey).flatMap { Language(rawValue: $0) }
            ?? Language.preferred(among: Locale.preferredLanguages)
    }

    /// The person who is signed in; nil if nobody is, or it cannot be read.
    static var user: String? { AppGroup.defaults?.string(forKey: userKey) }

    /// Whether notifications may break through silence.
    static var allowsCritical: Bool {
        get { AppGroup.defaults?.bool(forKey: criticalKey) ?? false }
        set { AppGroup.defaults?.set(newValue, forKey: criticalKey) }
    }

    /// Tells the extensions.
    static func store(_ language: Language, user: String?) {
        AppGroup.defaults?.set(language.rawValue, forKey: languageKey)
        AppGroup.defaults?.set(user, forKey: userKey)
    }
}

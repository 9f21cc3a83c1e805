import Foundation

/// The group by which the app and its extensions share values. `MUSTER_APP_GROUP` in Config/Project.xcconfig names it.
enum AppGroup {
    /// The group's defaults; nil where the app was signed without the group.
    static var defaults: UserDefaults? {
        (Bundle.main.object(forInfoDictionaryKey: "MusterAppGroup") as? String).flatMap { UserDefaults(suiteName: $0) }
    }
}

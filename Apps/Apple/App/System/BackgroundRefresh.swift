import BackgroundTasks
import Foundation

/// Asks the system to start the app now and then in the background, where what waits is sent. The system decides when;
/// it gives about half a minute.
enum BackgroundRefresh {
    /// What follows the bundle's identifier in the task's, which Info.plist permits.
    private static let taskSuffix = ".refresh"
    /// The shortest time to the next task, seconds.
    private static let earliestSeconds = 900.0

    /// The identifier of the task.
    static var identifier: String { (Bundle.main.bundleIdentifier ?? "") + taskSuffix }

    /// Asks for the next task. A refusal, as on the simulator or with background refresh switched off, changes nothing:
    /// what waits is sent when the app is next opened.
    static func schedule() {
        let request = BGAppRefreshTaskRequest(identifier: identifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: earliestSeconds)
        try? BGTaskScheduler.shared.submit(request)
    }
}

import MusterApp
import UIKit

/// Keeps the process running while words wait, as long as the system lets it: about half a minute. When the time is
/// over, what waits is on the disk, and the next start sends it.
@MainActor final class BackgroundTime: ProcessTime {
    private var task = UIBackgroundTaskIdentifier.invalid

    func hold() {
        guard task == .invalid else { return }
        task = UIApplication.shared.beginBackgroundTask(withName: "outbox") { [weak self] in self?.release() }
    }

    func release() {
        guard task != .invalid else { return }
        UIApplication.shared.endBackgroundTask(task)
        task = .invalid
    }
}

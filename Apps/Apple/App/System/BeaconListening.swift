import Foundation
import MusterApp
import MusterKit

/// Listens for the beacons of the team's regions, where it has some, while the person reports positions. MusterKit
/// decides what a beacon means, and keeps what it heard on the phone.
@MainActor final class BeaconListening {
    private var task: Task<Void, Never>?
    private var account: ObjectIdentifier?

    /// Begins or ends, as the model says.
    func follow(_ account: AccountModel?) {
        let wanted = account.flatMap { $0.settings.isReporting && !$0.visibility.isPausing ? $0 : nil }
        guard wanted.map({ ObjectIdentifier($0) }) != self.account else { return }
        self.account = wanted.map { ObjectIdentifier($0) }
        task?.cancel()
        task = wanted.map { account in
            let muster = account.muster
            return Task {
                // Until the store can be opened, as after the first unlock, fixes alone decide.
                guard let monitor = try? await muster.beaconMonitor() else { return }
                for await _ in monitor.events(from: PhoneBeacons()) {}
            }
        }
    }
}

/// Core Location's beacons, fewer than it can monitor: the system monitors 20 conditions an app, and `RegionWaking`
/// needs the others.
private struct PhoneBeacons: BeaconSource {
    private let source = CoreLocationBeacons()

    /// The number of beacons that are listened for at once.
    var identityLimit: Int? { RegionWaking.beaconLimit }

    func listen(for choices: AsyncStream<[BeaconIdentity]>) -> AsyncThrowingStream<BeaconNews, any Error> {
        source.listen(for: choices)
    }
}

import Crypto
import MusterKit

/// Records where Ann is, with or without a network, and tells the server when there is one, until the source ends.
///
/// - Parameters:
///   - source: `CoreLocationSource()` on Apple.
///   - keyOfTheApp: 16, 24 or 32 bytes that what is recorded is sealed with on this device.
///   - askForPassword: asks Ann; nil: not now.
func recordByHand(
    _ source: any LocationSource, keyOfTheApp: [UInt8], askForPassword: @escaping @Sendable () async -> String?
) async throws {
    let keeper = FileCredentialKeeper(path: "account.json")  // KeychainCredentialKeeper() on Apple
    let session: Session
    if let signedIn = try Session.open(keeper) {
        session = signedIn  // No network is needed.
    } else {
        guard let password = await askForPassword() else { return }
        session = try await Session.signIn(at: "https://muster.example", user: "ann", password: password, keeper)
    }

    let store = try LocalStore(path: "locations.sqlite", key: SymmetricKey(data: keyOfTheApp))
    let monitor = LocationMonitor()
    let watch = RegionWatch(session: session, store: store)
    try await watch.restore()  // The regions and where it stood, as it knew them last.
    let tracker = LocationTracker(
        store: store, monitor: monitor, server: session.peer, user: session.user, session: "this-run", watch: watch)

    let events = tracker.events()
    Task {
        for await event in events {
            switch event {
            case .started:
                Task { await monitor.run(source) }  // Not before: only now does someone listen.
            case .failed(.unauthorized):
                guard let password = await askForPassword(),
                    let again = try? await session.signInAgain(password: password, keeper)
                else { continue }  // Recording goes on, and the next emission asks again.
                tracker.reauthenticate(as: again)
            default: print(event)
            }
        }
    }
    try await tracker.run()
}

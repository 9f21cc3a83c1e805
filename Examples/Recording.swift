import MusterKit

/// Records where Ann is, with or without a network, and sends it when there is one, until the source ends.
///
/// - Parameters:
///   - source: `CoreLocationSource()` on an Apple device.
///   - askForPassword: asks Ann; nil: not now.
func record(_ source: any LocationSource, askForPassword: @escaping @Sendable () async -> String?) async throws {
    let muster = try await Muster.open("https://muster.example")  // No network is needed.
    let waiting = Task {
        for await case .signingIn(_, let reason?) in muster.account { print("Waiting: \(reason)") }
    }
    defer { waiting.cancel() }
    for await event in muster.track(source) {
        switch event {
        case .account(.signedOut):
            guard let password = await askForPassword() else { return try await muster.close() }
            // Waits for the server. After a mistyped password the account is `.signedOut` again, so Ann is asked again.
            do { try await muster.signIn(user: "ann", password: password) } catch { print("Not signed in: \(error)") }
        case .account(.signInNeeded):
            // Recording goes on all the same, also after a mistyped password.
            guard let password = await askForPassword() else { break }
            do { try await muster.signInAgain(password: password) } catch { print("Not signed in: \(error)") }
        case .availability(let availability): print(availability)
        case .crossed(let crossing): print(crossing.kind, crossing.region.id, crossing.time)
        case .failed(let error): print("Everything is kept on this device: \(error)")
        default: break
        }
    }
    try await muster.close()
}

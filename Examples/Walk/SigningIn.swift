import Foundation
import MusterKit

/// Walks a recorded track as Ann, and reports it.
private func walk() async throws {
    var options = Muster.Options()
    options.foreground = .everything
    let muster = try await Muster.open("http://127.0.0.1:8080", options: options)
    if muster.session == nil {
        try await muster.signIn(user: "ann", password: "walkwalkwalk1")
    }
    let recorded = try await muster.recentLocations()
    print(recorded.count, "locations are on this device")
    try await muster.close()
}

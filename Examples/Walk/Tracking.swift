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
    let file = try Data(contentsOf: URL(filePath: "walk.gpx"))
    let start = Instant(seconds: Date.now.timeIntervalSince1970)
    for await event in muster.track(try RecordedTrack(gpx: Array(file), start: start, speed: 30)) {
        print(event)
    }
    try await muster.close()
}

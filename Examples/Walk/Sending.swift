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
        switch event {
        case .recorded(let location): print("at", location.latitude, location.longitude)
        case .crossed(let crossing): print(crossing.kind, crossing.region.id)
        case .sent(let count): print("the server has all of it,", count, "were new to it")
        case .failed(let error): print("kept on this device:", error)
        default: break
        }
    }
    do {
        try await muster.send()
    } catch {
        print("the next start sends the rest:", error)
    }
    try await muster.close()
}

import ArgumentParser
import Foundation
import MusterCore
import MusterTerminal
import MusterWire

/// `muster replay`: sends recorded tracks through the API, as a phone that moves along them now.
struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Send GPX tracks through the API with their times moved to now: at once, or fix by fix.")

    @Argument(help: "GPX files, sent in turn.", completion: .gpxFiles) var files: [String]
    @Option(help: "The server's address.") var server: String
    @Option(help: "The token of a device, or a key or token of a user. Other users of this machine can read it here.")
    var token: String?
    @Option(help: "A file whose first line is that token; by default MUSTER_TOKEN holds it.", completion: .file())
    var tokenFile: String?
    @Option(help: "The device: user/device, or the name of one of your own; by default the token's device.")
    var device: String?
    @Option(
        help: """
            The speed, as a multiple of that in the file; by default 60. For a file without times, with --start: \
            metres a second.
            """)
    var speed: Double?
    @Option(help: "The time of the first fix, RFC 3339; by default now, or so that the last of --at-once is now.")
    var start: String?
    @Flag(help: "Walk the routes of the files, and not the tracks.") var route = false
    @Flag(help: "Walk the waypoints of the files, and not the tracks.") var waypoints = false
    @Flag(help: "Send everything at once; the last fix gets the current time.") var atOnce = false
    @Flag(help: "Add the noise of a phone's GPS.") var noise = false

    func validate() throws {
        if let speed { try ValidationError.require("--speed", speed, in: 0.001...1_000_000) }
        guard !(route && waypoints) else { throw ValidationError("--route or --waypoints, not both") }
        if let start, (try? Instant(rfc3339: start)) == nil {
            throw ValidationError("--start must be a time as in RFC 3339, such as 2026-05-01T08:00:00Z")
        }
        guard token == nil || tokenFile == nil else { throw ValidationError("--token or --token-file, not both") }
        guard !files.isEmpty else { throw ValidationError("name at least one GPX file") }
    }

    func run() async throws {
        let shown = try token ?? ServerToken.reader(of: tokenFile)()
        let first = start.flatMap { try? Instant(rfc3339: $0) }
        var walk = try Walk(
            files: files, source: route ? .routes : waypoints ? .waypoints : .tracks,
            metresPerSecond: first == nil ? nil : speed)
        if walk.isUntimed, let speed {
            announce("No point has a time: the times are made up, at \(speed) m/s from --start on")
        } else if walk.estimatedCount > 0 {
            announce(
                "\(walk.estimatedCount) points have no time: theirs are estimated, at "
                    + "\(Walk.strideMetresPerSecond) m/s from the point before")
        }
        if noise { walk.addNoise(seed: 1) }
        let reporter = Reporter(connection: try Connection(base: server, token: shown))
        let tally =
            atOnce
            ? try await sendAtOnce(walk, from: first, by: reporter)
            : try await sendInTime(walk, from: first, by: reporter)
        announce(
            "\(tally.accepted) accepted, \(tally.late) late, \(tally.repeated) repeated, \(tally.filtered) filtered")
    }

    private func sendAtOnce(_ walk: Walk, from first: Instant?, by reporter: Reporter) async throws -> Reporter.Tally {
        let start = first ?? Instant.now.advanced(bySeconds: -walk.durationSeconds)
        guard start.advanced(bySeconds: walk.durationSeconds) <= Instant.now else {
            throw CommandFailure("the walk would end in the future: choose an earlier --start, or leave out --at-once")
        }
        var progress = Progress(total: walk.fixes.count)
        var tally = Reporter.Tally()
        var rest = walk.fixes[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Reporter.batchLimit)
            tally = tally + (try await reporter.send(batch.map { (device, $0.position(from: start, speed: 1)) }))
            rest = rest.dropFirst(batch.count)
            progress.advance(by: batch.count)
        }
        progress.finish()
        return tally
    }

    private func sendInTime(_ walk: Walk, from first: Instant?, by reporter: Reporter) async throws -> Reporter.Tally {
        let start = first ?? Instant.now
        let factor = walk.isUntimed ? 1 : speed ?? 60
        var progress = Progress(total: walk.fixes.count)
        var tally = Reporter.Tally()
        for fix in walk.fixes {
            let position = fix.position(from: start, speed: factor)
            let wait = position.sampleTime.seconds(since: Instant.now)
            if wait > 0 { try await Task.sleep(for: .seconds(wait)) }
            tally = tally + (try await reporter.send([(device, position)]))
            progress.advance(by: 1)
        }
        progress.finish()
        return tally
    }
}

/// A progress bar on standard error. It is drawn only on a terminal.
struct Progress {
    private let total: Int
    private let isShown = isatty(STDERR_FILENO) == 1
    private var done = 0
    private var shownPercent = -1

    init(total: Int) { self.total = max(1, total) }

    mutating func advance(by count: Int) {
        done += count
        let percent = done * 100 / total
        guard isShown, percent != shownPercent else { return }
        shownPercent = percent
        let bar = String(repeating: "█", count: percent / 4) + String(repeating: "·", count: 25 - percent / 4)
        remark(unterminated: "\r\(bar) \(percent) %  \(done) of \(total)")
    }

    func finish() {
        if isShown { remark(unterminated: "\n") }
    }
}

import ArgumentParser
import Crypto
import Foundation
import MusterCoding
import MusterCore
import MusterHTTP
import MusterKit
import MusterTerminal

/// `muster track`: a complete client built on MusterKit. It records a walk on this machine, with or without a network,
/// and sends it to the server. The client and the server can be killed at any moment; started again, the client
/// continues.
struct Track: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "track",
        abstract: "Walk a GPX file as a phone would: record it here, and send it when the server is reachable.",
        discussion: """
            Recorded locations are kept in the store's folder. When the command is started again with the same folder \
            and file, it continues where it stopped: no location is lost and none is sent twice. Another file is \
            another walk. To walk a finished walk again, use another folder.

            The locations count as those of the user's first device. For a user without a device, one with the name \
            phone is created. To report for another device, use muster replay --device.
            """)

    @Argument(help: "The GPX file.", completion: .gpxFiles) var file: String
    @Option(help: "The server's address.") var server: String
    @Option(help: "The user's name.") var user: String
    @Option(
        help: "A file with the password on its first line. Otherwise MUSTER_PASSWORD, or the terminal, gives it.",
        completion: .file())
    var passwordFile: String?
    @Flag(help: "Create the user first, if there is none of that name.") var register = false
    @Flag(help: "Send recorded locations even if the user was removed and another of that name was created.")
    var takeOver = false
    @Option(help: "The folder that keeps the recorded locations and the session.", completion: .directory)
    var store = "muster-track"
    @Option(help: "The speed, as a multiple of that in the file.") var speed: Double = 1
    @Option(help: "Cut the network off after this many seconds.") var offlineFrom: Double?
    @Option(help: "Restore the network after this many seconds.") var offlineUntil: Double?
    @Option(help: "The seconds between two readings of the position.") var readEvery: Double = 5
    @Option(help: "The seconds between two attempts to send to the server.") var emitEvery: Double = 20
    @Flag(help: "Record every fix of the file, however close in distance or time.") var everyFix = false
    @Option(
        name: [.customLong("wait-seconds"), .customLong("patience")],
        help: "After the walk, seconds to keep trying while the server is unreachable; 0 for no limit.")
    var waitSeconds: Double = 0

    func validate() throws {
        try ValidationError.require("--speed", speed, in: 0.001...1_000_000)
        try ValidationError.require("--read-every", readEvery, in: 0.001...86_400)
        try ValidationError.require("--emit-every", emitEvery, in: 0.001...86_400)
        if let offlineFrom, let offlineUntil, offlineUntil <= offlineFrom {
            throw ValidationError("--offline-until: must come after --offline-from")
        }
    }

    /// The properties of a walk that are kept between two starts.
    private struct Walk: Codable {
        var session: String
        var startMilliseconds: Int64
        /// The speed, as a multiple of that in the file. It stays the same, because another speed would record the walk
        /// again.
        var speed: Double
        /// The digest of the file.
        var file: String
    }

    func run() async throws {
        let bytes = try InputFile.read(file)
        do {
            try FileManager.default.createDirectory(
                atPath: store, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure("the folder \(store) cannot be created: \(error.localizedDescription)")
        }
        let walker = try await reportingFailures { try await signIn() }
        let session = walker.session
        let path = "\(store)/locations.sqlite"
        let local: LocalStore
        do {
            local = try LocalStore(path: path)
        } catch {
            throw CommandFailure("\(path): \(error)")
        }
        let walk = try walk(of: bytes)
        var track = try await reportingFailures {
            try RecordedTrack(
                gpx: [UInt8](bytes), start: Instant(milliseconds: walk.startMilliseconds), speed: walk.speed)
        }
        var newestQuery = LocalStore.Query.newest(1)
        // A location ahead of the clock must not decide where the walk continues.
        newestQuery.before = Instant.now.advanced(bySeconds: LocationMonitor.aheadSeconds)
        newestQuery.idPrefix = RecordedLocation.idPrefix(ofSession: walk.session)
        let last = try await local.documents(newestQuery, as: RecordedLocation.self).first?.value.fix
        track.after = last?.sampleTime
        let network = Network(offlineFrom: offlineFrom, offlineUntil: offlineUntil)
        let watch = RegionWatch(session: session, store: local)
        try await watch.restore()
        if !network.isAway { try? await watch.refresh() }
        var filter = everyFix ? LocationFilter.everything : .foreground
        // The time filter is shortened by the factor by which the walk is faster.
        filter.seconds /= walk.speed
        let monitor = LocationMonitor(foreground: filter, background: filter, last: last)
        var pace = LocationTracker.Pace()
        pace.readSeconds = readEvery
        pace.emitSeconds = emitEvery
        let tracker = LocationTracker(
            store: local, monitor: monitor, server: walker.peer(over: network), user: user,
            session: walk.session, watch: watch, pace: pace)
        let trip = Trip(tracker: tracker, store: local, walker: walker, network: network)
        announce("\(track.recorded.count) fixes in \(file), \(Int(track.durationSeconds)) s at this speed")
        if track.withoutTime > 0 { announce("Points without a time, which are left out: \(track.withoutTime)") }
        if let last, let end = track.end, last.sampleTime >= end {
            announce("This walk is over. To walk it again, use another --store")
        }
        do {
            try await follow(trip, monitor, track)
        } catch let fault as LocalStoreError {
            throw CommandFailure(
                "\(fault). What was recorded before is kept in \(store). Free disk space, then start again.")
        }
        try await finish(trip)
    }

    /// The parts that a walk uses.
    private struct Trip: Sendable {
        let tracker: LocationTracker
        let store: LocalStore
        let walker: Walker
        let network: Network

        /// Signs in again. If that succeeds, the tracker continues with the new session.
        func signInAgain() async -> Walker.Renewal {
            let renewal = await walker.signInAgain()
            if case .signedIn = renewal {
                tracker.reauthenticate(as: walker.session, by: walker.peer(over: network))
            }
            return renewal
        }
    }

    // MARK: Signing in

    private func signIn() async throws -> Walker {
        let terms = Walker.Terms(
            server: server, user: user, store: store, password: try givenPassword(), registers: register,
            takesOver: takeOver)
        return try await Walker.signIn(terms) { try readSecret() }
    }

    /// Returns the password from the file or the environment; nil if the command must ask for it.
    private func givenPassword() throws -> String? {
        if let passwordFile {
            let text = String(decoding: try InputFile.read(passwordFile), as: UTF8.self)
            guard let line = text.split(whereSeparator: \.isNewline).first else {
                throw CommandFailure("\(passwordFile) holds no password")
            }
            return String(line)
        }
        if let password = ProcessInfo.processInfo.environment["MUSTER_PASSWORD"], !password.isEmpty {
            return password
        }
        return nil
    }

    // MARK: Walking

    /// Returns the walk of this file that was begun in this folder, or begins a new one.
    private func walk(of bytes: Data) throws -> Walk {
        let hash = SHA256.hash(data: bytes)
        let digest = Base64.encode(Array(hash))
        let path = "\(store)/walk-\(hash.prefix(8).hexadecimal).json"
        // Earlier versions had one file, for the last walk only.
        for path in [path, "\(store)/walk.json"] {
            guard let data = FileManager.default.contents(atPath: path) else { continue }
            guard let walk = try? JSONDecoder().decode(Walk.self, from: data) else {
                throw CommandFailure(
                    "\(path) is damaged: the state of this walk is unknown. Remove the file to start the walk again.")
            }
            guard walk.file == digest else { continue }
            if walk.speed != speed {
                announce("This walk was begun at speed \(walk.speed), and continues at that speed")
            }
            return walk
        }
        let walk = Walk(
            session: UUID().uuidString.lowercased(), startMilliseconds: Instant.now.milliseconds, speed: speed,
            file: digest)
        do {
            try JSONEncoder().encode(walk).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw CommandFailure("\(path) cannot be written: \(error.localizedDescription)")
        }
        return walk
    }

    private func follow(_ trip: Trip, _ monitor: LocationMonitor, _ track: RecordedTrack) async throws {
        let events = trip.tracker.events()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await trip.tracker.run() }
            group.addTask {
                var recorded = 0
                var isBehind = false
                for await event in events {
                    switch event {
                    case .started(let stored):
                        announce("\(stored) locations recorded before")
                        // The monitor starts only now, when the tracker listens.
                        Task { await monitor.run(track) }
                    case .recorded: recorded += 1
                    case .crossed(let crossing):
                        announce("\(crossing.kind.verb) \(crossing.region.id)\(crossing.certainty)")
                    case .incident(let incident?):
                        let note = incident.note.map { ": \($0)" } ?? ""
                        announce("\(incident.isDrill ? "A drill" : "Evacuate")\(note)")
                    case .incident(nil): announce("The incident is over")
                    case .safety(let safety): announce("As far as this device can tell, \(safety.sentence)")
                    case .emitted(let count):
                        trip.walker.noteArrival()
                        if count > 0 || isBehind { announce("\(recorded) recorded; \(count) new at the server") }
                        isBehind = false
                    case .failed(let failure):
                        isBehind = true
                        await announceFailure(failure, recorded, trip)
                    case .reconciled(let difference):
                        for region in difference.inside { announce("The server says: inside \(region.id)") }
                        for region in difference.outside { announce("The server says: outside \(region.id)") }
                    }
                }
            }
            while try await group.next() != nil {}
        }
    }

    private func announceFailure(_ failure: LocationTracker.Failure, _ recorded: Int, _ trip: Trip) async {
        if failure == .storeFull {
            return announce("\(recorded) recorded; new locations wait in memory: \(failure)")
        }
        announce("\(recorded) recorded; kept here: \(failure)")
        guard case .unauthorized = failure, case .refused(let reason) = await trip.signInAgain() else { return }
        announce("Cannot sign in again: \(reason)")
    }

    /// Tries until the server has every location, or refuses some for good.
    private func finish(_ trip: Trip) async throws {
        let begun = Instant.now
        var delay = 0.5
        while let failure = await sendRecorded(trip) {
            switch failure {
            case .away, .cancelled: break
            case .unauthorized:
                switch await trip.signInAgain() {
                case .signedIn: continue
                case .away: break
                case .refused(let reason): throw CommandFailure("\(reason). Everything is kept in \(store).")
                }
            case .refusesDocuments, .storeFull, .broken:
                throw CommandFailure("\(failure). What was recorded is kept in \(store).")
            }
            if waitSeconds > 0, Instant.now.seconds(since: begun) > waitSeconds {
                throw CommandFailure("the server cannot be reached; everything is kept in \(store)")
            }
            try await Task.sleep(for: .seconds(delay))
            delay = min(delay * 2, 10)
        }
        announce("Done: \(try await trip.store.count()) locations, all of them at the server")
    }

    /// Sends the recorded locations, and asks the server whether it has all of them, because it may have refused some
    /// before.
    private func sendRecorded(_ trip: Trip) async -> LocationTracker.Failure? {
        if let failure = await trip.tracker.emit() { return failure }
        do {
            let missing = try await trip.tracker.missing()
            return missing == 0 ? nil : .refusesDocuments(count: missing, reason: "it does not have them")
        } catch {
            return error
        }
    }
}

extension Crossing.Kind {
    fileprivate var verb: String {
        switch self {
        case .enter: "Entered"
        case .exit: "Left"
        case .dwell: "Has stayed in"
        case .passed: "Passed"
        }
    }
}

extension RegionWatch.DeviceCrossing {
    /// The probability that the device was inside, if it was computed.
    fileprivate var certainty: String { insidePercent.map { " (inside: \($0) %)" } ?? "" }
}

extension RegionWatch.DeviceSafety {
    fileprivate var sentence: String {
        switch state {
        case .safe: "you are safe in \(region?.id ?? "a muster region")"
        case .unsafe: "you are in no muster region"
        default: "it is not known whether you are safe"
        }
    }
}

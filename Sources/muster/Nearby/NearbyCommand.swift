import ArgumentParser
import Foundation
import MusterCore
import MusterGeometry
import MusterHTTP
import MusterKit
import MusterNearby
import MusterTerminal

/// `muster nearby`: shows the distance and the direction of peers, without a server.
struct NearbyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearby",
        abstract: "Show how far other devices are, and which way, also without a server.",
        discussion: """
            Two devices on one network find each other by multicast DNS. On different networks, one of them is given \
            the address of the other (--connect), or both connect to the relay of a server (--relay). The channel \
            between them is encrypted. The first time, the key of a peer is stored with the peer's name; from then \
            on, another key under that name is refused.

            This machine has no ranging radio: --source simulated invents the place of each device, with the errors \
            of an ultra-wideband radio. --source gps computes the distance from the places that --position gives on \
            each device. --source fused combines both.

            With --report, the distances to peers that agree are reported to a server, as the device of the token in \
            --report-token-file or MUSTER_TOKEN, and this device agrees to be measured by the peers that it accepts. \
            Distances that the server does not have yet are kept in the store. --withdraw ends that agreement.
            """)

    /// The sources that can measure.
    enum Source: String, CaseIterable, ExpressibleByArgument { case simulated, gps, fused }
    /// The ways to find peers.
    enum Finding: String, CaseIterable, ExpressibleByArgument { case multicast, loopback, none }
    /// The peers that are accepted.
    enum Acceptance: String, CaseIterable, ExpressibleByArgument { case new, known }

    @Option(help: "The name of this device.") var name: String
    @Option(help: "The address to listen on: PORT or HOST:PORT. Without it, any port of all addresses.")
    var listen: String?
    @Option(help: "How peers are found: multicast, loopback (programs on this machine), or none.")
    var discover = Finding.multicast
    @Option(help: "HOST:PORT of a peer; may be repeated.") var connect: [String] = []
    @Option(
        help: """
            The address of a Muster server. Devices of your team that are connected to its relay are found on any \
            network; they see your account and this name.
            """)
    var relay: String?
    @Option(
        help: "For --relay: a file with an API key on its first line. Otherwise MUSTER_TOKEN holds it.",
        completion: .file())
    var tokenFile: String?
    @Option(help: "The source of the distances: simulated, gps, or fused (both).") var source = Source.simulated
    // Without `.unconditional`, a value that begins with a minus counts as an option.
    @Option(
        parsing: .unconditional,
        help: "Where the simulated device is: walk, or EAST,NORTH[,HEADING] in metres and degrees.")
    var simulate = "walk"
    @Option(help: "The seed of the simulated walk and errors.") var seed: UInt64?
    @Option(
        parsing: .unconditional,
        help: "For gps and fused: LATITUDE,LONGITUDE,ACCURACY[,HEADING] in degrees and metres.")
    var position: String?
    @Option(help: "The peers to accept: new (any; its key is stored), or known (only with a stored key).")
    var accept = Acceptance.new
    @Option(
        help: "A file with a secret of 16 bytes or more. Only devices that have the same secret are accepted.",
        completion: .file())
    var teamSecretFile: String?
    @Option(help: "Remove the stored key of the peer with this name first.") var forget: String?
    @Option(
        help: "The folder that keeps this device's key and its peers'. By default muster-nearby/NAME.",
        completion: .directory)
    var store: String?
    @Option(help: "The seconds of silence after which a peer counts as gone.") var timeout = 5.0
    @Option(help: "Report distances to the server of this address, and agree to be measured.") var report: String?
    @Option(
        help: "For --report: a file with the device's token on its first line. Otherwise MUSTER_TOKEN holds it.",
        completion: .file())
    var reportTokenFile: String?
    @Flag(help: "With --report: withdraw the agreement to be measured, and exit.") var withdraw = false
    @Flag(help: "Print a line of JSON for each event.") var json = false

    func validate() throws {
        guard PeerName.checked(name) != nil, !name.contains("/"), !name.hasPrefix(".") else {
            throw ValidationError("--name: 1 to 63 bytes without control characters and slashes")
        }
        guard (0.2...3600).contains(timeout) else { throw ValidationError("--timeout: from 0.2 to 3,600 seconds") }
        for address in connect where NearbyAddress(address) == nil {
            throw ValidationError("--connect: HOST:PORT")
        }
        if relay == nil, tokenFile != nil { throw ValidationError("--token-file: only with --relay") }
        if report == nil, reportTokenFile != nil || withdraw {
            throw ValidationError("--report-token-file, --withdraw: only with --report")
        }
        if relay != nil, report != nil, tokenFile == nil, reportTokenFile == nil {
            // The relay admits a person's key and no device's token; MUSTER_TOKEN can hold one of them.
            throw ValidationError("--relay with --report: name the file of one of the tokens")
        }
        if let listen, Self.listening(listen) == nil { throw ValidationError("--listen: PORT or HOST:PORT") }
        if source != .gps, motion == nil {
            throw ValidationError("--simulate: walk, or EAST,NORTH[,HEADING], at most 1,000,000 m")
        }
        if source != .simulated, fix(at: Instant(milliseconds: 0)) == nil {
            throw ValidationError("--position: LATITUDE,LONGITUDE,ACCURACY[,HEADING], with an accuracy above 0")
        }
    }

    func run() async throws {
        let display = NearbyDisplay(name: name, isJSON: json)
        let (nearby, reports): (Nearby, NearbyReports?)
        do {
            let folder = store ?? "muster-nearby/\(name)"
            let store = try NearbyStore(folder: folder)
            reports = try makeReports(folder, store, display)
            if withdraw, let reports { return try await reports.withdraw() }
            if let forget, try !store.forget(forget) { remark("note: no peer is called \(forget)") }
            display.key = store.fingerprint
            display.isSimulated = makeSource().isSimulated
            let isOpen = accept == .new
            var options = try options()
            if reports != nil { options.rangeTag = try store.rangeSecret().tag }
            nearby = try Nearby(
                options: options, source: makeSource(), store: store, discovery: try discovery()
            ) { isOpen || $0.isKnown }
        } catch let failure as NearbyStore.Failure {
            throw CommandFailure(failure.description)
        } catch let error as NearbyError {
            throw CommandFailure(error.reason)
        }
        let running = Task { try await nearby.run() }
        let signals = StopSignals { running.cancel() }
        defer { signals.cancel() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await event in nearby.events {
                    display.show(event)
                    await reports?.follow(event)
                }
            }
            group.addTask { await display.keepDrawing() }
            if let reports { group.addTask { await reports.keepSending() } }
            await group.next()
            group.cancelAll()
        }
        do { try await running.value } catch let error as NearbyError { throw CommandFailure(error.reason) }
        display.finish()
    }

    private func discovery() throws -> [any Discovery] {
        var all: [any Discovery] = [StaticDiscovery(connect.compactMap { NearbyAddress($0) })]
        if discover != .none { all.append(MulticastDiscovery(onLoopback: discover == .loopback)) }
        if let relay {
            let server = try ServerToken.checkedServer(relay, option: "--relay")
            let readToken = ServerToken.reader(of: tokenFile)
            _ = try readToken()
            all.append(try RelayDiscovery(server: server) { "Bearer \(try readToken())" })
        }
        return all
    }

    /// Opens the reports to a server; nil without `--report`.
    private func makeReports(
        _ folder: String, _ store: NearbyStore, _ display: NearbyDisplay
    ) throws -> NearbyReports? {
        guard let report else { return nil }
        let server = try ServerToken.checkedServer(report, option: "--report")
        let token = ServerToken.reader(of: reportTokenFile)
        _ = try token()
        do {
            let reporter = try RangeReporter(
                path: folder + "/ranges.sqlite", server: server, secret: withdraw ? nil : store.rangeSecret(),
                token: token)
            return NearbyReports(reporter, isSimulated: makeSource().isSimulated) { display.showNote($0) }
        } catch let error as RangeReportError {
            throw CommandFailure("\(error)")
        }
    }

    private func options() throws -> Nearby.Options {
        var options = Nearby.Options(name: name)
        if let (host, port) = listen.flatMap(Self.listening) { (options.host, options.port) = (host, port) }
        options.limits.silenceSeconds = timeout
        if let teamSecretFile {
            let bytes = Array(try InputFile.read(teamSecretFile))
            options.teamSecret = Array(bytes.prefix { $0 != 10 && $0 != 13 })
        }
        return options
    }

    private func makeSource() -> any RangingSource {
        let command = self
        let fixes = GPSRanging { command.fix(at: NearbyClock.system.now()) }
        let radio = SimulatedRanging(
            motion ?? .wandering(within: 10, speed: 1.4), seed: seed ?? UInt64.random(in: 0...UInt64.max))
        return switch source {
        case .simulated: radio
        case .gps: fixes
        case .fused: FusedRanging([radio, fixes])
        }
    }

    /// The motion that `--simulate` describes; nil when it cannot be read.
    private var motion: SimulatedRanging.Motion? {
        if simulate == "walk" { return .wandering(within: 10, speed: 1.4) }
        guard let numbers = Self.numbers(simulate), (2...3).contains(numbers.count),
            numbers.prefix(2).allSatisfy({ abs($0) <= 1e6 }), numbers.count == 2 || abs(numbers[2]) <= 360
        else { return nil }
        return .standing(east: numbers[0], north: numbers[1], heading: Degrees(numbers.count == 3 ? numbers[2] : 0))
    }

    /// The fix that `--position` describes; nil when it cannot be read.
    private func fix(at now: Instant) -> GPSRanging.Fix? {
        guard let numbers = position.flatMap(Self.numbers), (3...4).contains(numbers.count), numbers[2] > 0,
            let coordinate = try? Coordinate(latitude: numbers[0], longitude: numbers[1])
        else { return nil }
        return GPSRanging.Fix(
            coordinate: coordinate, accuracy: Metres(numbers[2]), time: now,
            heading: numbers.count == 4 ? Degrees(numbers[3]) : nil)
    }

    private static func numbers(_ text: String) -> [Double]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        return parts.allSatisfy { $0?.isFinite == true } ? parts.compactMap { $0 } : nil
    }

    private static func listening(_ text: String) -> (host: String?, port: Int)? {
        if let port = UInt16(text) { return (nil, Int(port)) }
        return NearbyAddress(text, ports: 0...UInt16.max).map { ($0.host, $0.port) }
    }
}

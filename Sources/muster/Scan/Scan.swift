import ArgumentParser
import Foundation
import MusterKit
import MusterTerminal

/// `muster scan`: a gateway. It hears the Bluetooth beacons and tags around this machine and reports them to the server
/// as the device that the token belongs to.
struct Scan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Listen for Bluetooth beacons and tags, show them, and report them to a server as a gateway.",
        discussion: """
            The command listens to an adapter of this machine (Linux), to a virtual controller that sends H4 over \
            TCP, or to a btsnoop capture. With --server, sightings are kept in the store's folder until the server has \
            them, even if the command crashes. The token belongs to a device; muster device token creates it.

            A beacon is identified by its frame (iBeacon, AltBeacon, Eddystone-UID), or by its Bluetooth address if \
            the address does not change. Phones change their address every few minutes: they are counted, but nothing \
            about them is kept.
            """)

    @Option(help: "The number of the Bluetooth adapter: 0 for hci0.") var adapter: UInt16?
    @Option(help: "Listen to a virtual controller at HOST:PORT instead, which sends H4 over TCP.") var h4: String?
    @Option(help: "Read a btsnoop capture instead, and exit at its end.", completion: .file()) var btsnoop: String?
    @Flag(help: "Move the times of the capture, so that its last frame is heard now.") var moveToNow = false
    @Option(help: "The server's address. Without it, nothing is kept and nothing is sent.") var server: String?
    @Option(
        help: "A file with the device's token on its first line. Otherwise MUSTER_TOKEN holds it.",
        completion: .file())
    var tokenFile: String?
    @Option(help: "The folder for sightings that the server does not have yet.", completion: .directory)
    var store = "muster-scan"
    @Flag(help: "Send the sightings in that folder even if another device or another server was meant.")
    var takeOver = false
    @Option(help: "The largest size of that folder in MiB. When it is full, the oldest sightings are removed.")
    var storeMebibytes: Int64 = 64
    @Option(help: "Seconds of signals from one beacon that become one sighting.") var every: Double = 1
    @Flag(help: "Print a line of JSON for each sighting.") var json = false
    @Option(
        name: [.customLong("wait-seconds"), .customLong("patience")],
        help: "After a capture, seconds to keep trying while the server is unreachable; 0 for no limit.")
    var waitSeconds: Double = 0

    func validate() throws {
        guard [adapter.map { "\($0)" }, h4, btsnoop].compactMap({ $0 }).count <= 1 else {
            throw ValidationError("--adapter, --h4, --btsnoop: one of them")
        }
        guard every >= 0.1, every <= 60 else { throw ValidationError("--every: from 0.1 to 60 seconds") }
        guard (1...1_000_000).contains(storeMebibytes) else { throw ValidationError("--store-mebibytes: at least 1") }
        guard waitSeconds >= 0 else { throw ValidationError("--wait-seconds: 0 or more") }
        if moveToNow, btsnoop == nil { throw ValidationError("--move-to-now: only with --btsnoop") }
        if let h4, Self.address(h4) == nil { throw ValidationError("--h4: HOST:PORT") }
        if server == nil, tokenFile != nil { throw ValidationError("--token-file: only with --server") }
    }

    func run() async throws {
        let source: any AdvertisementSource
        do { source = try makeSource() } catch { throw CommandFailure(error.description) }
        let show = ScanDisplay(isJSON: json, source: source.name)
        guard let server else { return try await ScanRun(source, every: every, display: show).run() }
        let address = try ServerToken.checkedServer(server, option: "--server")
        let readToken = ServerToken.reader(of: tokenFile)
        _ = try readToken()
        let outbox = try openOutbox()
        let sender = SightingSender(outbox, to: address, takesOver: takeOver, token: readToken)
        var run = ScanRun(source, every: every, display: show)
        run.outbox = outbox
        run.sender = sender
        run.waitSeconds = waitSeconds
        run.outboxFolder = store
        try await run.run()
    }

    private func makeSource() throws(RadioError) -> any AdvertisementSource {
        if let btsnoop { return try CaptureSource(path: btsnoop, movedToEndAt: moveToNow ? .now : nil) }
        if let (host, port) = h4.flatMap(Self.address) {
            return ControllerSource(host: host, port: port) { .now }
        }
        return ControllerSource(adapter: adapter ?? 0) { .now }
    }

    /// Reads `HOST:PORT`, or `[HOST]:PORT` for an address with colons.
    private static func address(_ text: String) -> (host: String, port: UInt16)? {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return nil }
        var host = text[..<colon]
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        return host.isEmpty ? nil : (String(host), port)
    }

    private func openOutbox() throws -> SightingOutbox {
        do {
            try FileManager.default.createDirectory(
                atPath: store, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure("the folder \(store) cannot be created: \(error.localizedDescription)")
        }
        let path = "\(store)/sightings.sqlite"
        do {
            return try SightingOutbox(path: path, limitBytes: storeMebibytes << 20)
        } catch {
            throw CommandFailure("\(path): \(error)")
        }
    }
}

import Foundation
import MusterGeometry
import MusterNearby
import MusterTerminal
import Synchronization

/// The devices of `muster-bench nearby`.
enum NearbyDevices {
    /// Creates a device on loopback whose radio measures distances without an error.
    static func device(
        _ name: String, _ motion: SimulatedRanging.Motion, seed: UInt64 = 0, rate: Double, dialling port: Int? = nil
    ) throws -> Nearby {
        var options = Nearby.Options(name: name)
        options.host = "127.0.0.1"
        var noise = SimulatedRanging.Noise()
        (noise.distance, noise.obstructed) = (0, 0)
        let source = SimulatedRanging(motion, noise: noise, seed: seed, rate: rate)
        let found = port.map { [StaticDiscovery([NearbyAddress(host: "127.0.0.1", port: $0)])] } ?? []
        return try Nearby(options: options, source: source, store: try NearbyStore(), discovery: found) { _ in true }
    }
}

/// The process that runs the peers of `muster-bench nearby`. It ends with this process, however this one ends.
final class NearbyPeerProcess {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())
    private var started = 0

    init(port: Int, rate: Double) throws {
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["nearby-peers", "--port", "\(port)", "--rate", "\(rate)"]
        (process.standardInput, process.standardOutput) = (input, output)
        try Children.run(process)
        guard try readAnswer() == "ready" else { throw CommandFailure("the process of the peers did not start") }
    }

    /// Starts one more peer, and returns its name.
    func startPeer() -> String {
        started += 1
        let name = "peer \(started)"
        write(name)
        return name
    }

    /// Returns how many updates reached the readers of all peers since the last call, the processor time, and the bytes
    /// that the process has read; nil where the system does not count them.
    func readCost() throws -> (updates: Int, seconds: Double, receivedBytes: Int?) {
        write("cost")
        let words = try readAnswer().split(separator: " ")
        guard words.count == 3, let updates = Int(words[0]), let seconds = Double(words[1]) else {
            throw CommandFailure("the process of the peers answered \(words)")
        }
        return (updates, seconds, Int(words[2]))
    }

    /// Ends the process, and waits for its end.
    func stop() {
        try? input.fileHandleForWriting.close()
        Children.stop(process)
    }

    private func write(_ line: String) { input.fileHandleForWriting.write(Data((line + "\n").utf8)) }

    private func readAnswer() throws -> String {
        var text = ""
        while !text.hasSuffix("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw CommandFailure("the process of the peers ended") }
            text += String(decoding: data, as: UTF8.self)
        }
        return String(text.dropLast())
    }
}

/// The updates that reached readers.
final class UpdateCount: Sendable {
    private let count = Atomic(0)

    func add() { count.add(1, ordering: .relaxed) }

    /// Returns the count, and starts again at 0.
    func takeCount() -> Int { count.exchange(0, ordering: .relaxed) }
}

/// The processor time of a process.
struct ProcessorUse {
    var userSeconds: Double
    var systemSeconds: Double
    var switches: Int

    var seconds: Double { userSeconds + systemSeconds }

    /// The use of this process, without its children.
    static var ofThisProcess: ProcessorUse {
        var usage = rusage()
        // 0 is RUSAGE_SELF, whose type differs between systems.
        getrusage(0, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return ProcessorUse(
            userSeconds: seconds(usage.ru_utime), systemSeconds: seconds(usage.ru_stime),
            switches: usage.ru_nvcsw + usage.ru_nivcsw)
    }

    static func - (left: ProcessorUse, right: ProcessorUse) -> ProcessorUse {
        ProcessorUse(
            userSeconds: left.userSeconds - right.userSeconds, systemSeconds: left.systemSeconds - right.systemSeconds,
            switches: left.switches - right.switches)
    }
}

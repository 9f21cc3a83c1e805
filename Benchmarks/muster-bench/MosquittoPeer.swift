import Foundation
import MusterTerminal

/// A mosquitto that is started for a measurement: the peer of `muster-bench mqtt`.
///
/// It keeps what is retained in memory, and writes all of it to its file each second. No acknowledgement waits for
/// that, so a loss of power takes up to a second of what it acknowledged.
final class MosquittoPeer: Sendable {
    private let process: Process
    private let folder: URL

    /// Starts a mosquitto with persistence on a port of this machine; nil where it is not installed.
    static func start(port: Int) throws -> MosquittoPeer? {
        // Debian has it in a folder that is not on everyone's path.
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") + ["/usr/sbin"]
        let paths = folders.map { "\($0)/mosquitto" }
        guard let path = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else { return nil }
        let folder = FileManager.default.temporaryDirectory.appending(path: "mosquitto-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let settings = folder.appending(path: "mosquitto.conf")
        // Started by root it would take another user's rights, and could not write here.
        let text = """
            user \(NSUserName())
            listener \(port) 127.0.0.1
            allow_anonymous true
            persistence true
            persistence_location \(folder.path)/
            autosave_interval 1
            log_type error

            """
        try text.write(to: settings, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = ["-c", settings.path]
        do {
            try Children.run(process)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
        return MosquittoPeer(process, folder)
    }

    private init(_ process: Process, _ folder: URL) {
        self.process = process
        self.folder = folder
    }

    /// Its resident memory in bytes; nil without `/proc`.
    var residentBytes: Int? { BenchServer.residentBytes(of: process.processIdentifier) }

    /// Whether it runs.
    var isRunning: Bool { process.isRunning }

    /// Stops it and removes what it stored.
    func stop() {
        Children.stop(process)
        try? FileManager.default.removeItem(at: folder)
    }
}

import Foundation
package import Logging
package import NIOSSL
import ServiceLifecycle
import Synchronization
import UnixSignals

/// The certificate and key of a server, read from their files at the start and again at each SIGHUP.
///
/// A connection keeps the certificate it was opened with.
package final class CertificateFiles: Service {
    private struct Loaded {
        let context: NIOSSLContext
        /// The time at which the certificate expires, in seconds since 1970.
        let endsAt: Double
    }

    private let files: TLSFiles
    private let logger: Logger
    private let loaded: Mutex<Loaded>
    private let failureCount = Mutex(0)

    /// The number of days before expiry from which the server warns the operator.
    static let warningDays = 14.0

    /// Reads both files.
    ///
    /// - Throws: `UnusableFile`.
    package init(_ files: TLSFiles, logger: Logger) throws {
        self.files = files
        self.logger = logger
        loaded = Mutex(try Self.load(files))
        warnOfEnd()
    }

    /// The TLS context for new connections.
    package var context: NIOSSLContext { loaded.withLock { $0.context } }

    /// The time at which the certificate in use expires, in seconds since 1970.
    package var endsAt: Double { loaded.withLock { $0.endsAt } }

    /// The number of failed attempts to reload the files.
    package var failures: Int { failureCount.withLock { $0 } }

    /// Reads both files again. Where one is unusable, the previous certificate stays and the log says why.
    func reload() {
        do {
            let read = try Self.load(files)
            loaded.withLock { $0 = read }
            logger.notice(
                "New connections get the certificate that was read again",
                metadata: ["file": "\(files.certificateChain)"])
            warnOfEnd()
        } catch {
            failureCount.withLock { $0 += 1 }
            logger.error("The former certificate stays in use", metadata: ["error": "\(error)"])
        }
    }

    /// Whether the certificate in use ends within `warningDays` of this time, in seconds since 1970 (UTC), or has
    /// ended.
    package func isEnding(at now: Double) -> Bool {
        endsAt - now < Self.warningDays * 86_400
    }

    /// Reads the files again at each SIGHUP, and warns of the certificate's end once a day, until graceful shutdown.
    package func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { for await _ in signals { self.reload() } }
                tasks.addTask {
                    while true {
                        try await Task.sleep(for: .seconds(86_400))
                        self.warnOfEnd()
                    }
                }
                do { try await tasks.waitForAll() } catch is CancellationError {}
            }
        }
    }

    private func warnOfEnd() {
        let days = (endsAt - Date().timeIntervalSince1970) / 86_400
        guard days < Self.warningDays else { return }
        let when = days < 0 ? "has ended" : "ends in \(Int(days)) days"
        logger.warning("The TLS certificate \(when)", metadata: ["file": "\(files.certificateChain)"])
    }

    private static func load(_ files: TLSFiles) throws -> Loaded {
        let chain = try certificates(in: files.certificateChain)
        let key = try read(files.privateKey, as: "private key") { try NIOSSLPrivateKey(file: $0, format: .pem) }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        do {
            // The first certificate of the chain is the server's own.
            let ends = chain.first.map { Double($0.notValidAfter) } ?? 0
            return Loaded(context: try NIOSSLContext(configuration: configuration), endsAt: ends)
        } catch {
            throw UnusableFile(
                description: "\(files.privateKey) is not the key of the certificate in \(files.certificateChain)")
        }
    }

    /// Reads the certificates of a PEM file.
    ///
    /// - Throws: `UnusableFile`.
    static func certificates(in path: String) throws -> [NIOSSLCertificate] {
        try read(path, as: "certificate") { try NIOSSLCertificate.fromPEMFile($0) }
    }

    private static func read<Success>(
        _ path: String, as what: String, _ body: (String) throws -> Success
    ) throws -> Success {
        do {
            _ = try InputFile.read(path)
        } catch {
            throw UnusableFile(description: error.description)
        }
        do {
            return try body(path)
        } catch {
            throw UnusableFile(description: "\(path) holds no \(what) in PEM")
        }
    }
}

/// A configured file that is unusable, and why.
private struct UnusableFile: Error, CustomStringConvertible {
    let description: String
}

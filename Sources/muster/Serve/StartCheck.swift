import Foundation
import Logging
import MusterHTTP
import MusterServer
import MusterTerminal
import MusterTiles

/// Finds the reasons for which `muster serve` would not start although every setting is well-formed, for
/// `muster config check`.
struct StartCheck {
    /// The parsed settings.
    let serve: Serve
    /// The names of the settings that are set; a default is not checked.
    let names: Set<String>

    /// Returns a sentence for each refusal.
    func refusals() async -> [String] {
        var refusals = certificateRefusals()
        let data = serve.data.data
        refusals += tileRefusals()
        if names.contains("data"), let refusal = Self.refusal(ofFolder: data) { refusals.append(refusal) }
        if names.contains("host"), let refusal = await refusal(ofListeningAt: 0, "--host") {
            return refusals + [refusal]
        }
        // The server that runs over this folder holds its ports.
        guard (try? await Connection.running(over: data)) == nil else { return refusals }
        let ports = [
            ("port", serve.port), ("mqtt-port", serve.mqtt.mqttPort ?? 0),
            ("mqtt-websocket-port", serve.mqtt.mqttWebSocketPort ?? 0),
        ]
        for (name, port) in ports where names.contains(name) {
            if let refusal = await refusal(ofListeningAt: port, "--\(name)") { refusals.append(refusal) }
        }
        return refusals
    }

    private func tileRefusals() -> [String] {
        ((try? serve.maps.tileSettings) ?? []).compactMap { setting in
            do throws(TileFileError) {
                _ = try TileFile(path: setting.path)
                return nil
            } catch {
                return "--tiles: \(error)"
            }
        }
    }

    private func certificateRefusals() -> [String] {
        guard let chain = serve.tlsCertificate, let key = serve.tlsKey,
            [chain, key].allSatisfy({ FileManager.default.isReadableFile(atPath: $0) })
        else { return [] }
        do {
            var logger = Logger(label: "muster")
            logger.logLevel = .error
            _ = try CertificateFiles(TLSFiles(certificateChain: chain, privateKey: key), logger: logger)
            return []
        } catch {
            return ["\(error)"]
        }
    }

    /// Says why a data folder can be neither used nor made; nil if it can.
    static func refusal(ofFolder path: String) -> String? {
        var place = URL(filePath: path).standardizedFileURL
        while true {
            var status = stat()
            if stat(place.path, &status) == 0 {
                guard status.st_mode & S_IFMT == S_IFDIR else { return "--data: \(place.path) is not a folder" }
                guard access(place.path, W_OK | X_OK) == 0 else {
                    return "--data: this user may not write in \(place.path)"
                }
                return nil
            }
            guard errno == ENOENT, place.path != "/" else {
                return "--data: \(path): \(String(cString: strerror(errno)))"
            }
            place = place.deletingLastPathComponent()
        }
    }

    /// Says why a server cannot listen at an address; nil if it can.
    private func refusal(ofListeningAt port: Int, _ option: String) async -> String? {
        do {
            try await ListeningError.check(host: serve.host, port: port, option: option)
            return nil
        } catch {
            return "\(error)"
        }
    }
}

import Foundation
import Logging
import MusterHTTP
import MusterTerminal

/// What `muster serve` would refuse at its start although every setting is well-formed: `muster config check` looks for
/// it without a start.
struct StartCheck {
    /// The parsed settings.
    let serve: Serve
    /// The names of the settings that are set: nothing is said about a default.
    let names: Set<String>

    /// Returns a sentence for each refusal.
    func refusals() async -> [String] {
        var refusals = certificateRefusals()
        let data = serve.data.data
        if names.contains("data"), let refusal = Self.refusal(ofFolder: data) { refusals.append(refusal) }
        if names.contains("host"), let refusal = Self.refusal(ofListeningAt: serve.host, port: 0) {
            return refusals + [refusal]
        }
        // The server that runs over this folder holds its ports.
        guard (try? await Connection.running(over: data)) == nil else { return refusals }
        let ports = [
            ("port", serve.port), ("mqtt-port", serve.mqtt.mqttPort ?? 0),
            ("mqtt-websocket-port", serve.mqtt.mqttWebSocketPort ?? 0),
        ]
        for (name, port) in ports where names.contains(name) {
            if let refusal = Self.refusal(ofListeningAt: serve.host, port: port) {
                refusals.append("--\(name): \(refusal)")
            }
        }
        return refusals
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
    static func refusal(ofListeningAt host: String, port: Int) -> String? {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let address = found else {
            return "\(host) is no name or address of this machine"
        }
        defer { freeaddrinfo(address) }
        let descriptor = socket(address.pointee.ai_family, address.pointee.ai_socktype, address.pointee.ai_protocol)
        guard descriptor >= 0 else { return "\(host): \(String(cString: strerror(errno)))" }
        defer { close(descriptor) }
        var isReused: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0, listen(descriptor, 1) == 0
        else {
            switch errno {
            case EADDRINUSE: return "port \(port) of \(host) is taken by another program"
            case EADDRNOTAVAIL: return "\(host) is no address of this machine"
            case EACCES: return "the operating system lets this user open no port \(port)"
            default: return "\(host): \(String(cString: strerror(errno)))"
            }
        }
        return nil
    }
}

import ArgumentParser
import Foundation
import MusterCoding
import MusterTerminal

/// `muster tak`: connects TAK clients.
struct TAKCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tak", abstract: "Connect ATAK, iTAK and WinTAK.", subcommands: [Enroll.self])

    /// `muster tak enroll`.
    struct Enroll: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "enroll",
            abstract: "Create a certificate for a device, and write the data package that a TAK client imports.",
            discussion: """
                The data package holds the certificate and its private key: whoever has the file reports as the \
                device. Give it to its person alone, and delete it then. With --code the phone makes the key itself, \
                and gets its certificate over HTTPS at port 8446 of the host. The device is created if the user has \
                none of that name. `muster token revoke` ends its certificates, and connections with them at once.
                """)
        @OptionGroup var data: DataOption
        @OptionGroup var device: DeviceOptions
        @Option(help: "The server's name or address as the phone reaches it, one of those of --tak-host.")
        var host: String
        @Option(help: "The port as the phone reaches it. By default that of the server's --tak-port, or 8089.")
        var port: Int?
        @Option(help: "The number of days for which the certificate is valid, at most 1825.") var days: Double = 365
        @Flag(help: "Also show on the device whom its user may see: for a leader, the team. An admin may ask for it.")
        var reads = false
        @Option(help: "The file. By default USER-DEVICE-tak.zip in this folder.", completion: .file())
        var file: String?
        @Flag(help: "Print a code instead, with which ATAK enrolls itself, once and within an hour.") var code = false
        @Flag(help: #"Print {"device":…,"file":…,"expiresAt":…}; with --code "link" and not "file"."#) var json = false

        func validate() throws {
            guard !code || file == nil else { throw ValidationError("--file: --code writes no file") }
            guard TAKOptions.isHost(host) else {
                throw ValidationError("--host: '\(host)' is neither a name nor an address, without a port")
            }
            if let port, !(1...65_535).contains(port) {
                throw ValidationError("--port: \(port) is not 1 to 65535")
            }
            try ValidationError.require("--days", days, in: 1...1_825)
        }

        private struct Request: Encodable {
            /// The signed request for a certificate; nil for a code, whose client makes one.
            var request: String?
            var days: Double
            var readsAsUser: Bool
        }

        private struct Enrollment: TAKCredential {
            var device: String
            var token: String
            var expiresAt: String
            var port: Int?
            var hosts: [String]?
        }

        private struct Code: Encodable {
            var device: String
            var link: String
            var expiresAt: String
        }

        private struct Certificate: TAKCredential {
            var device: String
            var certificate: String
            var authority: String
            var expiresAt: String
            var port: Int?
            var hosts: [String]?
        }

        private struct Enrolled: Encodable {
            var device: String
            var file: String
            var expiresAt: String
        }

        func run() async throws {
            if code { return try await printCode() }
            let file = try PrivateFile(creating: file ?? "\(device.user)-\(device.name)-tak.zip")
            var made: Certificate?
            try await file.fillBytes {
                let key = try TAKClientKey()
                let certificate = try await makeCertificate(key)
                made = certificate
                let server = TAKDataPackage.Server(host: host, port: port(of: certificate), name: "Muster \(host)")
                return try TAKDataPackage(
                    for: server, key: key, certificate: certificate.certificate, authority: certificate.authority,
                    id: UUID().uuidString, passwords: (client: Self.password(), authority: Self.password())
                ).bytes
            }
            guard let made else { return }
            if json {
                return announce(
                    try encoded(Enrolled(device: made.device, file: file.path, expiresAt: made.expiresAt)))
            }
            announce("Wrote \(file.path) for \(made.device). Its certificate is valid until \(made.expiresAt).")
            remark("The file holds the private key: import it in the TAK client, and delete it.")
        }

        private func makeCertificate(_ key: TAKClientKey) async throws -> Certificate {
            let request = Request(request: try key.request, days: days, readsAsUser: reads)
            return try await make("certificate", json: request)
        }

        /// Makes a credential of the device, which is made where the user has none of that name.
        private func make<Credential: TAKCredential>(
            _ kind: String, json request: some Encodable & Sendable
        ) async throws -> Credential {
            try await Connection.withServer(over: data.data) { connection in
                let devices = "/users/\(device.user.segment)/devices"
                try await connection.makeUnlessThere(devices, json: DeviceCommand.Device(name: device.name))
                let answer = try await connection.send(
                    "POST", "\(devices)/\(device.name.segment)/\(kind)", json: request)
                let made = try JSONDecoder().decode(Credential.self, from: answer)
                // A server that was started for this command does not know the port of the one that will run.
                if !Connection.isForOneCommand(over: data.data) { warn(of: made) }
                return made
            }
        }

        /// The port that the phone is told.
        private func port(of made: some TAKCredential) -> Int { port ?? made.port ?? Self.usualPort }

        /// Says where the phone would not reach the server.
        private func warn(of made: some TAKCredential) {
            guard let hosts = made.hosts else {
                return remark("warning: the server has no port for TAK clients. Start it with --tak-port.")
            }
            guard !hosts.contains(where: { $0.lowercased() == host.lowercased() }) else { return }
            remark(
                "warning: \(host) is none of the names in the certificate of the server's port, which some clients "
                    + "compare: \(hosts.joined(separator: ", ")). Start the server with --tak-host \(host).")
        }

        /// The port that ATAK takes where the host names none.
        private static let usualPort = 8089

        private func printCode() async throws {
            let request = Request(request: nil, days: days, readsAsUser: reads)
            let made: Enrollment = try await make("enrollment", json: request)
            let port = port(of: made)
            // Without brackets the port would be a part of an IPv6 address.
            let bracketed = host.contains(":") ? "[\(host)]" : host
            let address = port == Self.usualPort ? host : "\(bracketed):\(port)"
            let parts = [("host", address), ("username", made.device), ("token", made.token)]
            let link =
                "tak://com.atakmap.app/enroll?"
                + parts.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
            if json { return announce(try encoded(Code(device: made.device, link: link, expiresAt: made.expiresAt))) }
            guard let code = QRCode(Array(link.utf8)) else { throw CommandFailure("no QR code holds the link") }
            showCode(code, orElse: "open the link below on the phone")
            announce(link)
            remark("Scan it with ATAK until \(made.expiresAt); it works once. Let nobody else photograph it.")
        }

        private static func password() -> String {
            let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
            return String((0..<20).map { _ in letters[Int.random(in: 0..<letters.count)] })
        }
    }
}

/// A credential of a TAK client as the server made it, with where clients connect.
private protocol TAKCredential: Decodable, Sendable {
    /// The port; nil where the server has none, or picks a free one.
    var port: Int? { get }
    /// The names in the port's certificate; nil where the server has no port for TAK clients.
    var hosts: [String]? { get }
}

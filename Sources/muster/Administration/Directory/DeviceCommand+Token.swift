import ArgumentParser
import Foundation
import MusterTerminal

/// `muster device token`.
extension DeviceCommand {
    struct Token: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "token",
            abstract: "Create a token for a device. The device is created if the user has none of that name.",
            discussion: """
                With --owntracks, the token is part of the configuration of an OwnTracks app, which is written to a \
                file that the phone opens, and shown as a QR code that the phone scans. Both contain the token: keep \
                them secret. The app accepts them only while its setting for external configuration is on.
                """)
        @OptionGroup var data: DataOption
        @OptionGroup var device: DeviceOptions
        @Option(help: "Configure an OwnTracks app. The server's address as the phone reaches it: https://…")
        var owntracks: String?
        @Option(
            help: "The file for the configuration. By default USER-DEVICE.otrc in this folder.", completion: .file())
        var file: String?
        @Flag(help: #"Print {"device":…,"token":…}, with --owntracks also "file" and "link"."#) var json = false

        func validate() throws {
            if file != nil, owntracks == nil { throw ValidationError("--file goes with --owntracks") }
        }

        struct DeviceToken: Codable {
            var device: String
            var token: String
            var file: String?
            var link: String?
        }

        func run() async throws {
            if let owntracks { return try await configure(for: OwnTracksConfiguration.checkedAddress(owntracks)) }
            let made = try await makeToken()
            announce(json ? try encoded(made) : made.token)
        }

        private func makeToken() async throws -> DeviceToken {
            try await Connection.withServer(over: data.data) { connection in
                try await connection.makeToken(device: device.name, user: device.user)
            }
        }

        /// Makes a token, and shows the configuration that holds it.
        private func configure(for address: String) async throws {
            // The token is shown this once: without the file it would be lost.
            let otrc = try PrivateFile(creating: file ?? "\(device.user)-\(device.name).otrc")
            var (made, link) = (DeviceToken(device: "", token: ""), "")
            try await otrc.fill {
                made = try await makeToken()
                let configuration = OwnTracksConfiguration(
                    address: address, user: device.user, device: device.name, token: made.token)
                link = try configuration.link
                return try configuration.json
            }
            if address.hasPrefix("http:") {
                remark("note: over http anyone on the way can read the token. Phones outside need an https address.")
            }
            if json {
                (made.file, made.link) = (otrc.path, link)
                return announce(try encoded(made))
            }
            guard let code = QRCode(Array(link.utf8)) else { throw CommandFailure("no QR code holds the link") }
            showCode(code, orElse: "use the file")
            remark("Scan this with the phone's camera, or open \(otrc.path) on the phone. Both hold the token.")
        }
    }
}

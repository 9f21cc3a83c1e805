import ArgumentParser
import Foundation
import MusterTerminal

/// `muster device add`, `show` and `encryption-key`.
extension DeviceCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add a device without a token; `muster device token` creates both.")
        @OptionGroup var data: DataOption
        @OptionGroup var device: DeviceOptions
        @Option(
            help: """
                The id by which receivers hear the device: UUID:major:minor, a Bluetooth address, or the id of a \
                Meshtastic radio, as !a1b2c3d4.
                """)
        var beacon: String?

        func run() async throws {
            try await Connection.withServer(over: data.data) { connection in
                _ = try await connection.send(
                    "POST", "/users/\(device.user.segment)/devices", json: Device(name: device.name, beacon: beacon))
            }
            announce("Added device \(device.user)/\(device.name).")
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Print a device as JSON, with its latest position, and its clock error if there is one.")
        @OptionGroup var data: DataOption
        @OptionGroup var device: DeviceOptions

        func run() async throws {
            let body = try await Connection.withServer(over: data.data) { try await $0.send("GET", device.path) }
            announce(String(decoding: body, as: UTF8.self))
        }
    }

    struct EncryptionKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "encryption-key",
            abstract: "Set the secret that encrypts the reports of an OwnTracks app, from standard input, one line.")
        @OptionGroup var data: DataOption
        @OptionGroup var device: DeviceOptions
        @Flag(help: "Remove the secret: encrypted reports are refused from then on.") var remove = false

        func run() async throws {
            let secret = remove ? nil : ["key": try readSecret()]
            try await Connection.withServer(over: data.data) { connection in
                _ = try await connection.send(
                    remove ? "DELETE" : "PUT", "\(device.path)/encryption-key", json: secret)
            }
            announce("\(remove ? "Removed" : "Set") the encryption key of \(device.user)/\(device.name).")
        }
    }
}

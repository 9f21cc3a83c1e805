import ArgumentParser
import Foundation
import MusterTerminal

/// `muster device`: manages devices and their tokens.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Add, list and remove devices, create the tokens they report with, and list their reports.",
        subcommands: [
            Token.self, Setup.self, Add.self, Give.self, List.self, Show.self, Remove.self, EncryptionKey.self,
            Positions.self, Presences.self, Sightings.self, Ranges.self, Signals.self, Notes.self, Refused.self,
        ])

    struct Device: Codable, Sendable {
        var id: String?
        var name: String
        var user: String?
        var beacon: String?
    }

    struct Give: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "give",
            abstract: "Give a device with its history to another user of the team. Its tokens become invalid.")
        @OptionGroup var data: DataOption
        @Argument(help: "The device's name, unique within its user.") var name: String
        @Option(help: "The user that the device belongs to.") var user: String
        @Option(help: "The user that the device will belong to.") var to: String
        @Flag(help: "Print JSON.") var json = false

        func run() async throws {
            let body = try await Connection.withServer(over: data.data) { connection in
                let device = "/users/\(user.segment)/devices/\(name.segment)"
                return try await connection.send("POST", "\(device)/owner", json: ["to": to])
            }
            if json { return announce(String(decoding: body, as: UTF8.self)) }
            let device = try JSONDecoder().decode(Device.self, from: body)
            announce("\(user)/\(name) is \(device.user ?? to)/\(device.name).")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the devices.")
        @OptionGroup var data: DataOption
        @Flag(help: "Print a JSON array.") var json = false

        func run() async throws {
            let devices = try await Connection.withServer(over: data.data) { connection in
                try await connection.list("/devices", of: Device.self)
            }
            if json { return announce(try encoded(devices)) }
            for device in devices { announce("\(device.user ?? "")/\(device.name)") }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a device with its history.")
        @OptionGroup var data: DataOption
        @Argument(help: "The device's name, unique within its user.") var name: String
        @Option(help: "The user that the device belongs to.") var user: String

        func run() async throws {
            try await Connection.withServer(over: data.data) { connection in
                _ = try await connection.send("DELETE", "/users/\(user.segment)/devices/\(name.segment)")
            }
            announce("Removed device \(user)/\(name).")
        }
    }
}

extension Connection {
    /// Creates a device, unless the user has one of that name, and a new token for it.
    func makeToken(device: String, user: String) async throws -> DeviceCommand.Token.DeviceToken {
        let devices = "/users/\(user.segment)/devices"
        try await makeUnlessThere(devices, json: DeviceCommand.Device(name: device))
        let answer = try await send("POST", "\(devices)/\(device.segment)/token")
        return try JSONDecoder().decode(DeviceCommand.Token.DeviceToken.self, from: answer)
    }
}

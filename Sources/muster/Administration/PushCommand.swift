import ArgumentParser
import Foundation
import MusterTerminal

/// `muster push`: tests which devices the server reaches through push services.
struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Test the server's push services.", subcommands: [Test.self])

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Send a test message to each push device of a user, and print each result.",
            discussion: "Exits with status 1 if a message did not reach its service.")
        @OptionGroup var data: DataOption
        @Argument(help: "The user.") var user: String
        @Flag(help: "Print JSON.") var json = false

        private struct TestResult: Decodable {
            struct Device: Decodable {
                var id: String
                var service: String
                var outcome: String
                var reason: String?
            }
            var devices: [Device]
        }

        func run() async throws {
            let answer = try await Connection.withServer(over: data.data) { connection in
                try await connection.send("POST", "/push/test", json: ["user": user])
            }
            let devices = try JSONDecoder().decode(TestResult.self, from: answer).devices
            if json {
                announce(String(decoding: answer, as: UTF8.self))
            } else {
                if devices.isEmpty { announce("\(user) has no push device.") }
                for device in devices {
                    announce("\(device.id)\t\(device.service)\t\(device.outcome)\t\(device.reason ?? "")")
                }
            }
            guard devices.allSatisfy({ $0.outcome == "delivered" }) else { throw ExitCode.failure }
        }
    }
}

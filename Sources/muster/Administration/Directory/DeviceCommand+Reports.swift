import ArgumentParser
import MusterTerminal
import MusterWire

/// The commands that list the reports of devices. `muster export` writes a device's whole history.
extension DeviceCommand {
    struct Positions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "positions",
            abstract: "List the latest position of every device, with its time and its accuracy.")
        @OptionGroup var options: ReportOptions
        @Option(help: "Only this user's devices.") var user: String?

        func run() async throws {
            try await options.announceItems(at: "/positions" + Self.query(user), of: user) { position in
                let accuracy = position.words("accuracy")
                return [
                    position.words("device"), position.words("sampleTime"),
                    "\(position.words("latitude")) \(position.words("longitude"))",
                    accuracy.isEmpty ? "" : "\(accuracy) m",
                ]
            }
        }

        static func query(_ user: String?) -> String { user.map { "?user=\($0.segment)" } ?? "" }
    }

    struct Presences: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "presences",
            abstract: "List whether each device is inside the regions near it, with the probability and the time.")
        @OptionGroup var options: ReportOptions
        @Option(help: "Only this user's devices.") var user: String?

        func run() async throws {
            try await options.announceItems(at: "/presences" + Positions.query(user), of: user) { presence in
                let percent = presence["probability"]?.number.map { "\(Int(($0 * 100).rounded())) %" }
                return [
                    presence.words("device"), presence.words("standing"),
                    "\(presence["region"]?.words("collection") ?? "")/\(presence["region"]?.words("id") ?? "")",
                    percent ?? presence.words("doubt"), "since \(presence.words("since"))",
                ]
            }
        }
    }

    struct Sightings: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sightings",
            abstract: "List the beacons that a device heard, oldest first: time, beacon, proximity and distance.")
        @OptionGroup var options: ReportOptions
        @OptionGroup var device: DeviceOptions
        @Option(help: "The earliest sample time, RFC 3339.") var from: String?
        @Option(help: "The sample time before which the list ends, RFC 3339.") var to: String?

        func run() async throws {
            let bounds = [("from", from), ("to", to)].compactMap { name, time in time.map { "\(name)=\($0.segment)" } }
            let query = bounds.isEmpty ? "" : "?" + bounds.joined(separator: "&")
            try await options.announceItems(at: "\(device.path)/sightings\(query)") { sighting in
                let distance = sighting.words("distance")
                return [
                    sighting.words("sampleTime"), sighting.words("uuid"), sighting.words("major"),
                    sighting.words("minor"), sighting.words("proximity"), distance.isEmpty ? "" : "\(distance) m",
                ]
            }
        }
    }

    struct Ranges: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ranges",
            abstract: "List the distances that a device measured, oldest first: time, other device, distance, source.")
        @OptionGroup var options: ReportOptions
        @OptionGroup var device: DeviceOptions

        func run() async throws {
            try await options.announceItems(at: "\(device.path)/ranges") { range in
                [
                    range.words("sampleTime"), range.words("peer"),
                    "\(range.words("metres")) m ± \(range.words("deviationMetres")) m", range.words("source"),
                ]
            }
        }
    }

    struct Signals: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "signals",
            abstract: "List the signals that a device fired, newest first: time, name, and values as JSON.")
        @OptionGroup var options: ReportOptions
        @OptionGroup var device: DeviceOptions

        func run() async throws {
            try await options.announceItems(at: "\(device.path)/signals") { signal in
                [signal.words("sampleTime"), signal.words("name"), signal.words("values")]
            }
        }
    }

    struct Refused: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "refused",
            abstract: "List reports that the server could not read, newest first: number, time, sender and reason.",
            discussion:
                "The server keeps the newest 1,000, for as long as positions. A number prints the report itself.")
        @OptionGroup var options: ReportOptions
        @Argument(help: "The number of the report to print.") var number: Int64?
        @Option(help: "Only reports that were sent with this user's credentials.") var user: String?

        func validate() throws {
            if number != nil, user != nil { throw ValidationError("give either a number or --user") }
        }

        func run() async throws {
            guard let number else {
                return try await options.announceItems(at: "/refused-reports" + Positions.query(user), of: user) {
                    report in
                    let sender = report.words("device")
                    return [
                        report.words("number"), report.words("receivedTime"),
                        sender.isEmpty ? report.words("user") : sender, report.words("topic"),
                        "\(report.words("bytes")) bytes", report.words("reason"),
                    ]
                }
            }
            let body = try await Connection.withServer(over: options.data.data) { connection in
                try await connection.send("GET", "/refused-reports/\(number)")
            }
            let report = try JSONValue(parsing: [UInt8](body))
            announce(options.json ? String(decoding: body, as: UTF8.self) : report["body"]?.string ?? "")
        }
    }

    struct Notes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "notes",
            abstract: "List the notes of a device about itself: the latest of each kind and key, with its text as JSON."
        )
        @OptionGroup var options: ReportOptions
        @OptionGroup var device: DeviceOptions
        @Option(help: "Only waypoint, card, steps, status, lwt, clock or properties.", completion: .noteKinds)
        var kind: String?

        func run() async throws {
            let query = kind.map { "?kind=\($0.segment)" } ?? ""
            try await options.announceItems(at: "\(device.path)/notes\(query)") { note in
                [note.words("kind"), note.words("key"), note.words("receivedTime"), note.words("body")]
            }
        }
    }
}

/// The device that a command is about.
struct DeviceOptions: ParsableArguments {
    @Argument(help: "The device's name, unique within its user.") var name: String
    @Option(help: "The user that the device belongs to.") var user: String

    /// The device's path in the API.
    var path: String { "/users/\(user.segment)/devices/\(name.segment)" }
}

import ArgumentParser
import Foundation
import MusterTerminal

/// `muster export`: writes the history of a device in one of several formats.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the positions of a device to standard output.")

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case ndjson, gpx, csv, geojson
    }

    @OptionGroup var data: DataOption
    @Option(help: "The device: user/device, or a name that only one user's device has.") var device: String
    @Option(help: "ndjson, gpx, csv or geojson.") var format: Format
    @Option(help: "The earliest sample time, RFC 3339.") var from: String?
    @Option(help: "The sample time before which the export ends, RFC 3339.") var to: String?

    func run() async throws {
        try await Connection.withServer(over: data.data) { connection in
            let path = try await connection.path(ofDevice: device) + "/positions"
            var query = [URLQueryItem(name: "format", value: format.rawValue)]
            if let from { query.append(URLQueryItem(name: "from", value: from)) }
            if let to { query.append(URLQueryItem(name: "to", value: to)) }
            var components = URLComponents()
            components.percentEncodedPath = path
            components.queryItems = query
            let body = try await connection.send("GET", (components.string ?? path).replacing("+", with: "%2B"))
            StandardOutput.write(body)
        }
    }
}

extension Connection {
    /// Returns the path of a device given as "user/device", or by a name that only one user's device has.
    func path(ofDevice name: String) async throws -> String {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2 { return "/users/\(parts[0].segment)/devices/\(parts[1].segment)" }
        let devices = try await list("/devices", of: DeviceCommand.Device.self).filter { $0.name == name }
        guard let device = devices.first, let user = device.user else { throw CommandFailure("no device '\(name)'") }
        guard devices.count == 1 else {
            let owners = devices.compactMap(\.user).joined(separator: ", ")
            throw CommandFailure("'\(name)' is a device of \(owners): use user/\(name)")
        }
        return "/users/\(user.segment)/devices/\(name.segment)"
    }
}

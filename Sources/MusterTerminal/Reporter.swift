import Foundation
package import MusterCore
import MusterGeometry
import MusterWire

/// Sends positions through the native API, a thousand in a request, and retries while the server is busy.
package struct Reporter: Sendable {
    package let connection: Connection

    package init(connection: Connection) {
        self.connection = connection
    }

    /// The largest number of positions in one request.
    package static let batchLimit = 1_000
    /// The number of attempts after which a request fails.
    package static let attempts = 8

    /// The server's counts of the reported positions.
    package struct Tally: Decodable, Sendable {
        package var accepted = 0
        package var late = 0
        package var repeated = 0
        package var filtered = 0

        package init(accepted: Int = 0, late: Int = 0, repeated: Int = 0, filtered: Int = 0) {
            self.accepted = accepted
            self.late = late
            self.repeated = repeated
            self.filtered = filtered
        }

        package static func + (left: Tally, right: Tally) -> Tally {
            Tally(
                accepted: left.accepted + right.accepted, late: left.late + right.late,
                repeated: left.repeated + right.repeated, filtered: left.filtered + right.filtered)
        }
    }

    /// Sends positions in order. A nil device stands for the one that the token belongs to.
    ///
    /// - Throws: `CommandFailure` when the server refuses the positions or stays busy.
    @discardableResult
    package func send(_ positions: [(device: String?, position: Position)]) async throws -> Tally {
        var tally = Tally()
        var rest = positions[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Self.batchLimit)
            tally = tally + (try await sendBatch(Data(Self.body(of: batch))))
            rest = rest.dropFirst(batch.count)
        }
        return tally
    }

    /// The body that reports positions: a JSON array of position objects.
    package static func body(of positions: some Swift.Collection<(device: String?, position: Position)>) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for (device, position) in positions {
            writer.beginObject()
            if let device {
                writer.key("device")
                writer.value(device)
            }
            writer.reportMembers(of: position)
            writer.endObject()
        }
        writer.endArray()
        return writer.takeBytes()
    }

    private func sendBatch(_ body: Data) async throws -> Tally {
        var attempt = 1
        while true {
            let (answer, status) = try await connection.exchange("POST", "/positions", body: body)
            if status == 200 { return try JSONDecoder().decode(Tally.self, from: answer) }
            guard [503, 507].contains(status), attempt < Self.attempts else {
                throw CommandFailure(problem: answer, status: status)
            }
            try await Task.sleep(for: .milliseconds(100 << attempt))
            attempt += 1
        }
    }
}

extension JSONWriter {
    /// The members of a position object as a client reports it.
    fileprivate mutating func reportMembers(of position: Position) {
        key("latitude")
        value(position.coordinate.latitude)
        key("longitude")
        value(position.coordinate.longitude)
        key("sampleTime")
        value(position.sampleTime)
        let numbers: [(StaticString, Double?)] = [
            ("accuracy", position.accuracy?.value), ("altitude", position.altitude?.value), ("speed", position.speed),
            ("heading", position.heading), ("battery", position.battery),
        ]
        for (name, number) in numbers {
            guard let number else { continue }
            key(name)
            value(number)
        }
    }
}

import MusterGeometry

/// Reads what real scanners heard of a real tag, from the Position-Annotated BLE RSSI Dataset (CC0). Each line is one
/// sighting, with the time, the scanner, the beacon, the strength and the true position.
///
/// The hall has no walls. Its four corners count as rooms, and each has one scanner near its middle.
package enum RoomRecording {
    /// The room of each scanner, by the scanner's address.
    private static let scanners = ["b827eb4521b4": 0, "b827eb917e19": 1, "b827ebf7d096": 2, "b827ebfd7811": 3]
    /// The lines that divide the hall into its four corners, metres.
    private static let middle = (east: 10.1, north: 9.1)

    /// Reads one recording of a walk.
    package static func hearings(_ text: String) -> [RadioHouse.Hearing] {
        var begin: Double?
        let hearings = text.split(separator: "\n").compactMap { line -> RadioHouse.Hearing? in
            let fields = line.split(separator: ",")
            guard fields.count >= 6, let time = Double(fields[0]), let scanner = scanners[String(fields[1])],
                let signal = Double(fields[3]), let east = Double(fields[4]), let north = Double(fields[5])
            else { return nil }
            begin = begin ?? time
            return RadioHouse.Hearing(
                seconds: time - (begin ?? time), scanner: scanner, signal: signal,
                truth: room(of: Offset(east: east, north: north)))
        }
        return hearings.filter { $0.seconds >= 0 }.sorted { $0.seconds < $1.seconds }
    }

    /// Returns the room that contains a position.
    private static func room(of place: Offset) -> Int {
        switch (place.east < middle.east, place.north < middle.north) {
        case (true, true): 0
        case (true, false): 1
        case (false, false): 2
        case (false, true): 3
        }
    }
}

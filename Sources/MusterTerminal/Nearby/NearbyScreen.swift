import Foundation

/// The screen of `muster nearby`: for each peer the distance in large digits, an arrow to it, the errors and the age of
/// both, and the reasons for missing values.
package struct NearbyScreen {
    /// One peer, as it is shown.
    package struct Peer {
        /// The name that the peer gives itself, and the first digits of its key.
        package var name: String
        /// The source of the measurements.
        package var source = ""
        /// Metres; nil while there is none.
        package var distance: Double?
        /// One standard deviation, metres.
        package var distanceError: Double?
        /// Degrees from straight ahead, positive to the right; nil while there is none.
        package var angle: Double?
        /// One standard deviation, degrees.
        package var angleError: Double?
        /// Degrees clockwise from north; nil while there is none.
        package var bearing: Double?
        /// The age of the measurement in seconds; nil if there is none.
        package var age: Double?
        /// The reason why values are missing, one sentence each.
        package var missing: [String] = []

        /// Creates a peer that was not measured yet.
        package init(name: String) { self.name = name }
    }

    /// The first line.
    package var title: String
    /// The peers, in the order in which they are shown.
    package var peers: [Peer] = []
    /// The latest events, the newest last.
    package var notes: [String] = []

    /// Creates a screen without peers.
    package init(title: String) { self.title = title }

    /// A measurement older than this is shown as old, seconds.
    package static let oldSeconds = 2.0
    /// The columns of the large digits.
    private static let digitColumns = 24

    /// The whole screen for a terminal of a size: from its upper left corner on, each line cleared to its end.
    package func text(rows: Int, columns: Int) -> String {
        "\u{1B}[H" + lines(rows: rows).map { $0.prefix(columns) + "\u{1B}[K\r\n" }.joined() + "\u{1B}[J"
    }

    /// Returns the lines of the screen: fewer than `rows`.
    package func lines(rows: Int) -> [String] {
        let shown = notes.suffix(min(notes.count, max(3, rows / 4)))
        let room = max(0, rows - 4 - shown.count) / 5
        var lines = [title, ""]
        for peer in peers.prefix(room) { lines += Self.lines(of: peer) }
        if peers.count > room { lines.append("and \(peers.count - room) more") }
        if peers.isEmpty { lines.append("Nobody is here yet.") }
        return Array((lines + [""] + shown).prefix(max(0, rows - 1)))
    }

    /// The five lines of a peer.
    package static func lines(of peer: Peer) -> [String] {
        let isOld = peer.age.map { $0 > oldSeconds } ?? true
        let digits = peer.distance.map { LargeDigits.lines("\(formatted($0, digits: $0 < 100 ? 1 : 0)) m") }
        let arrow = peer.angle.map { BrailleCanvas.arrow(degrees: $0) }
        let facts = facts(of: peer, isOld: isOld)
        var lines = [peer.name + (isOld && peer.age != nil ? "  (old)" : "")]
        for row in 0..<4 {
            let number = digits.map { row < $0.count ? $0[row] : "" } ?? (row == 1 ? "  - m" : "")
            let padding = String(repeating: " ", count: max(0, digitColumns - number.count))
            let turned = arrow?[row] ?? (row == 1 ? "   ?    " : "        ")
            lines.append(number + padding + turned + "   " + (row < facts.count ? facts[row] : ""))
        }
        return lines
    }

    private static func facts(of peer: Peer, isOld: Bool) -> [String] {
        var facts: [String] = []
        var sure = [peer.source]
        if let error = peer.distanceError { sure.append("± \(formatted(error, digits: error < 10 ? 1 : 0)) m") }
        if let error = peer.angleError { sure.append("± \(formatted(error, digits: 0))°") }
        facts.append(sure.filter { !$0.isEmpty }.joined(separator: ", "))
        var way: [String] = []
        if let angle = peer.angle {
            let side = abs(angle) < 0.5 ? "straight ahead" : angle > 0 ? "to the right" : "to the left"
            way.append(abs(angle) < 0.5 ? side : "\(formatted(abs(angle), digits: 0))° \(side)")
        }
        if let bearing = peer.bearing { way.append("bearing \(formatted(bearing, digits: 0))°") }
        if !way.isEmpty { facts.append(way.joined(separator: ", ")) }
        facts.append(peer.age.map { "\(formatted($0, digits: 1)) s ago" } ?? "not measured so far")
        return facts + peer.missing
    }

    private static func formatted(_ number: Double, digits: Int) -> String {
        String(format: "%.\(digits)f", number)
    }
}

/// Numbers three lines high, of the seven strokes of a clock radio.
enum LargeDigits {
    private static let shapes: [Character: [String]] = [
        "0": [" _ ", "| |", "|_|"], "1": ["   ", "  |", "  |"], "2": [" _ ", " _|", "|_ "],
        "3": [" _ ", " _|", " _|"], "4": ["   ", "|_|", "  |"], "5": [" _ ", "|_ ", " _|"],
        "6": [" _ ", "|_ ", "|_|"], "7": [" _ ", "  |", "  |"], "8": [" _ ", "|_|", "|_|"],
        "9": [" _ ", "|_|", " _|"], ".": [" ", " ", "."], " ": [" ", " ", " "], "m": [" ", " ", "m"],
    ]

    /// Returns the three lines of a number. Characters without a shape are left out.
    static func lines(_ text: String) -> [String] {
        (0..<3).map { row in text.compactMap { shapes[$0]?[row] }.joined() }
    }
}

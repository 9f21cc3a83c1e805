import Testing

@testable import MusterTerminal

@Suite struct NearbyScreenTests {
    @Test func `the arrow points where the peer is`() {
        /// The share of an arrow's dots in each half of the picture: upper, right.
        func halves(_ degrees: Double) -> (upper: Int, lower: Int, left: Int, right: Int) {
            let lines = BrailleCanvas.arrow(degrees: degrees)
            func dots(_ text: some Sequence<Character>) -> Int {
                text.reduce(0) { $0 + (($1.unicodeScalars.first?.value ?? 0x2800) - 0x2800).nonzeroBitCount }
            }
            return (
                dots(lines[..<2].joined()), dots(lines[2...].joined()), dots(lines.map { $0.prefix(4) }.joined()),
                dots(lines.map { $0.suffix(4) }.joined())
            )
        }
        #expect(halves(0).upper > halves(0).lower && halves(180).upper < halves(180).lower)
        #expect(halves(90).right > halves(90).left && halves(-90).right < halves(-90).left)
        #expect(BrailleCanvas.arrow(degrees: 0).allSatisfy { $0.count == 8 })
        #expect(BrailleCanvas.arrow(degrees: 37) != BrailleCanvas.arrow(degrees: 60))
        #expect(BrailleCanvas.arrow(degrees: -170) == BrailleCanvas.arrow(degrees: 190))
    }

    @Test func `a peer shows its distance large, its direction, how sure they are and how old`() {
        var peer = NearbyScreen.Peer(name: "ana (1f3a5c7e)")
        (peer.source, peer.distance, peer.distanceError, peer.angle, peer.angleError, peer.age) =
            ("simulated", 4.04, 0.1, -37.2, 4, 0.3)
        let lines = NearbyScreen.lines(of: peer)
        #expect(lines[0] == "ana (1f3a5c7e)")
        #expect(lines[1].hasPrefix("     _ ") && lines[2].hasPrefix("|_| | |") && lines[3].hasPrefix("  |.|_| m"))
        #expect(lines[1].hasSuffix("simulated, ± 0.1 m, ± 4°"))
        #expect(lines[2].hasSuffix("37° to the left"))
        #expect(lines[3].hasSuffix("0.3 s ago"))
    }

    @Test func `a missing value is shown with its reason, and an old one is marked`() {
        var peer = NearbyScreen.Peer(name: "ana")
        (peer.distance, peer.age, peer.missing) = (120, 3, ["no direction: not in front of the antennas"])
        let lines = NearbyScreen.lines(of: peer)
        #expect(lines[0] == "ana  (old)")
        #expect(lines[2].contains("?"))
        #expect(lines[3].hasSuffix("no direction: not in front of the antennas"))
        #expect(NearbyScreen.lines(of: NearbyScreen.Peer(name: "ben"))[2].hasPrefix("  - m"))
    }

    @Test func `a screen fits its terminal`() {
        var screen = NearbyScreen(title: "ben")
        screen.peers = (0..<30).map { NearbyScreen.Peer(name: "peer \($0)") }
        screen.notes = (0..<30).map { "note \($0)" }
        for rows in [1, 5, 24, 60] {
            let lines = screen.lines(rows: rows)
            #expect(lines.count < max(rows, 1) || lines.isEmpty)
            if rows == 24 { #expect(lines.contains("and 28 more") && lines.last == "note 29") }
        }
        #expect(screen.text(rows: 24, columns: 3).split(separator: "\r\n").allSatisfy { $0.count < 20 })
    }
}

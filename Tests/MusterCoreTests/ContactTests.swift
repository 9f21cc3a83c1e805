import MusterCore
import MusterGeometry
import Testing

/// Who was near whom, by stored positions.
@Suite struct ContactTests {
    /// Positions every five seconds, each so many metres north of 45° N, 14° E.
    private func trail(
        from start: Double, _ metres: [Double], accuracy: Metres = 5, receivedLater: Double = 0
    ) -> ContactSearch.Trail {
        ContactSearch.Trail(
            metres.enumerated().map { index, north in
                let second = start + Double(index) * 5
                return Position(
                    coordinate: Coordinate(validLatitude: 45 + north / World.metresPerDegree, longitude: 14),
                    sampleTime: World.time(second), receivedTime: World.time(second + receivedLater),
                    accuracy: accuracy)
            })
    }

    private func seconds(_ contacts: [Contact]) -> [[Int]] {
        contacts.map { [$0.from, $0.to].map { Int($0.seconds(since: World.time(0))) } }
    }

    private let search = ContactSearch(radiusMetres: 30)

    @Test func `two people who meet and part are in contact while they are near`() throws {
        // One stands for ten minutes; the other comes at two metres a second, stays a minute, and goes.
        let coming = stride(from: 400.0, through: 0, by: -10).map(\.self)
        let way = coming + Array(repeating: 0, count: 12) + coming.reversed()
        let contacts = search.contacts(
            between: [trail(from: 0, Array(repeating: 0, count: 120))], and: [trail(from: 0, way)])
        let contact = try #require(contacts.first)
        #expect(contacts.count == 1)
        let (from, to) = (contact.from.seconds(since: World.time(0)), contact.to.seconds(since: World.time(0)))
        // 30 m are reached after 185 s and left after 275 s.
        #expect((185...230).contains(from), "\(from)")
        #expect((250...300).contains(to), "\(to)")
        #expect(contact.closestMetres < 5)
        #expect(contact.deviationMetres < 15)
    }

    @Test func `two meetings with time apart between them are two contacts`() {
        let visit = Array(repeating: 0.0, count: 24)
        let away = Array(repeating: 500.0, count: 24)
        let contacts = search.contacts(
            between: [trail(from: 0, Array(repeating: 0, count: 96))], and: [trail(from: 0, visit + away + visit)])
        #expect(contacts.count == 2, "\(seconds(contacts))")
    }

    @Test func `a silence ends a contact after its gap, and a short one does not`() {
        let standing = trail(from: 0, Array(repeating: 0, count: 400))
        func contacts(silentFor silence: Double) -> [Contact] {
            let first = (0..<24).map { Double($0) * 5 }
            let seconds = first + first.map { $0 + 120 + silence }
            let positions = seconds.map { second in
                Position(
                    coordinate: Coordinate(validLatitude: 45, longitude: 14), sampleTime: World.time(second),
                    receivedTime: World.time(second), accuracy: 5)
            }
            return search.contacts(between: [standing], and: [ContactSearch.Trail(positions)])
        }
        #expect(contacts(silentFor: 60).count == 1)
        #expect(contacts(silentFor: 600).count == 2)
    }

    @Test func `without evidence of nearness there is no contact`() {
        let standing = trail(from: 0, Array(repeating: 0, count: 60))
        #expect(search.contacts(between: [standing], and: []).isEmpty)
        #expect(search.contacts(between: [], and: [standing]).isEmpty)
        // Too inaccurate to tell.
        let coarse = trail(from: 0, Array(repeating: 0, count: 60), accuracy: 100)
        #expect(search.contacts(between: [standing], and: [coarse]).isEmpty)
        // Positions from a clock that was ahead.
        let ahead = trail(from: 0, Array(repeating: 0, count: 60), receivedLater: -600)
        #expect(search.contacts(between: [standing], and: [ahead]).isEmpty)
        // An hour later at the same place.
        let later = trail(from: 3_600, Array(repeating: 0, count: 60))
        #expect(search.contacts(between: [standing], and: [later]).isEmpty)
    }

    @Test func `contacts of several devices at one time are one`() {
        let standing = trail(from: 0, Array(repeating: 0, count: 60))
        let contacts = search.contacts(between: [standing, standing], and: [standing])
        #expect(contacts.count == 1, "\(seconds(contacts))")
    }

    private func range(
        _ metres: Double, at second: Double, source: PeerRange.Source = .ultraWideband, receivedAt: Double? = nil
    ) -> PeerRange {
        PeerRange(
            to: World.bensPhone, sampleTime: World.time(second), receivedTime: World.time(receivedAt ?? second),
            metres: metres, deviationMetres: 0.2, source: source)
    }

    @Test func `ranges show contacts without any position, with their source`() throws {
        let near = stride(from: 0.0, to: 60, by: 10).map { range(2 + $0 / 100, at: 100 + $0) }
        let contacts = ContactSearch(radiusMetres: 3).contacts(
            between: [], and: [], ranges: [range(50, at: 90), range(1, at: 400, source: .bluetooth)] + near.reversed())
        #expect(seconds(contacts) == [[100, 150], [400, 400]])
        #expect(contacts.map(\.source) == [.ultraWideband, .bluetooth])
        #expect(contacts.first?.closestMetres == 2)
    }

    @Test func `a range beyond the radius ends a contact, and one of a clock ahead is left out`() {
        let ranges = [
            range(2, at: 10), range(20, at: 20), range(2, at: 30), range(2, at: 900, receivedAt: 100),
        ]
        #expect(
            seconds(ContactSearch(radiusMetres: 3).contacts(between: [], and: [], ranges: ranges)) == [
                [10, 10], [30, 30],
            ])
    }

    @Test func `the closest distance of a contact has its source`() throws {
        let trails = [0.0, 12].map { trail(from: 0, Array(repeating: $0, count: 60)) }
        let byFixes = try #require(search.contacts(between: [trails[0]], and: [trails[1]]).first)
        #expect(byFixes.source == nil)
        let both = search.contacts(between: [trails[0]], and: [trails[1]], ranges: [range(4, at: 250)])
        #expect(both.count == 1 && both.first?.closestMetres == 4 && both.first?.source == .ultraWideband)
        #expect(both.first?.from == byFixes.from && both.first?.to == byFixes.to)
    }
}

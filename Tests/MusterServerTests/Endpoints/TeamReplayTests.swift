import MusterCore
import MusterGeometry
import MusterStore
import MusterTestSupport
import MusterWire
import Testing

@testable import MusterNativeAPI

/// The columns of a replay, and its bounds.
@Suite struct TeamReplayTests {
    private static let from = Instant(seconds: 1_700_000_000)

    private static func span(_ seconds: Double) -> TeamReplay.Span {
        TeamReplay.Span(
            from: from, to: from.advanced(bySeconds: seconds), horizon: Instant(seconds: 0),
            now: from.advanced(bySeconds: 86_400))
    }

    /// A team of three, of which the devices have reported every second; the third is a gateway.
    private static func world(seconds: Int) throws -> (MemoryStore, Directory, Team) {
        let store = MemoryStore()
        let team = Team(number: TeamNumber(1), name: "crew", tracker: TrackerNumber(1))
        var directory = Directory()
        directory.apply(.putTracker(Tracker(number: TrackerNumber(1), name: "crew", filter: .none, collections: [])))
        directory.apply(.putTeam(team))
        for index: Int32 in 1...3 {
            let role: Role = index == 3 ? .gateway : .member
            directory.apply(
                .putUser(User(number: UserNumber(index), name: "u\(index)", role: role, team: team.number)))
            directory.apply(
                .putDevice(Device(number: DeviceNumber(index), name: "phone", user: UserNumber(index))))
            try store.write(at: from) { transaction in
                for second in 0..<seconds {
                    let time = from.advanced(bySeconds: Double(second))
                    let place = Coordinate(validLatitude: second == 5 ? 0 : 52.5, longitude: second == 5 ? 0 : 13.4)
                    let position = Position(
                        coordinate: place, sampleTime: time, receivedTime: time, accuracy: Metres(5))
                    try transaction.append(.position(position, of: DeviceNumber(index), isCurrent: true))
                }
            }
        }
        return (store, directory, team)
    }

    @Test func `a replay leaves out gateways and fixes at nought degrees, and orders fixes by time`() throws {
        let (store, directory, team) = try Self.world(seconds: 20)
        var replay = TeamReplay(of: team, over: Self.span(10), in: directory)
        let answer = try JSONValue(parsing: replay.write(from: store, in: directory))
        #expect(answer["people"]?.elements?.compactMap(\.string) == ["u1", "u2"])
        let times = answer["fixes"]?["t"]?.elements?.compactMap { $0.integer }
        #expect(times == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 6, 6, 7, 7, 8, 8, 9, 9].map { Int64($0) * 1000 })
        #expect(answer["isComplete"]?.boolean == true)
    }

    @Test func `a replay with too many fixes says until when it fits`() throws {
        let (store, directory, team) = try Self.world(seconds: 100)
        var replay = TeamReplay(of: team, over: Self.span(100), in: directory, fixLimit: 51)
        let fault = #expect(throws: TeamReplay.TooLong.self) { try replay.write(from: store, in: directory) }
        #expect(fault?.fixes == 198)
        // The sixth second has none of the fixes.
        #expect(fault?.end == Self.from.advanced(bySeconds: 26))
        replay = TeamReplay(of: team, over: Self.span(26), in: directory, fixLimit: 51)
        #expect(try !replay.write(from: store, in: directory).isEmpty)
    }
}

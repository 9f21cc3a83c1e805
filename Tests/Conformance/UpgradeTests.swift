import Foundation
import GRDB
import MusterCore
import MusterDocuments
import MusterGeometry
import MusterStore
import Testing

extension Instant {
    /// When the device in the dumps entered its region.
    fileprivate static let captured = Instant(milliseconds: 1_795_240_800_000)
}

/// Files of earlier versions, as those versions wrote them, become files of this one.
@Suite struct UpgradeTests {
    private static let files = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Files")

    /// Opens a store over what an SQL dump holds, and more.
    private func open(
        _ dump: String, adding more: String = "", in directory: String, options: SQLiteStore.Options = .init()
    ) throws -> SQLiteStore {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let sql = try String(contentsOf: Self.files.appending(path: dump), encoding: .utf8)
        let queue = try DatabaseQueue(path: directory + "/" + SQLiteStore.fileName)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql + more) }
        try queue.close()
        return try SQLiteStore(in: directory, options: options)
    }

    @Test func `an upgrade without room on the disk is refused with the reason`() throws {
        let directory = FileManager.default.temporaryDirectory.path + "/muster-upgrade-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var options = SQLiteStore.Options()
        options.pageLimit = 1
        let error = #expect(throws: StoreError.self) { try open("version1.sql", in: directory, options: options) }
        guard case .unwritable(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("must be brought to version"))
        // Nothing was half done: with room it is upgraded.
        let store = try SQLiteStore(in: directory)
        #expect(try store.history(of: 1).count == 3)
        try store.close()
    }

    @Test func `a file of version 1 keeps what it has, and takes sightings and notes`() throws {
        let directory = FileManager.default.temporaryDirectory.path + "/muster-upgrade-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var store = try open("version1.sql", in: directory)
        #expect(try store.directory().users.map(\.name) == ["admin", "ann"])
        #expect(try store.history(of: 1).map(\.sampleTime.seconds) == [1_795_240_800, 1_795_240_801, 1_795_240_802])
        #expect(try store.regions().map(\.name) == ["yard"])
        let safety = try store.safety()
        #expect(safety.map(\.safety.state) == [.safe])
        // The states of people over time begin where the older version ended.
        let start = try store.safetyHistoryStart
        #expect(start >= .captured)
        let states = try store.safetyHistory(of: [safety[0].user], from: start, to: start)
        #expect(
            states == [
                ReportedSafety(
                    user: safety[0].user, at: start, sequence: .zero, state: .safe, source: nil, doubt: nil)
            ])
        #expect(try store.presences().map(\.presences) == [[Presence(region: RegionNumber(1), since: .captured)]])
        let before = store.lastSequence
        #expect(try store.log().last?.sequence == before)
        try store.write(at: .test(0)) { transaction in
            try transaction.append(.sighting(.test(1), of: DeviceNumber(1), isCurrent: true))
            try transaction.put(.test(.steps, at: 1), of: DeviceNumber(1))
        }
        #expect(store.lastSequence.rawValue == before.rawValue + 1)
        try store.close()
        store = try SQLiteStore(in: directory)
        #expect(try store.sightings(of: 1) == [.test(1)])
        #expect(try store.notes(of: 1) == [.test(.steps, at: 1)])
        #expect(try store.history(of: 1).count == 3)
        #expect(try store.check() == [])
        try store.close()
    }

    @Test func `a file of version 4 keeps what it has, and takes documents`() throws {
        let directory = FileManager.default.temporaryDirectory.path + "/muster-upgrade-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var store = try open("version4.sql", in: directory)
        let before = store.lastSequence
        let history = try store.history(of: 1)
        #expect(history.map(\.coordinate.latitude) == [52.5, 52.5025, 52.505])
        #expect(try store.directory().users.map(\.name) == ["admin", "ann"])
        #expect(try store.directory().databases == [])
        #expect(try store.regions().map(\.name) == ["yard"])
        let database = DatabaseNumber.locations(of: UserNumber(2))
        try store.edit(.test("a", "{\"v\":1}"), in: database)
        #expect(store.lastSequence.rawValue == before.rawValue + 1)
        try store.close()
        store = try SQLiteStore(in: directory)
        #expect(try store.document("a", in: .locations)?.text == "{\"v\":1}")
        #expect(try store.history(of: 1) == history)
        #expect(try store.check() == [])
        try store.close()
    }

    @Test func `a file of version 8 keeps its incidents, closed ones and the open one's roll`() throws {
        let directory = FileManager.default.temporaryDirectory.path + "/muster-upgrade-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = try open("version8.sql", in: directory)
        let incidents = try store.incidents(of: nil, before: nil, limit: 9)
        #expect(incidents.map(\.number.rawValue) == [3, 2, 1])
        #expect(incidents.map(\.closing?.how) == [nil, .allAccounted, .allAccounted])
        #expect(incidents.map(\.turn) == [.started, .closed, .closed])
        let closedAt = Instant(milliseconds: 1_795_392_943_455)
        #expect(incidents[2].allAccountedAt == closedAt)
        #expect(incidents[2].closing?.at == closedAt)
        let roll = Roll(try store.roll(of: IncidentNumber(3)))
        #expect(roll.present.map(\.rawValue) == [2, 3, 4])
        #expect(try store.milestones(of: IncidentNumber(3), limit: 9).isEmpty)
        #expect(try store.declared().map(\.declared.status) == [.safe, .offSite, .nothing])
        #expect(try store.declared().map(\.declared.incident?.rawValue) == [3, nil, nil])
        #expect(try store.directory().teams.map(\.incidents) == [IncidentSettings()])
        #expect(try store.log().count == store.lastSequence.rawValue)
        #expect(try store.check() == [])
        try store.close()
    }

    @Test func `a file of version 10 keeps a user that stands for a device, and takes what joins it to another`() throws
    {
        let directory = FileManager.default.temporaryDirectory.path + "/muster-upgrade-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var store = try open("version10.sql", in: directory)
        let before = try store.directory()
        #expect(before.users.map(\.name) == ["admin", "ann", "tag-7"])
        #expect(before.users.map(\.isImplicit) == [false, false, true])
        var device = try #require(before.devices.first)
        #expect(before.devices == [Device(number: device.number, name: "tag-7", user: before.users[2].number)])
        let (history, records) = (try store.history(of: device.number.rawValue), try store.records())
        #expect(history.count == 2)
        #expect(try store.safety().map(\.safety.state).contains(.safe))
        device.user = before.users[1].number
        device.alias = "tag-7"
        try store.write(at: .captured) { transaction in
            try transaction.put(device)
            try transaction.remove(before.users[2].number)
        }
        try store.close()
        store = try SQLiteStore(in: directory)
        #expect(try store.directory().devices == [device])
        #expect(try store.directory().users == Array(before.users.dropLast()))
        #expect(try store.history(of: device.number.rawValue) == history)
        #expect(try store.records().map(\.record) == records.map(\.record))
        #expect(try store.check() == [])
        try store.close()
    }

    @Test func `a file from before users had e-mail addresses and telephone numbers takes them`() throws {
        let directory = FileManager.default.temporaryDirectory.path + "/muster-upgrade-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var store = try open("version10.sql", in: directory)
        var users = try store.directory().users
        #expect(users.allSatisfy { $0.email == nil && $0.phone == nil })
        users[1].email = "ann@example.org"
        users[1].phone = "+49 30 1"
        let ann = users[1]
        try store.write(at: .captured) { transaction in try transaction.put(ann) }
        try store.close()
        store = try SQLiteStore(in: directory)
        #expect(try store.directory().users == users)
        #expect(try store.check() == [])
        try store.close()
    }

    @Test func `a file from before users had display names takes them, and its closed incidents name none`() throws {
        let directory = FileManager.default.temporaryDirectory.path + "/muster-upgrade-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var store = try open("version10.sql", in: directory)
        var users = try store.directory().users
        #expect(users.allSatisfy { $0.displayName == nil })
        #expect(try store.displayNames(of: IncidentNumber(1)) == [:])
        users[1].displayName = "Ana Ruiz"
        let ann = users[1]
        try store.write(at: .captured) { transaction in
            try transaction.put(ann)
            try transaction.setDisplayNames([ann.number: ann.displayName], of: IncidentNumber(1))
        }
        try store.close()
        store = try SQLiteStore(in: directory)
        #expect(try store.directory().users == users)
        #expect(try store.displayNames(of: IncidentNumber(1)) == [ann.number: "Ana Ruiz"])
        #expect(try store.check() == [])
        try store.close()
    }

    @Test func `a file from before there were crews takes them, and its closed incidents name none`() throws {
        let directory = FileManager.default.temporaryDirectory.path + "/muster-upgrade-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var store = try open("version8.sql", in: directory)
        var expected = try store.directory()
        #expect(expected.crews == [] && expected.users.allSatisfy { $0.crew == nil })
        #expect(try store.crews(of: IncidentNumber(1)) == [:])
        let place = try #require(expected.users.firstIndex { $0.team != nil })
        let team = try #require(expected.users[place].team)
        let crew = try store.write(at: .captured) { transaction in
            Crew(number: try transaction.nextCrewNumber(), team: team, name: "Engine 3")
        }
        expected.crews = [crew]
        expected.users[place].crew = crew.number
        let user = expected.users[place]
        try store.write(at: .captured) { transaction in
            try transaction.put(crew)
            try transaction.put(user)
            try transaction.setCrews([user.number: crew.name], of: IncidentNumber(1))
        }
        try store.close()
        store = try SQLiteStore(in: directory)
        #expect(try store.directory() == expected)
        #expect(try store.crews(of: IncidentNumber(1)) == [user.number: "Engine 3"])
        #expect(try store.check() == [])
        try store.close()
    }

    @Test func `a file from before there was PAR keeps its incidents, led by who started them, and takes PAR`() throws {
        let directory = FileManager.default.temporaryDirectory.path + "/muster-upgrade-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var store = try open("version8.sql", in: directory)
        var incident = try #require(try store.openIncidents().first)
        #expect(incident.leader == incident.startedBy && incident.news == nil && incident.startID == nil)
        #expect(PARCourse(try store.roll(of: incident.number)).isEmpty)
        #expect(try store.directory().teams.allSatisfy { $0.incidents.parEverySeconds == nil })
        let before = try store.record(of: incident.number, after: 0, limit: 99)
        #expect(!before.isEmpty && before.allSatisfy { $0.entry.detail == nil && $0.entry.id == nil })
        var team = try #require(try store.directory().teams.first)
        team.incidents.parEverySeconds = 900
        let request = IncidentDetail.par(.init(round: 1, dueAt: .captured, crews: PARCount.samples))
        let line = IncidentEntry(
            incident: incident.number, at: .captured, person: IncidentEntry.nobody, event: .parRequested,
            safety: Safety(state: .unknown, since: .captured), lastSeen: nil, detail: request, id: "a")
        incident.turn = .parRequested
        incident.news = Incident.News(at: .captured, by: nil, detail: request)
        let (changedTeam, changed) = (team, incident)
        try store.write(at: .captured) { transaction in
            try transaction.put(changedTeam)
            try transaction.append(line)
            try transaction.append(.incident(changed))
        }
        try store.close()
        store = try SQLiteStore(in: directory)
        #expect(try store.directory().teams.contains(team))
        #expect(try store.openIncidents() == [incident])
        #expect(try store.record(of: incident.number, after: 0, limit: 99).map(\.entry) == before.map(\.entry) + [line])
        #expect(PARCourse(try store.roll(of: incident.number)).newest?.number == 1)
        #expect(try store.check() == [])
        try store.close()
    }

    @Test func `a file from before there were pauses has none, and takes them with the team that allows them`() throws {
        let directory = FileManager.default.temporaryDirectory.path + "/muster-upgrade-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var store = try open("version8.sql", in: directory)
        var team = try #require(try store.directory().teams.first)
        #expect(!team.incidents.allowsPause)
        let before = try store.declared()
        #expect(before.allSatisfy { $0.declared.pause == nil })
        let user = try #require(try store.directory().users.first).number
        var declared = before.first { $0.user == user }?.declared ?? Declared()
        declared.pause = Pause(since: .captured, until: .captured.advanced(bySeconds: 60), note: "lunch")
        team.incidents.allowsPause = true
        let (changed, paused) = (team, declared)
        try store.write(at: .captured) { transaction in
            try transaction.put(changed)
            try transaction.setDeclared(paused, of: user)
        }
        try store.close()
        store = try SQLiteStore(in: directory)
        #expect(try store.directory().teams.contains(team))
        #expect(try store.declared().first { $0.user == user }?.declared == declared)
        #expect(try store.check() == [])
        try store.close()
    }

    @Test func `a file of version 5 keeps its documents, and its union has each by itself and no design document`()
        throws
    {
        let directory = FileManager.default.temporaryDirectory.path + "/muster-upgrade-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = try open("version5.sql", in: directory)
        let (ann, ben) = (DatabaseNumber.locations(of: UserNumber(2)), DatabaseNumber.locations(of: UserNumber(3)))
        #expect(try store.touched(in: .database(ann)) == ["_design/points", "shared", "ann-1", "ann-2"])
        #expect(try store.document("_design/points", in: .database(ben))?.text == "{\"views\":{}}")
        #expect(try store.document("n1", in: .database(DatabaseNumber(2)))?.text == "{\"text\":\"kept\"}")
        #expect(try store.counts(in: .database(ann)).living == 3)
        let united = ["shared", "ann-1", "ann-2", "user-0000000003:shared", "ben-1", "ben-2"]
        #expect(try store.touched(in: .locations) == united)
        #expect(try store.document("shared", in: .locations)?.text == "{\"of\":\"ann\"}")
        #expect(try store.document("user-0000000003:shared", in: .locations)?.text == "{\"of\":\"ben\"}")
        #expect(try store.counts(in: .locations) == DocumentCounts(living: 4, deleted: 2, bytes: 42))
        let pending = try store.lookAtDocuments { try $0.pendingChanges(in: .locations, since: .zero) }
        #expect(pending == 6)
        let events = try store.databaseEvents(since: .zero)
        #expect(events.allSatisfy { $0.sequence == .zero && !$0.isRemoval })
        let users = try store.directory().users.map { DatabaseNumber.locations(of: $0.number) }
        let databases = try store.directory().databases.map(\.number)
        #expect(Set(events.map(\.database)) == Set(users + databases))
        #expect(try store.databaseEvents(since: LogSequence(1)) == [])
        #expect(try store.check() == [])
        try store.close()
    }

    @Test func `an upgraded file gives positions' ids to their owners, and its union is replicated from the start`()
        throws
    {
        let directory = FileManager.default.temporaryDirectory.path + "/muster-upgrade-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        // Ann's phone is device 1. Ben wrote under the id of a position of it before she deleted it.
        let (position, other) = ("position-0000000001-001795240800000-c", "position-0000000009-001795240800000-c")
        func document(_ number: Int, _ database: Int, _ id: String) -> String {
            """
            INSERT INTO documents SELECT \(number), \(database), '\(id)', \(number), 0, tree, body, NULL
            FROM documents WHERE number = 3;

            """
        }
        let more =
            document(100, -3, position) + document(101, -2, position) + document(102, -2, other)
            + document(103, -2, "user-0000000003:x")
                + """
                INSERT INTO local_documents VALUES (-2, 'lt_locations_all/mark', 1, x'7B7D'), (-2, 'own', 1, x'7B7D');
                """
        var store = try open("version5.sql", adding: more, in: directory)
        for _ in 0..<2 {
            let united = try store.touched(in: .locations).suffix(4)
            #expect(
                united == [
                    "user-0000000003:" + position, position, "user-0000000002:" + other,
                    "user-0000000002:user-0000000003:x",
                ])
            let ann = DatabaseNumber.locations(of: UserNumber(2))
            let (mark, own) = try store.lookAtDocuments {
                (try $0.local("lt_locations_all/mark", in: ann), try $0.local("own", in: ann))
            }
            #expect(mark == nil && own != nil)
            #expect(try store.check() == [])
            try store.close()
            store = try SQLiteStore(in: directory)
        }
        try store.close()
    }
}

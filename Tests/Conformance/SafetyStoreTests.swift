import MusterCore
import MusterStore
import Testing

/// Declarations, incidents and their records, and the audit log.
@Suite struct SafetyStoreTests {
    @Test(arguments: StoreKind.allCases)
    func `a person's safety and declarations survive a crash, and end with the person`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        var declared = Declared()
        declared.status = .sos
        declared.since = .test(1)
        declared.source = .marked(by: UserNumber(7))
        declared.acknowledgedBy = UserNumber(8)
        declared.toldAt = .test(2)
        declared.reminders = 3
        declared.latest = .test(4)
        declared.wasInMusterRegion = true
        declared.incident = IncidentNumber(5)
        declared.unconfirmed = .init(status: .offSite, at: .test(3), source: .marked(by: UserNumber(6)))
        declared.timer = CheckInTimer(
            intervalSeconds: 600, opensIncident: true, note: "roof", setBy: UserNumber(7), lastWord: .test(1),
            now: .test(2))
        declared.timer?.turn = .overdue
        declared.timer?.turnBy = nil
        declared.timer?.noticeCount = 2
        declared.timer?.toldAt = .test(3)
        let safety = Safety(
            state: .sos, since: .test(1), source: .marked(by: UserNumber(7)), acknowledgedBy: UserNumber(8))
        try bench.store.write(at: .test(0)) { transaction in
            for user: Int32 in 1...2 {
                try transaction.setSafety(safety, of: UserNumber(user))
                try transaction.setDeclared(Declared(), of: UserNumber(user))
                try transaction.setDeclared(declared, of: UserNumber(user))
            }
        }
        try bench.crash()
        #expect(try bench.store.safety().map(\.safety) == [safety, safety])
        #expect(try bench.store.declared().map(\.declared) == [declared, declared])
        try bench.store.write(at: .test(1)) { try $0.remove(UserNumber(1)) }
        #expect(try bench.store.declared().map(\.user) == [UserNumber(2)])
    }

    @Test(arguments: StoreKind.allCases)
    func `declarations come back in order, page by page, are known by their id, and go with their subject`(
        kind: StoreKind
    ) throws {
        let bench = try Bench(kind)
        let ordered = [
            Declaration.test("z", at: 1), .test("A", at: 2, note: "hurt"), .test("a", at: 2), .test("b", at: 3),
        ]
        try bench.store.write(at: .test(9)) { transaction in
            for declaration in ordered.reversed() {
                #expect(try !transaction.holds(declaration))
                try transaction.append(.declaration(declaration, isCurrent: declaration.id == "b"))
                #expect(try transaction.holds(.test(declaration.id, at: 77)))
                #expect(try !transaction.holds(.test(declaration.id, of: 2, at: 1)))
            }
        }
        for _ in 0..<2 {
            for page in 1...5 {
                let found = try bench.store.declarations(of: 1, page: page)
                #expect(found.map(\.declaration) == ordered)
                #expect(found.map(\.isCurrent) == [false, false, false, true])
            }
            #expect(try bench.store.declarations(of: 2).isEmpty)
            #expect(try bench.store.write(at: .test(10)) { try $0.holds(ordered[0]) })
            try bench.crash()
        }
        while try bench.store.forget(before: .test(2), limit: 1) > 0 {}
        #expect(try bench.store.declarations(of: 1).map(\.declaration) == Array(ordered[1...]))
        try bench.store.write(at: .test(11)) { try $0.remove(UserNumber(1)) }
        #expect(try bench.store.declarations(of: 1).isEmpty)
        #expect(try bench.store.log().isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `incidents are found by number, by team and while they are open, newest first`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        var closed = Incident.test(1, team: 1, at: 0)
        try bench.store.write(at: .test(0)) { transaction in
            #expect(try transaction.nextIncidentNumber() == IncidentNumber(1))
            try transaction.append(.incident(closed))
            try transaction.append(.incident(.test(2, team: 2, at: 1)))
            try transaction.append(.incident(.test(3, team: 1, at: 2)))
            closed.closing = Incident.Closing(at: .test(9), how: .byHand(by: UserNumber(4), reason: "false alarm"))
            try transaction.append(.incident(closed))
        }
        for _ in 0..<2 {
            let store = bench.store
            #expect(try store.incident(IncidentNumber(1)) == closed)
            #expect(try store.incident(IncidentNumber(4)) == nil)
            #expect(try store.openIncidents() == [.test(2, team: 2, at: 1), .test(3, team: 1, at: 2)])
            #expect(try store.incidents(of: nil, before: nil, limit: 2).map(\.number.rawValue) == [3, 2])
            #expect(try store.incidents(of: nil, before: IncidentNumber(2), limit: 9) == [closed])
            #expect(try store.incidents(of: TeamNumber(1), before: nil, limit: 9).map(\.number.rawValue) == [3, 1])
            #expect(try store.write(at: .test(1)) { try $0.nextIncidentNumber() }.rawValue > 1)
            try bench.crash()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an incident's record stays when the log is forgotten and its people are removed`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let lines: [IncidentEntry] = [
            .test(1, 1, .unsafe, at: 1, event: .present), .test(1, 2, .unknown, at: 1, event: .present),
            .test(2, 1, .sos, at: 2), .test(1, 2, .unsafe, at: 3), .test(1, 0, .unknown, at: 3, event: .allAccounted),
            .test(1, 2, .safe, at: 4), .test(1, -1, .unknown, at: 4, event: .visitor), .test(1, -1, .safe, at: 5),
            .test(1, 1, .unknown, at: 6, event: .removed), .test(1, 0, .unknown, at: 7, event: .notAllAccounted),
        ]
        try bench.store.write(at: .test(5)) { transaction in
            for line in lines { try transaction.append(line) }
        }
        try bench.store.write(at: .test(6)) { try $0.remove(UserNumber(1)) }
        while try bench.store.forget(before: .test(1_000), limit: 10) > 0 {}
        for _ in 0..<2 {
            let own = lines.filter { $0.incident == IncidentNumber(1) }
            for page in 1...5 { #expect(try bench.store.record(of: 1, page: page) == own) }
            // Who is on the roll and how everyone is now; what happened to them in between is left out.
            let roll = [lines[0], lines[1], lines[5], lines[6], lines[7], lines[8]]
            #expect(try bench.store.roll(of: IncidentNumber(1)) == roll)
            #expect(try bench.store.write(at: .test(7)) { try $0.roll(of: IncidentNumber(1)) } == roll)
            #expect(try bench.store.milestones(of: IncidentNumber(1), limit: 9) == [lines[4], lines[9]])
            #expect(try bench.store.milestones(of: IncidentNumber(1), limit: 1) == [lines[4]])
            #expect(try bench.store.record(of: 3).isEmpty)
            try bench.crash()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the audit log is read newest first, and forgets what is older than a year`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        func entry(_ number: Int64, at seconds: Double) -> AuditEntry {
            AuditEntry(
                sequence: LogSequence(number), at: .test(seconds), author: UserNumber(1),
                device: number % 2 == 0 ? nil : DeviceNumber(2),
                change: .directory(.user(UserNumber(Int32(number))), removed: false))
        }
        let entries = (1...5).map { entry($0, at: Double($0)) }
        for entry in entries { try bench.store.write(at: .test(9)) { try $0.append(entry) } }
        try bench.crash()
        #expect(try bench.store.audit(before: nil, limit: 3) == [entries[4], entries[3], entries[2]])
        #expect(try bench.store.audit(before: LogSequence(3), limit: 9) == [entries[1], entries[0]])
        let later = entry(6, at: AuditEntry.keptSeconds + 4)
        try bench.store.write(at: .test(10)) { try $0.append(later) }
        #expect(try bench.store.audit(before: nil, limit: 9) == [later, entries[4], entries[3]])
    }
}

extension Store {
    /// All declarations of a person, page by page.
    fileprivate func declarations(of subject: Int32, page: Int = 3) throws -> [KeptDeclaration] {
        var all: [KeptDeclaration] = []
        while true {
            let cursor = all.last.map {
                DeclarationKey(sampleTime: $0.declaration.sampleTime, id: $0.declaration.id)
            }
            let next = try declarations(of: UserNumber(subject), after: cursor, limit: page)
            all += next
            if next.isEmpty { return all }
        }
    }

    /// The record of an incident, page by page.
    fileprivate func record(of incident: Int32, page: Int = 3) throws -> [IncidentEntry] {
        var all: [RecordLine] = []
        while true {
            let next = try record(of: IncidentNumber(incident), after: all.last?.place ?? 0, limit: page)
            all += next
            if next.isEmpty { return all.map(\.entry) }
        }
    }
}

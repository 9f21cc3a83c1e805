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
        declared.pause = Pause(since: .test(1), until: .test(9), note: "Mittag")
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
    func `the crews of a closed incident are the last that were stored, and outlive person, crew and crash`(
        kind: StoreKind
    ) throws {
        let bench = try Bench(kind)
        let (first, second) = (IncidentNumber(1), IncidentNumber(2))
        let (ana, ben) = (UserNumber(1), UserNumber(2))
        try bench.store.write(at: .test(0)) { transaction in
            try transaction.put(Crew(number: CrewNumber(1), team: TeamNumber(1), name: "Engine 3"))
            try transaction.put(
                User(number: ana, name: "ana", role: .member, team: TeamNumber(1), crew: CrewNumber(1)))
            try transaction.setCrews([ana: "Engine 1", ben: "Engine 1"], of: first)
            try transaction.setCrews([ana: "Engine 3"], of: first)
            try transaction.setCrews([ben: "Löschzug 3"], of: second)
        }
        try bench.store.write(at: .test(1)) { transaction in
            try transaction.remove(ana)
            try transaction.remove(CrewNumber(1))
        }
        try bench.crash()
        #expect(try bench.store.crews(of: first) == [ana: "Engine 3"])
        #expect(try bench.store.crews(of: second) == [ben: "Löschzug 3"])
        #expect(try bench.store.crews(of: IncidentNumber(3)) == [:])
    }

    @Test(arguments: StoreKind.allCases)
    func `the last display name stored of each person stays, and goes with the person unless the record names them`(
        kind: StoreKind
    ) throws {
        let bench = try Bench(kind)
        let (first, second) = (IncidentNumber(1), IncidentNumber(2))
        let (ana, ben, eve) = (UserNumber(1), UserNumber(2), UserNumber(3))
        try bench.store.write(at: .test(0)) { transaction in
            try transaction.put(User(number: ana, name: "ana", role: .member, team: nil, displayName: "Ana Ruiz"))
            try transaction.setDisplayNames([ana: "Ana Díaz", eve: "Eve"], of: first)
            try transaction.setDisplayNames([ana: "Ana Ruiz", ben: "山田 太郎"], of: first)
            try transaction.setDisplayNames([ben: nil], of: first)
            try transaction.setDisplayNames([ana: "Ana Ruiz", ben: "Ben"], of: second)
            // The first record keeps the name of a user who was removed meanwhile; the second one does not.
            var line = IncidentEntry.test(1, 1, .unsafe, at: 1, event: .present)
            try transaction.append(line)
            (line.event, line.name) = (.removed, "ana")
            try transaction.append(line)
            try transaction.append(.test(2, 1, .unsafe, at: 1, event: .present))
        }
        try bench.store.write(at: .test(1)) { try $0.remove(ana) }
        try bench.crash()
        #expect(try bench.store.displayNames(of: first) == [ana: "Ana Ruiz", eve: "Eve"])
        #expect(try bench.store.displayNames(of: second) == [ben: "Ben"])
        #expect(try bench.store.displayNames(of: IncidentNumber(3)) == [:])
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
            .test(1, 2, .safe, at: 8, event: .callSeen), .test(1, 0, .unknown, at: 9, event: .reopened),
            .test(1, 0, .unknown, at: 10, event: .reopened), .test(1, 2, .safe, at: 11, event: .callSeen),
        ]
        try bench.store.write(at: .test(5)) { transaction in
            for line in lines { try transaction.append(line) }
        }
        try bench.store.write(at: .test(6)) { try $0.remove(UserNumber(1)) }
        while try bench.store.forget(before: .test(1_000), limit: 10) > 0 {}
        for _ in 0..<2 {
            let own = lines.filter { $0.incident == IncidentNumber(1) }
            for page in 1...5 { #expect(try bench.store.record(of: 1, page: page) == own) }
            // The roll has the lines that say who is on it, how everyone is now and who has seen the call, and the last
            // reopening. It leaves out the changes in between.
            let roll = lines[0...1] + lines[6...8] + lines[10...10] + lines[12...]
            #expect(try bench.store.roll(of: IncidentNumber(1)) == Array(roll))
            #expect(try bench.store.write(at: .test(7)) { try $0.roll(of: IncidentNumber(1)) } == Array(roll))
            let milestones = try bench.store.milestones(of: IncidentNumber(1), limit: 9)
            #expect(milestones == [lines[4], lines[9], lines[11], lines[12]])
            #expect(try bench.store.milestones(of: IncidentNumber(1), limit: 1) == [lines[4]])
            #expect(try bench.store.record(of: 3).isEmpty)
            try bench.crash()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the roll of a closed incident has each mark of a visitor, and the newest counts when it is reopened`(
        kind: StoreKind
    ) throws {
        let bench = try Bench(kind)
        func line(_ event: IncidentEntry.Event, _ state: Safety.State, at seconds: Double, by user: Int32?)
            -> IncidentEntry
        {
            IncidentEntry(
                incident: IncidentNumber(1), at: .test(seconds), person: UserNumber(-1), event: event,
                safety: Safety(state: state, since: .test(seconds)), lastSeen: nil,
                author: user.map { UserNumber($0) }, note: "\(seconds)", name: "Zoë")
        }
        let lines = [
            line(.visitor, .safe, at: 1, by: 9), line(.changed, .needsHelp, at: 2, by: 9),
            line(.atClosing, .needsHelp, at: 3, by: nil),
        ]
        try bench.store.write(at: .test(4)) { transaction in
            for line in lines { try transaction.append(line) }
        }
        for _ in 0..<2 {
            let roll = try bench.store.roll(of: IncidentNumber(1))
            #expect(roll == lines)
            #expect(Roll(roll).members[UserNumber(-1)]?.marked?.state == .needsHelp)
            try bench.crash()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the newest PAR comes back with the roll, every line with the record, and a request by its id`(
        kind: StoreKind
    ) throws {
        let bench = try Bench(kind)
        func line(
            _ event: IncidentEntry.Event, _ detail: IncidentDetail, of incident: Int32 = 1, at seconds: Double,
            id: String? = nil
        ) -> IncidentEntry {
            IncidentEntry(
                incident: IncidentNumber(incident), at: .test(seconds), person: IncidentEntry.nobody, event: event,
                safety: Safety(state: .unknown, since: .test(seconds)), lastSeen: nil, author: UserNumber(9),
                note: "Übung", name: event == .handedOver ? "Zoë" : nil, detail: detail, id: id)
        }
        let timer = IncidentDetail.parTimer(PARTimer(everySeconds: 900))
        func round(_ number: Int32) -> IncidentDetail { .par(.init(round: number, crews: PARCount.samples)) }
        let lines = [
            line(.parTimerSet, .parTimer(PARTimer()), at: 1), line(.parTimerSet, timer, at: 2),
            line(.parRequested, round(1), at: 3, id: "a"), line(.parReported, round(1), at: 4),
            line(.parRequested, round(7), of: 2, at: 5, id: "a"), line(.parEnded, round(1), at: 6),
            line(.parRequested, round(2), at: 7),
            line(.handedOver, .handedOver(to: UserNumber(8), from: nil), at: 8, id: "b"),
            line(.parComplete, .par(.init(round: 2)), at: 9),
        ]
        try bench.store.write(at: .test(5)) { transaction in
            try transaction.append(.test(1, 1, .unsafe, at: 1, event: .present))
            for line in lines { try transaction.append(line) }
            #expect(try transaction.line(of: IncidentNumber(1), sentAs: "b") == lines[7])
            #expect(try transaction.milestones(of: IncidentNumber(1), limit: 99) == [lines[7]])
            #expect(try transaction.milestones(of: IncidentNumber(1), limit: 0) == [])
        }
        let own = lines.filter { $0.incident == IncidentNumber(1) }
        for _ in 0..<2 {
            let store = bench.store
            #expect(try store.record(of: 1).dropFirst() == own[...])
            #expect(try store.roll(of: IncidentNumber(1)).dropFirst() == [lines[1], lines[6], lines[8]])
            #expect(try store.parLines(of: IncidentNumber(1), limit: 99) == own.filter { $0.event.isPAR })
            #expect(try store.parLines(of: IncidentNumber(1), limit: 2) == Array(lines[..<2]))
            #expect(try store.milestones(of: IncidentNumber(1), limit: 99) == [lines[7]])
            let found = try store.write(at: .test(7)) { transaction in
                try [(1, "a"), (2, "a"), (1, "c"), (3, "a")].map { incident, id in
                    try transaction.line(of: IncidentNumber(incident), sentAs: id)
                }
            }
            #expect(found == [lines[2], lines[4], nil, nil])
            try bench.crash()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an incident is found by the id of the request that started it, within its team`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        var incident = Incident.test(1, team: 1, at: 0)
        incident.startID = "a"
        incident.leader = nil
        incident.turn = .parReported
        incident.news = Incident.News(at: .test(1), by: UserNumber(4), detail: IncidentDetail.samples[1])
        try bench.store.write(at: .test(0)) { transaction in
            try transaction.append(.incident(.test(2, team: 1, at: 1)))
            var begun = incident
            (begun.leader, begun.news, begun.turn) = (UserNumber(9), nil, .started)
            try transaction.append(.incident(begun))
            try transaction.append(.incident(incident))
        }
        for _ in 0..<2 {
            #expect(try bench.store.incident(IncidentNumber(1)) == incident)
            let found = try bench.store.write(at: .test(1)) { transaction in
                try [(1, "a"), (2, "a"), (1, "b")].map { team, id in
                    try transaction.incident(of: TeamNumber(team), startedAs: id)
                }
            }
            #expect(found == [incident, nil, nil])
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
                change: .directory(.user(UserNumber(Int32(number))), removed: false),
                details: number % 2 == 0 ? #"[{"field":"role"}]"# : nil)
        }
        let entries = (1...5).map { entry($0, at: Double($0)) }
        for entry in entries { try bench.store.write(at: .test(9)) { try $0.append(entry) } }
        try bench.crash()
        #expect(try bench.store.audit(before: nil, limit: 3) == [entries[4], entries[3], entries[2]])
        #expect(try bench.store.audit(before: LogSequence(3), limit: 9) == [entries[1], entries[0]])
        let bare = try bench.store.audit(before: nil, limit: 3, withDetails: false)
        #expect(bare.map(\.sequence.rawValue) == [5, 4, 3] && bare.allSatisfy { $0.details == nil })
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

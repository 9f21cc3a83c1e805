import HTTPTypes
import MusterCore
import MusterGeometry
import MusterStore
import MusterWire
import Testing

@testable import MusterServer
@testable import MusterWarnings

/// What a plan of warnings changes among stored regions, and what it leaves alone.
@Suite struct WarningRegionsTests {
    private let now = Instant(milliseconds: 1_764_500_000_000)
    private let source = WarningSourceID(url: "https://w.example/feed")
    private let collection = RegionCollection(
        number: CollectionNumber(7), name: "warnings-north", policy: .raw,
        particulars: Particulars(tags: [RegionCollection.warningTag: "1"]))

    private func alert(_ identifier: String, expires minutes: Double = 60) throws -> CAPAlert {
        let text = """
            <alert><identifier>\(identifier)</identifier><sender>s</sender><sent>\(now.rfc3339)</sent>
            <status>Actual</status><msgType>Alert</msgType><info><event>\(identifier)</event>
            <expires>\(now.advanced(bySeconds: minutes * 60).rfc3339)</expires>
            <area><circle>1,1 5</circle></area></info></alert>
            """
        let document = try Array(text.utf8).withUnsafeBytes { try WarningDocument(parsing: $0) }
        guard case .alert(let alert) = document else { throw CAPError.otherRoot("feed") }
        return alert
    }

    private func plan(_ alerts: [CAPAlert]) -> WarningPlan {
        var book = WarningBook()
        for alert in alerts { book.enter(alert, Warning(alert, of: source, .init()), at: now) }
        return book.wanted(at: now).plan
    }

    private func apply(
        _ plan: WarningPlan, of source: WarningSourceID? = nil, to directory: inout Directory, at moment: Instant? = nil
    ) -> Int {
        var last = directory.regions.all.map(\.number.rawValue).max() ?? 0
        let edits = plan.edits(of: source ?? self.source, in: collection, directory, at: moment ?? now) {
            last += 1
            return RegionNumber(last)
        }
        for edit in edits { directory.apply(edit) }
        return edits.count
    }

    private func names(_ directory: Directory) -> [String] {
        directory.regions(in: collection.number).compactMap { directory.regions[$0]?.name }.sorted()
    }

    private func directory() -> Directory {
        var directory = Directory()
        directory.apply(.putCollection(collection))
        return directory
    }

    @Test func `a plan is carried out once, and a region from before a restart stays until its time`() throws {
        var directory = directory()
        #expect(apply(plan([try alert("flood"), try alert("gale", expires: 5)]), to: &directory) == 2)
        #expect(apply(plan([try alert("flood"), try alert("gale", expires: 5)]), to: &directory) == 0)
        // The feed no longer has them, and nothing says that they ended.
        #expect(apply(plan([]), to: &directory) == 0)
        #expect(names(directory) == ["flood", "gale"])
        #expect(apply(plan([]), to: &directory, at: now.advanced(bySeconds: 300)) == 1)
        #expect(names(directory) == ["flood"])
    }

    @Test func `a replaced warning from before a restart goes`() throws {
        var directory = directory()
        _ = apply(plan([try alert("flood")]), to: &directory)
        var ended = plan([])
        ended.ended = [try alert("flood").key]
        #expect(apply(ended, to: &directory) == 1)
        #expect(names(directory) == [])
    }

    @Test func `a changed region is put right, with its number`() throws {
        var directory = directory()
        _ = apply(plan([try alert("flood")]), to: &directory)
        var region = try #require(Array(directory.regions.all).first)
        region.isMuster = true
        directory.apply(.putRegion(region))
        #expect(apply(plan([try alert("flood")]), to: &directory) == 1)
        #expect(directory.regions.all.map(\.isMuster) == [false])
        #expect(directory.regions.all.map(\.number) == [region.number])
    }

    @Test func `a feed changes no region but its own`() throws {
        var directory = directory()
        let flood = plan([try alert("flood")])
        let id = try #require(flood.regions.keys.first)
        let shape = Shape.circle(Circle(centre: Coordinate(validLatitude: 0, longitude: 0), radius: 5))
        for (number, id, properties) in [(1, "exit", nil), (2, id, #"{"warning":{"headline":"mine"}}"#)] {
            directory.apply(
                .putRegion(
                    Region(
                        number: RegionNumber(Int32(number)), collection: collection.number, id: id, name: id,
                        shape: shape, properties: properties)))
        }
        #expect(apply(flood, to: &directory) == 0)
        #expect(apply(plan([]), of: WarningSourceID(url: "https://other.example"), to: &directory) == 0)
        #expect(directory.regions.count == 2)
    }

    @Test func `what expired goes, and with its feed a collection`() throws {
        var directory = directory()
        let tracker = Tracker(
            number: TrackerNumber(1), name: "north", filter: .none, collections: [collection.number])
        directory.apply(.putTracker(tracker))
        _ = apply(plan([try alert("flood"), try alert("gale", expires: 5)]), to: &directory)
        let sources = [TeamNumber(1): Set([source.text])]
        #expect(directory.edits(endingWarningsAt: now, sources).edits == [])
        #expect(directory.edits(endingWarningsAt: now, sources).next == now.advanced(bySeconds: 300))
        let later = now.advanced(bySeconds: 300)
        #expect(directory.edits(endingWarningsAt: later, sources).edits.count == 1)
        #expect(directory.edits(endingWarningsAt: now, [TeamNumber(1): ["other"]]).edits.count == 2)
        for edit in directory.edits(endingWarningsAt: now, [:]).edits { directory.apply(edit) }
        #expect(directory.collections.count == 0 && directory.regions.count == 0)
        #expect(directory.trackers[TrackerNumber(1)]?.collections == [])
    }

    @Test func `a collection of warnings has a name that no other has`() {
        var directory = Directory()
        let team = Team(number: TeamNumber(1), name: "north", tracker: TrackerNumber(1))
        #expect(directory.nameForWarnings(of: team) == "warnings-north")
        directory.apply(.putCollection(RegionCollection(number: CollectionNumber(1), name: "warnings-north")))
        #expect(directory.nameForWarnings(of: team) == "warnings-north-2")
        #expect(directory.warningCollection(of: team.number) == nil)
        let long = Team(
            number: TeamNumber(1), name: String(repeating: "n", count: 64), tracker: TrackerNumber(1))
        #expect(EntityName.isValid(directory.nameForWarnings(of: long)))
    }

    @Test func `nobody edits warnings, and no rule makes them muster regions`() async throws {
        let office = try await Office()
        let north = try #require(office.coordinator.directory.teams["north"])
        let flood = plan([try alert("flood")])
        let (source, now) = (source, now)
        try await office.coordinator.edit(by: nil) { directory, draft in
            let collection = RegionCollection(
                number: try draft.transaction.nextCollectionNumber(), name: "warnings-north", policy: .raw,
                particulars: Particulars(tags: [RegionCollection.warningTag: "\(north.number.rawValue)"]))
            draft.edits.append(.putCollection(collection))
            if var tracker = directory.trackers[north.tracker] {
                tracker.collections.append(collection.number)
                draft.edits.append(.putTracker(tracker))
            }
            let transaction = draft.transaction
            draft.edits += try flood.edits(of: source, in: collection, directory, at: now) {
                try transaction.nextRegionNumber()
            }
        }
        try await office.open { desk in
            let path = "/collections/warnings-north"
            let shown = try await desk.send(.get, "\(path)/regions", as: "mia").json["features"]?.elements?.first
            #expect(shown?["properties"]?["warning"]?["headline"]?.string == "flood")
            let id = try #require(shown?["id"]?.string)
            for user in ["admin", "lena"] {
                #expect(try await desk.send(.delete, "\(path)/regions/\(id)", as: user).status == 403)
                #expect(try await desk.send(.delete, path, as: user).status == 403)
                #expect(try await desk.send(.patch, path, as: user, #"{"policy":"confident"}"#).status == 403)
                #expect(try await desk.send(.get, path, as: user).json["mayChange"]?.boolean == false)
            }
            let pattern = #"{"detail-type":["Location Geofence Event"]}"#
            let rule = #"{"name":"all","pattern":\#(pattern),"targets":[{"target":"safety"}]}"#
            #expect(try await desk.send(.post, "/rules", as: "admin", rule).status == 201)
            let after = try await desk.send(.get, "\(path)/regions/\(id)", as: "admin").json
            #expect(after["properties"]?["muster"]?.boolean == false)
        }
    }

    @Test func `a list shows feeds to admins, and to leaders those of the own team`() async throws {
        let office = try await Office()
        office.parts.warnings.begin([
            WarningStatus(team: "north", host: "https://w.example", since: office.clock.now),
            WarningStatus(team: "nowhere", host: "https://w.example", since: office.clock.now),
        ])
        _ = office.parts.warnings.change(0) { $0.recordFailure("it answered 503", at: office.clock.now) }
        try await office.open { desk in
            let feeds = try await desk.send(.get, "/warnings", as: "admin").json["items"]?.elements
            #expect(feeds?.map { $0["team"]?.string } == ["north", "nowhere"])
            #expect(feeds?.first?["fault"]?.string == "it answered 503")
            #expect(try await desk.send(.get, "/warnings", as: "lena").json["items"]?.elements?.count == 1)
            #expect(try await desk.send(.get, "/warnings", as: "lars").json["items"]?.elements?.count == 0)
            #expect(try await desk.send(.get, "//health", as: "admin").json["warningFaults"] == nil)
            office.clock.advance(bySeconds: 720)
            let told = try await desk.send(.get, "//health", as: "admin").json["warningFaults"]?.elements
            #expect(
                told?.first?["detail"]?.string
                    == "warnings of https://w.example for north not heard for 12 min: it answered 503")
        }
    }
}

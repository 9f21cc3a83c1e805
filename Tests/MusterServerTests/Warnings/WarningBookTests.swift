import MusterCore
import MusterGeometry
import MusterWire
import Testing

@testable import MusterServer
@testable import MusterWarnings

/// Which warnings hold, whatever the order in which a feed's alerts arrive.
@Suite struct WarningBookTests {
    private let start = Instant(milliseconds: 1_764_500_000_000)
    private let source = WarningSourceID(url: "https://w.example/feed")
    private let ring = "1,1 1,2 2,2 2,1 1,1"

    private func time(_ minutes: Double) -> Instant { start.advanced(bySeconds: minutes * 60) }

    private func key(_ identifier: String, _ minutes: Double = 0) -> String {
        "s,\(identifier),\(time(minutes).rfc3339)"
    }

    /// An alert with one info.
    private func alert(
        _ identifier: String, sent minutes: Double = 0, _ kind: String = "Alert", of references: [String] = [],
        expires: Double? = 60, status: String = "Actual", severity: String = "Severe", area: String? = nil,
        more: String = ""
    ) throws -> CAPAlert {
        let end = expires.map { "<expires>\(time($0).rfc3339)</expires>" } ?? ""
        let text = """
            <alert><identifier>\(identifier)</identifier><sender>s</sender><sent>\(time(minutes).rfc3339)</sent>
            <status>\(status)</status><msgType>\(kind)</msgType><scope>Public</scope>
            <references>\(references.joined(separator: " "))</references>
            <info><language>en</language><event>Flood</event><headline>\(identifier)</headline>
            <severity>\(severity)</severity>\(end)\(area ?? "<area><polygon>\(ring)</polygon></area>")</info>\(more)
            </alert>
            """
        let document = try Array(text.utf8).withUnsafeBytes { try WarningDocument(parsing: $0) }
        guard case .alert(let alert) = document else { throw CAPError.otherRoot("feed") }
        return alert
    }

    private func book(_ alerts: [CAPAlert], _ settings: Configuration.Warnings = .init()) -> WarningBook {
        alerts.reduce(into: WarningBook()) { $0.enter($1, Warning($1, of: source, settings), at: start) }
    }

    private func names(_ book: WarningBook, at minutes: Double = 0) -> [String] {
        var book = book
        return book.wanted(at: time(minutes)).plan.regions.values.map(\.name).sorted()
    }

    // MARK: What holds

    @Test func `a warning is shown until it expires`() throws {
        let book = book([try alert("flood")])
        #expect(names(book, at: 59.9) == ["flood"])
        #expect(names(book, at: 60) == [])
    }

    @Test func `a warning without an end is shown for a day, and none is shown longer than 30 days`() throws {
        let endless = book([try alert("flood", expires: nil)])
        #expect(names(endless, at: 24 * 60 - 1) == ["flood"] && names(endless, at: 24 * 60) == [])
        let text = "<info><language>en</language><expires>9999-12-31T23:59:59Z</expires><event>Drought</event>"
        let late = try alert("flood", more: "\(text)<area><polygon>\(ring)</polygon></area></info>")
        let long = book([late])
        #expect(names(long, at: 30 * 24 * 60 - 1) == ["Drought"] && names(long, at: 30 * 24 * 60) == [])
    }

    @Test func `an update replaces and a cancellation ends what it refers to, in any order`() throws {
        let alerts = [
            try alert("one"), try alert("two", sent: 1, "Update", of: [key("one")]), try alert("other"),
            try alert("end", sent: 2, "Cancel", of: [key("other")]),
        ]
        #expect(names(book(alerts)) == ["two"])
        #expect(names(book(alerts.reversed())) == ["two"])
        let last = try alert("end", sent: 3, "Cancel", of: [key("one"), key("two", 1)])
        #expect(names(book(alerts + [last])) == [])
    }

    @Test func `an exercise is not shown and ends nothing`() throws {
        let alerts = [
            try alert("one"), try alert("drill", status: "Exercise"),
            try alert("end", "Cancel", of: [key("one")], status: "Test"),
            try alert("ack", "Ack", of: [key("one")]), try alert("error", "Error", of: [key("one")]),
        ]
        #expect(names(book(alerts)) == ["one"])
    }

    @Test func `an alert that is cancelled by one of another sender, name or time stays`() throws {
        let others = ["t,one,\(start.rfc3339)", "s,two,\(start.rfc3339)", key("one", 1)]
        #expect(names(book([try alert("one"), try alert("end", "Cancel", of: others)])) == ["one"])
    }

    @Test func `an alert from the future is refused in words`() throws {
        var book = book([try alert("soon", sent: 25 * 60, expires: 26 * 60)])
        let counts = book.wanted(at: start).counts
        #expect(counts.warnings == 0 && counts.leftOut == 1)
        #expect(counts.reason == "an alert was sent more than a day ahead of this server's clock")
    }

    @Test func `what is over is not shown`() throws {
        let clear = "<responseType>AllClear</responseType><area><polygon>\(ring)</polygon></area>"
        #expect(names(book([try alert("over", area: clear)])) == [])
    }

    // MARK: What is shown

    @Test func `settings choose language, severity and area`() throws {
        let spanish =
            "<info><language>es-ES</language><headline>inundación</headline><severity>Minor</severity>"
            + "<area><polygon>\(ring)</polygon></area></info>"
        let flood = try alert("flood", more: spanish)
        var settings = Configuration.Warnings()
        #expect(names(book([flood], settings)) == ["flood"])
        settings.language = "es"
        #expect(names(book([flood], settings)) == ["inundación"])
        settings.minimum = .moderate
        #expect(names(book([flood], settings)) == [])
        settings.language = "ja"
        #expect(names(book([flood], settings)) == ["flood"])
        #expect(names(book([try alert("unsaid", severity: "Unknown")], settings)) == ["unsaid"])
        settings.area = BoundingBox(setting: "3,3,4,4")
        #expect(names(book([flood], settings)) == [])
        settings.area = BoundingBox(setting: "1.5,-170,4,1.5")
        #expect(names(book([flood], settings)) == ["flood"])
    }

    @Test func `each area is a region, and what is none is counted`() throws {
        let world = "<polygon>-80,-179 -80,179 80,179 80,-179</polygon>"
        let areas = "<area><polygon>\(ring)</polygon><circle>5,5 10</circle>\(world)<circle>5,5 900</circle></area>"
        var shown = book([try alert("flood", area: areas), try alert("coded", area: "<area></area>")])
        let (plan, counts) = shown.wanted(at: start)
        #expect(plan.regions.values.map(\.name).sorted() == ["flood (1)", "flood (2)"])
        #expect(counts.warnings == 1 && counts.regions == 2 && counts.refusedShapes == 2 && counts.withoutArea == 1)
        #expect(plan.regions.keys.allSatisfy { $0.hasPrefix("cap-") && $0.count <= 100 })
        let properties = try #require(plan.regions.values.first?.properties)
        let warning = try JSONValue(parsing: Array(properties.utf8))["warning"]
        #expect(warning?["severity"]?.string == "severe" && warning?["expires"]?.string == time(60).rfc3339)
    }

    @Test func `a warning of thousands of areas does not crowd out the others`() throws {
        let areas = "<area>" + String(repeating: "<polygon>\(ring)</polygon>", count: 5_000) + "</area>"
        let alerts = try (0..<20).map { try alert("flood \($0)", area: areas) }
        var crowded = book(alerts + [try alert("worse", severity: "Extreme")])
        let (plan, counts) = crowded.wanted(at: start)
        #expect(plan.regions.count <= WarningBook.regionLimit && counts.leftOut > 0 && counts.reason != nil)
        #expect(plan.regions.values.contains { $0.name == "worse" })
    }

    @Test func `what a feed's warnings hold together is bounded, and the worst keep their areas`() throws {
        let text = "<description>\(String(repeating: "ü", count: 3_000))</description>"
        let areas = "\(text)<area>" + String(repeating: "<polygon>\(ring)</polygon>", count: 100) + "</area>"
        let floods = try (0..<30).map { try alert("flood \($0)", area: areas) }
        let (first, last) = (try alert("worse", severity: "Extreme"), try alert("worst", severity: "Extreme"))
        var full = book([first] + floods + [last])
        #expect(full.size.regions > 100 && full.size.isWithin(WarningBook.sizeLimit))
        let (plan, counts) = full.wanted(at: start)
        #expect(plan.regions.values.filter { $0.severity == .extreme }.count == 2)
        #expect(plan.known.count == 32 && counts.leftOut >= 1_000)
    }

    @Test func `a warning that the settings leave out is known, so that its stored regions go`() throws {
        var settings = Configuration.Warnings()
        settings.minimum = .extreme
        var strict = book([try alert("flood")], settings)
        let plan = strict.wanted(at: time(59)).plan
        #expect(plan.regions.isEmpty && plan.known.map(\.identifier) == ["flood"])
        let later = strict.wanted(at: time(60)).plan
        #expect(later.known.isEmpty)
    }

    // MARK: Entries

    private func feed(_ entries: String) throws -> WarningFeed {
        let document = try Array("<feed>\(entries)</feed>".utf8).withUnsafeBytes { try WarningDocument(parsing: $0) }
        guard case .feed(let feed) = document else { throw CAPError.otherRoot("alert") }
        return feed
    }

    @Test func `an entry is followed once, again when it changes, and not forever in vain`() throws {
        var book = WarningBook()
        let entries = ["a", "b", "a"].map { "<entry><id>1</id><link href='\($0)'/></entry>" }.joined()
        var feed = try self.feed(entries)
        let found1 = book.entriesToFollow(of: feed).map(\.link)
        #expect(found1 == ["a", "b"])
        book.recordFollowed(feed.entries[0])
        for _ in 0..<WarningBook.attemptLimit {
            let found2 = book.entriesToFollow(of: feed).map(\.link)
            #expect(found2 == ["b"])
            book.recordUnread(feed.entries[1], "it answered 404")
        }
        let found3 = book.entriesToFollow(of: feed)
        #expect(found3 == [])
        let found4 = book.wanted(at: start).counts.unread
        #expect(found4 == 1)
        feed.entries[0].version = "2"
        let found5 = book.entriesToFollow(of: feed).map(\.link)
        #expect(found5 == ["a"])
        let found6 = try book.entriesToFollow(of: self.feed(""))
        #expect(found6 == [])
        let found7 = book.wanted(at: start).counts.unread
        #expect(found7 == 0)
    }

    @Test func `an alert that the service withholds is asked for again, after the others, until it comes`() throws {
        var book = WarningBook()
        let feed = try self.feed(["a", "b"].map { "<entry><id>1</id><link href='\($0)'/></entry>" }.joined())
        for _ in 0..<(WarningBook.attemptLimit * 2) {
            book.recordWithheld(feed.entries[0], "it answered 503")
            let waiting = book.entriesToFollow(of: feed).map(\.link)
            #expect(waiting == ["b", "a"])
        }
        let withheld = book.wanted(at: start).counts
        #expect(withheld.unread == 1 && withheld.reason == "it answered 503")
        book.recordFollowed(feed.entries[0])
        let waiting = book.entriesToFollow(of: feed).map(\.link)
        #expect(waiting == ["b"])
        let counts = book.wanted(at: start).counts
        #expect(counts.unread == 0)
    }

    @Test func `entries that are left out are counted`() throws {
        var book = WarningBook()
        let feed = try self.feed("<entry><id>1</id></entry>")
        let waiting = book.entriesToFollow(of: feed)
        #expect(waiting == [])
        let counts = book.wanted(at: start).counts
        #expect(counts.leftOut == 1 && counts.reason?.hasPrefix("the feed has entries without a link") == true)
    }

    @Test func `a feed is asked less often while it fails, and as late as it wishes within bounds`() {
        func pause(_ failures: Int, _ wished: Double? = nil, _ jitter: Double = 0) -> Double {
            WarningSchedule.pause(60, afterFailures: failures, retryAfter: wished, jitter: jitter)
        }
        #expect((0...6).map { pause($0) } == [60, 60, 120, 240, 480, 900, 900])
        #expect(pause(1_000) == 900 && pause(1, 300) == 300 && pause(1, 1_000_000) == 3_600)
        #expect(pause(0, nil, 0.5) == 63)
    }

    @Test func `a feed that fails for long is told of, once an hour`() {
        var status = WarningStatus(team: "north", host: "https://w.example", since: start)
        let told8 = status.recordFailure("it answered 503", at: time(1))
        #expect(!told8)
        #expect(!status.isSilent(at: time(9)))
        let told9 = status.recordFailure("it answered 503", at: time(12))
        #expect(told9)
        #expect(
            status.silence(at: time(12))
                == "warnings of https://w.example for north not heard for 12 min: it answered 503")
        let told10 = status.recordFailure("it answered 503", at: time(71))
        #expect(!told10)
        let told11 = status.recordFailure("it answered 503", at: time(72))
        #expect(told11)
        let told12 = status.recordSuccess(at: time(73))
        #expect(told12)
        #expect(!status.isSilent(at: time(200)) && status.heardAt == time(73))
    }

    @Test func `a setting names a team and a URL`() throws {
        let source = try Configuration.Warnings.Source("north=https://w.example/feed?a=b")
        #expect(source.team == "north" && source.url == "https://w.example/feed?a=b")
        let faults = ["https://w.example", "north=", "north=ftp://w.example", "no rth=https://w.example"].map { text in
            (#expect(throws: WarningSettingError.self) { try Configuration.Warnings.Source(text) })?.description
        }
        #expect(
            faults == [
                "a value is not of the form TEAM=URL", "a value is not of the form TEAM=URL",
                "the URL for the team north must begin with http:// or https://",
                "a value is not of the form TEAM=URL",
            ])
        for text in ["", "1,2,3", "1,2,3,x", "3,2,1,4", "-91,0,0,1", "0,-181,1,1", "0,1,2,1", "1,2,3,nan"] {
            #expect(BoundingBox(setting: text) == nil)
        }
    }
}

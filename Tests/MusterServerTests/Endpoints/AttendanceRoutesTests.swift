import HTTPTypes
import MusterCore
import MusterWire
import Testing

@testable import MusterServer

/// Attendance rules over HTTP.
@Suite struct AttendanceRoutesTests {
    private static let rules = "/teams/north/attendance-rules"
    private static let gate = rules + "/gate"
    private static let order = #"{"collection":"north","region":"yard","minimum":2,"afterSeconds":60,"role":"member"}"#

    private func withYard(_ body: @Sendable (Desk) async throws -> Void) async throws {
        let office = try await Office()
        try await office.open { desk in
            let yard = RegionsTests.feature("yard", properties: #"{"name":"Yard","muster":true}"#)
            #expect(try await desk.send(.put, RegionsTests.regions + "/yard", as: "lena", yard).status == 201)
            try await body(desk)
        }
    }

    @Test func `a leader sets a rule, and reads where the people are`() async throws {
        try await withYard { desk in
            let made = try await desk.send(.put, Self.gate, as: "lena", Self.order)
            #expect(made.status == 200, "\(made.text)")
            #expect(made.json["region"]?["name"]?.string == "Yard")
            #expect(made.json["unknownPeople"]?.elements?.compactMap(\.string) == ["mia", "max"])
            #expect(made.json["told"]?.boolean == false)
            #expect(made.json["certain"]?.boolean == false)
            for second in [70.0, 60, 50, 40, 30, 20, 10] {
                let report = desk.office.report("mia/phone", latitude: 45.05, secondsAgo: second)
                    .replacing(#""longitude":14"#, with: #""longitude":14.05"#)
                #expect(try await desk.send(.post, "/positions", as: "mia", report).status == 200)
            }
            let seen = try await desk.send(.get, Self.rules, as: "ann").json["items"]?.elements?.first
            #expect(seen?["presentPeople"]?.elements?.compactMap(\.string) == ["mia"])
            #expect(seen?["unknown"]?.integer == 1)
            let changes = try await desk.send(.get, "/changes?limit=1000", as: "lena").json["items"]?.elements ?? []
            let change = try #require(changes.first { $0["type"]?.string == "attendance" })
            #expect(change["happened"]?.string == "made")
            #expect(change["rule"]?.string == "gate")
            #expect(change["by"]?.string == "lena")
            #expect(try await desk.send(.delete, Self.gate, as: "lena").status == 204)
            #expect(try await desk.send(.get, Self.gate, as: "lena").status == 404)
            #expect(try await desk.send(.delete, Self.gate, as: "lena").status == 404)
        }
    }

    @Test func `only the team's leaders set a rule, and members and other teams never see it`() async throws {
        try await withYard { desk in
            for (name, status) in [("mia", 403), ("ann", 403), ("gus", 403), ("lars", 404), ("sue", 403)] {
                #expect(try await desk.send(.put, Self.gate, as: name, Self.order).status == status, "\(name)")
            }
            #expect(try await desk.send(.put, Self.gate, as: "admin", Self.order).status == 200)
            for (name, status) in [("lena", 200), ("ann", 200), ("mia", 403), ("lars", 404), ("sue", 403)] {
                #expect(try await desk.send(.get, Self.gate, as: name).status == status, "\(name)")
                let changes = try await desk.send(.get, "/changes?limit=1000", as: name).text
                #expect(changes.contains(#""type":"attendance""#) == (status == 200), "\(name)")
            }
        }
    }

    @Test func `a rule that cannot be decided is refused with every fault`() async throws {
        try await withYard { desk in
            func pointers(_ body: String) async throws -> [String] {
                let reply = try await desk.send(.put, Self.gate, as: "lena", body)
                #expect(reply.status == 422, "\(reply.text)")
                return reply.pointers
            }
            #expect(try await pointers("{}") == ["/collection", "/region", "/minimum"])
            #expect(
                try await pointers(#"{"collection":"north","region":"none","minimum":1.5}"#) == ["/region", "/minimum"])
            #expect(
                try await pointers(#"{"collection":"south","region":"yard","minimum":0,"role":"gateway"}"#)
                    == ["/region", "/role", "/minimum"])
            #expect(
                try await pointers(
                    #"{"collection":"north","region":"yard","minimum":1,"role":"member","person":"sue"}"#)
                    == ["/role", "/person"])
            // A fence of a raw collection that is no muster region proves nothing.
            _ = try await desk.send(.put, RegionsTests.regions + "/fence", as: "lena", RegionsTests.feature("fence"))
            #expect(try await pointers(#"{"collection":"north","region":"fence","minimum":1}"#) == ["/region"])
            #expect(try await desk.send(.put, Self.rules + "/a%20b", as: "lena", Self.order).pointers == ["/name"])
        }
    }

    @Test func `a schedule is read back as written, and impossible times are refused`() async throws {
        try await withYard { desk in
            func order(_ schedule: String, more: String = "") -> String {
                #"{"collection":"north","region":"yard","person":"mia","schedule":\#(schedule)\#(more)}"#
            }
            func schedule(_ zone: String, _ days: String, _ from: String, _ to: String) -> String {
                #"{"zone":"\#(zone)","windows":[{"days":[\#(days)],"from":"\#(from)","to":"\#(to)"}]}"#
            }
            let shift = schedule("Europe/Vienna", #""monday","friday""#, "22:00", "06:30")
            let made = try await desk.send(
                .put, Self.gate, as: "lena", order(shift, more: #","graceSeconds":600,"opensIncident":true"#))
            #expect(made.status == 200, "\(made.text)")
            #expect(made.json["schedule"].map { String(decoding: $0.bytes, as: UTF8.self) } == shift)
            #expect(made.json["person"]?.string == "mia")
            #expect(made.json["awaited"]?.elements?.isEmpty == true)
            for bad in [
                schedule("Vienna", #""monday""#, "22:00", "06:30"),
                schedule("../etc/x", #""monday""#, "22:00", "06:30"),
                schedule("Europe/Nowhere", #""monday""#, "22:00", "06:30"),
                schedule("UTC", #""someday""#, "22:00", "06:30"), schedule("UTC", "", "22:00", "06:30"),
                schedule("UTC", #""monday""#, "24:00", "06:30"), schedule("UTC", #""monday""#, "7:00", "06:30"),
                schedule("UTC", #""monday""#, "07:00", "24:01"), #"{"zone":"UTC"}"#, "3",
            ] {
                #expect(
                    try await desk.send(.put, Self.gate, as: "lena", order(bad)).pointers == ["/schedule"], "\(bad)")
            }
            let short = schedule("UTC", #""monday""#, "07:00", "07:10")
            #expect(
                try await desk.send(.put, Self.gate, as: "lena", order(short, more: #","minimum":1"#)).pointers
                    == ["/minimum", "/graceSeconds"])
        }
    }

    @Test func `the system's zones change their clocks`() {
        func hours(_ zone: String, _ seconds: Double) -> Double? {
            ZoneOffsets.system.secondsAhead(zone, Instant(seconds: seconds)).map { Double($0) / 3_600 }
        }
        // 2026-01-15 and 2026-07-15.
        #expect(hours("Europe/Vienna", 1_768_435_200) == 1)
        #expect(hours("Europe/Vienna", 1_784_073_600) == 2)
        #expect(hours("Australia/Lord_Howe", 1_768_435_200) == 11)
        #expect(hours("Australia/Lord_Howe", 1_784_073_600) == 10.5)
        #expect(hours("America/Argentina/Buenos_Aires", 0) == -3)
        #expect(hours("UTC", 0) == 0)
        #expect(hours("EST", 0) == nil)
    }
}

import HTTPTypes
import MusterCore
import MusterGeometry
import MusterStore
import MusterTestSupport
import MusterWire
import Testing

@testable import MusterNativeAPI
@testable import MusterServer

/// What a link shows to programs of maps: KML, by a token in the path, which only some links admit.
@Suite struct LinkMapTests {
    private func give(_ subject: String, kml: Bool = true, at desk: Desk) async throws -> (id: String, token: String) {
        let body = "{\(subject),\"expiresSeconds\":3600\(kml ? ",\"kml\":true" : "")}"
        let reply = try await desk.send(.post, "/links", as: "lena", body)
        try #require(reply.status == 201, "\(reply.text)")
        let token = String(try #require(reply.json["url"]?.string?.split(separator: "#").last))
        let map = reply.json["kmlURL"]?.string
        #expect(map?.hasSuffix("/api/v1/shared/\(token)/link.kml") ?? !kml)
        return (try #require(reply.json["link"]?.string), token)
    }

    private func see(_ token: String, at desk: Desk, _ headers: HTTPFields = [:]) async throws -> Desk.Reply {
        try await desk.send(.get, "/shared/\(token)/map.kml", headers: headers)
    }

    private static let aboutMia = #""kind":"person","user":"mia""#
    private static let over = "not valid any more"

    @Test func `a map shows a person's state in words, when they were there, and as of when`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let (_, token) = try await give(Self.aboutMia, at: desk)
            _ = try await desk.send(.post, "/positions", as: "mia", office.report("mia/phone"))
            let map = try await see(token, at: desk)
            #expect(map.status == 200 && map.headers[.contentType] == "application/vnd.google-earth.kml+xml")
            #expect(map.headers[.cacheControl] == "no-store")
            #expect(map.text.contains("<TimeStamp><when>\(office.clock.now.rfc3339)</when></TimeStamp>"))
            #expect(map.text.contains("mia, as of \(office.clock.now.rfc3339.prefix(10)) "))
            // Nobody is called unsafe while there is nothing to be safe from.
            #expect(!map.text.contains("<name>Not safe"))
            #expect(!map.text.contains("north") && !map.text.contains(token))
            let link = try await desk.send(.get, "/shared/\(token)/link.kml")
            #expect(link.text.contains("/api/v1/shared/\(token)/map.kml</href>"))
        }
    }

    @Test func `a map that has not changed is 304`() async throws {
        try await Office().open { desk in
            let (_, token) = try await give(Self.aboutMia, at: desk)
            let tag = try #require(try await see(token, at: desk).headers[.eTag])
            let same = try await see(token, at: desk, [.ifNoneMatch: tag])
            #expect(same.status == 304 && same.text.isEmpty)
        }
    }

    @Test func `a link that is over leaves a map that says so, as a token that never was`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let (id, token) = try await give(Self.aboutMia, at: desk)
            let (_, other) = try await give(#""kind":"person","user":"mia","note":"2""#, at: desk)
            #expect(!(try await see(token, at: desk)).text.contains(Self.over))
            #expect(try await desk.send(.delete, "/links/\(id)", as: "lena").status == 204)
            let ended = try await see(token, at: desk)
            #expect(ended.status == 200 && ended.text.contains(Self.over) && !ended.text.contains("<Placemark>"))
            #expect(ended.text == (try await see(SecretToken(.link).text, at: desk)).text)
            #expect(ended.text == (try await see("none", at: desk)).text)
            #expect(ended.text == (try await desk.send(.get, "/shared/\(token)/link.kml")).text)
            office.clock.advance(bySeconds: 3600)
            #expect(try await see(other, at: desk).text == ended.text)
        }
    }

    @Test func `a path admits no link that was given for its page alone`() async throws {
        try await Office().open { desk in
            let (_, token) = try await give(Self.aboutMia, kml: false, at: desk)
            #expect(try await desk.send(.get, "/shared", authorization: "Bearer \(token)").status == 200)
            #expect(try await see(token, at: desk).text.contains(Self.over))
            for _ in 0..<20 { #expect(try await see(token, at: desk).status == 200) }
            // A header opens a page, and no map.
            let header = try await desk.send(.get, "/shared/none/map.kml", authorization: "Bearer \(token)")
            #expect(header.text.contains(Self.over))
            for kind in [#""kind":"visitors","team":"north""#, #""kind":"invitation","user":"mia""#] {
                let body = "{\(kind),\"expiresSeconds\":60,\"kml\":true}"
                let refused = try await desk.send(.post, "/links", as: "lena", body)
                #expect(refused.status == 422 && refused.pointers == ["/kml"], "\(refused.text)")
            }
            let listed = try await desk.send(.get, "/links", as: "lena").json["items"]?.elements
            #expect(listed?.compactMap { $0["kml"]?.boolean }.isEmpty == true)
        }
    }

    @Test func `the map of a person who does not change says each minute that it is alive`() {
        let safety = Safety(state: .safe, since: Instant(milliseconds: 1))
        let named = NamedSafety(safety, region: nil, markedBy: nil, acknowledgedBy: nil)
        let person = SharedContent.Person(name: "mia", safety: named, showsSafety: true, heard: nil, located: nil)
        let link = Link(
            Link.Purpose(.person), key: [], giver: UserNumber(1), note: "", createdAt: Instant(milliseconds: 0),
            expiresAt: Instant(milliseconds: 600_000))
        var content = SharedContent()
        content.person = person
        let maps = [60_000, 119_999, 120_000].map { moment in
            SharedMap(of: link, at: Instant(milliseconds: moment)).document(showing: content)
        }
        #expect(maps[0] == maps[1] && maps[1] != maps[2])
        #expect(String(decoding: maps[2], as: UTF8.self).contains("mia, as of 1970-01-01 00:02 UTC"))
    }

    @Test func `an old place says of when it is, and one of any accuracy is drawn`() {
        let safety = Safety(state: .sos, since: Instant(milliseconds: 7_200_000))
        let named = NamedSafety(safety, region: nil, markedBy: nil, acknowledgedBy: nil)
        let measured = Instant(milliseconds: 60_000)
        let link = Link(
            Link.Purpose(.person), key: [], giver: UserNumber(1), note: "", createdAt: Instant(milliseconds: 0),
            expiresAt: Instant(milliseconds: 9_000_000))
        for accuracy in [8, 1e300] {
            let position = Position(
                coordinate: Coordinate(validLatitude: 46, longitude: 14), sampleTime: measured, receivedTime: measured,
                accuracy: Metres(accuracy))
            var content = SharedContent()
            content.person = SharedContent.Person(
                name: "mia", safety: named, showsSafety: true, heard: measured, located: (position, measured))
            let file = SharedMap(of: link, at: Instant(milliseconds: 7_260_000)).document(showing: content)
            let map = String(decoding: file, as: UTF8.self)
            #expect(map.contains("SOS: mia, as of 1970-01-01 02:01 UTC, place of 1970-01-01 00:01 UTC</name>"))
        }
    }

    @Test func `an incident's map has the roll, those to look for first`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let started = try await desk.send(.post, "/teams/north/incidents", as: "lena", #"{"kind":"drill"}"#)
            let number = try #require(started.json["number"]?.integer)
            let (_, token) = try await give(#""kind":"incident","incident":\#(number)"#, at: desk)
            let map = try await see(token, at: desk)
            #expect(map.text.contains("<name>Drill \(number) of north, as of "))
            #expect(map.text.contains("<name>Unaccounted (") && map.text.contains("0 of "))
            #expect(map.text.contains(": mia") && !map.text.contains("<Point>"))
            #expect(!map.text.contains("<name>Safe"))
        }
    }

    @Test(arguments: [
        (Safety.State.safe, Doubt?.some(.stale), true, "Checking, not heard lately"), (.safe, nil, true, "Safe"),
        (.safe, .checking, false, "Checking"), (.unsafe, nil, false, "Located"), (.unsafe, nil, true, "Not safe"),
        (.unknown, .stale, true, "Unknown, not heard lately"), (.sos, nil, false, "SOS"),
    ])
    func `doubt is in words, and never reads as safe`(
        _ state: Safety.State, _ doubt: Doubt?, _ showsSafety: Bool, _ words: String
    ) {
        var safety = Safety(state: state, since: Instant(milliseconds: 1))
        safety.doubt = doubt
        #expect(ShownState(safety, showsSafety: showsSafety).words(safety) == words)
    }
}

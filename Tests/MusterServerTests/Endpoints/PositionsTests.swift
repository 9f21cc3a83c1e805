import HTTPTypes
import HummingbirdTesting
import MusterCore
import MusterStore
import MusterWire
import NIOCore
import Testing

@testable import MusterHTTP
@testable import MusterServer

@Suite struct PositionsTests {
    @Test func `one position, an array and lines are taken, and the receipt counts them`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let one = try await desk.send(.post, "/positions", as: "mia", office.report("phone", secondsAgo: 9))
            #expect(one.json["accepted"]?.integer == 1)
            let array = (1...3).map { office.report("phone", secondsAgo: Double(9 - $0)) }.joined(separator: ",")
            let many = try await desk.send(.post, "/positions", as: "mia", "[\(array)]")
            #expect(many.json["accepted"]?.integer == 3)
            let again = try await desk.send(.post, "/positions", as: "mia", "[\(array)]")
            #expect(again.json["repeated"]?.integer == 3)
            #expect(again.json["sequence"]?.integer == many.json["sequence"]?.integer)
            let lines = (4...5).map { office.report("mia/phone", secondsAgo: Double(9 - $0)) }.joined(separator: "\n")
            let both = try await desk.send(.post, "/positions", as: "mia", lines, type: "application/x-ndjson")
            #expect(both.json["accepted"]?.integer == 2)
            let late = try await desk.send(.post, "/positions", as: "mia", office.report("phone", secondsAgo: 100))
            #expect(late.json["late"]?.integer == 1)
            #expect(try await desk.send(.post, "/positions", as: "mia", "[]").json["accepted"]?.integer == 0)
        }
    }

    @Test func `a packed body is unpacked, and a bomb is not`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let key = "Bearer \(office.keys["mia"] ?? "")"
            let body = ByteBuffer(string: "[" + office.report("phone") + String(repeating: " ", count: 1000) + "]")
            let packed = try #require(Gzip.pack(body))
            let reply = try await desk.send(
                .post, "/positions", authorization: key, body: packed, headers: [.contentEncoding: "gzip"])
            #expect(reply.json["accepted"]?.integer == 1)
            let bomb = try #require(Gzip.pack(ByteBuffer(repeating: 0x20, count: 9 << 20)))
            #expect(bomb.readableBytes < 100_000)
            let refused = try await desk.send(
                .post, "/positions", authorization: key, body: bomb, headers: [.contentEncoding: "gzip"])
            #expect(refused.status == 413)
            let cut = try #require(packed.getSlice(at: 0, length: packed.readableBytes - 8))
            let damaged = try await desk.send(
                .post, "/positions", authorization: key, body: cut, headers: [.contentEncoding: "gzip"])
            #expect(damaged.status == 400)
            let unknown = try await desk.send(
                .post, "/positions", authorization: key, body: packed, headers: [.contentEncoding: "br"])
            #expect(unknown.status == 415)
        }
    }

    /// What is wrong, the status, and the places named.
    static let bad: [(body: String, status: Int, pointers: [String])] = [
        ("", 400, [""]),
        ("{", 400, [""]),
        ("garbage", 400, [""]),
        ("{}", 422, ["/latitude", "/longitude", "/sampleTime"]),
        ("[1]", 422, ["/0"]),
        ("null", 422, [""]),
        (#"{"device":"phone","latitude":91,"longitude":-181,"sampleTime":"NOW"}"#, 422, ["/latitude", "/longitude"]),
        (#"{"device":"phone","latitude":NaN,"longitude":14,"sampleTime":"NOW"}"#, 400, ["/latitude"]),
        (#"{"device":"phone","latitude":1e999,"longitude":14,"sampleTime":"NOW"}"#, 422, ["/latitude"]),
        (#"{"device":"phone","latitude":"45","longitude":14,"sampleTime":"NOW"}"#, 422, ["/latitude"]),
        (#"{"device":"phone","latitude":45,"longitude":14,"sampleTime":"yesterday"}"#, 422, ["/sampleTime"]),
        (#"{"device":"phone","latitude":45,"longitude":14,"sampleTime":"1969-12-31T23:59:59Z"}"#, 422, ["/sampleTime"]),
        (#"{"device":"phone","latitude":45,"longitude":14,"sampleTime":"2099-01-01T00:00:00Z"}"#, 422, ["/sampleTime"]),
        (#"{"device":"phone","latitude":45,"longitude":14,"sampleTime":"NOW","accuracy":-1}"#, 422, ["/accuracy"]),
        (#"{"device":"watch","latitude":45,"longitude":14,"sampleTime":"NOW"}"#, 422, ["/device"]),
        (#"{"device":"sue/phone","latitude":45,"longitude":14,"sampleTime":"NOW"}"#, 422, ["/device"]),
        (#"{"device":"a/b/c","latitude":45,"longitude":14,"sampleTime":"NOW"}"#, 422, ["/device"]),
        (#"{"latitude":45,"longitude":14,"sampleTime":"NOW"}"#, 422, ["/device"]),
        (
            #"""
            [{"device":"phone","latitude":45,"longitude":14,"sampleTime":"NOW"},
             {"device":"watch","latitude":45,"longitude":14,"sampleTime":"NOW"}]
            """#,
            422, ["/1/device"]
        ),
    ]

    @Test(arguments: bad.indices)
    func `an invalid position is named with its place, and nothing is stored`(_ index: Int) async throws {
        let (template, status, pointers) = Self.bad[index]
        let office = try await Office()
        let body = template.replacing("NOW", with: office.clock.now.rfc3339)
        let before = office.coordinator.lastSequence
        try await office.open { desk in
            let reply = try await desk.send(.post, "/positions", as: "mia", body)
            #expect(reply.status == status, "\(reply.text)")
            #expect(reply.pointers == pointers, "\(reply.text)")
            #expect(reply.headers[.contentType] == "application/problem+json")
            #expect(office.store.lastSequence == before)
        }
    }

    @Test func `nesting without end, wrong encodings and 1,001 positions are refused`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let deep = String(repeating: "[", count: 100_000)
            #expect(try await desk.send(.post, "/positions", as: "mia", deep).status < 500)
            let attributes = String(repeating: #"{"a":"#, count: 40) + "1" + String(repeating: "}", count: 40)
            let nested = #"{"latitude":1,"longitude":1,"attributes":\#(attributes)}"#
            #expect(try await desk.send(.post, "/positions", as: "mia", nested).status == 400)
            let key = "Bearer \(office.keys["mia"] ?? "")"
            let latin = ByteBuffer(bytes: Array(#"{"device":"caf"#.utf8) + [0xE9] + Array(#""}"#.utf8))
            #expect(try await desk.send(.post, "/positions", authorization: key, body: latin).status == 400)
            let wide = ByteBuffer(bytes: "{}".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
            #expect(try await desk.send(.post, "/positions", authorization: key, body: wide).status == 400)
            let form = try await desk.send(
                .post, "/positions", as: "mia", "latitude=1", type: "application/x-www-form-urlencoded")
            #expect(form.status == 415)
            let many = "[" + Array(repeating: office.report("phone"), count: 1001).joined(separator: ",") + "]"
            #expect(try await desk.send(.post, "/positions", as: "mia", many).status == 422)
        }
    }

    @Test func `a body of ten megabytes is refused over a socket too, and the next request is answered`() async throws {
        let office = try await Office()
        try await office.open(.ahc()) { desk in
            let key = "Bearer \(office.keys["mia"] ?? "")"
            let large = ByteBuffer(repeating: 0x20, count: 10 << 20)
            // A server may answer and close before it was told everything.
            let refusal = await Result.of { try await desk.send(.post, "/positions", authorization: key, body: large) }
            if case .success(let reply) = refusal { #expect(reply.status == 413) }
            let next = try await desk.send(.post, "/positions", as: "mia", office.report("phone"))
            #expect(next.status == 200)
        }
    }

    @Test func `times are taken from the retention's beginning to a minute ahead`() async throws {
        let office = try await Office(retentionDays: 1)
        try await office.open { desk in
            for (seconds, status) in [(-60.0, 200), (-60.1, 422), (86_400, 200), (86_400.1, 422)] {
                let reply = try await desk.send(
                    .post, "/positions", as: "mia", office.report("phone", secondsAgo: seconds))
                #expect(reply.status == status, "\(seconds)")
                #expect(reply.pointers == (status == 200 ? [] : ["/sampleTime"]))
            }
        }
    }

    @Test func `history comes in pages that join without a gap, and whole in every form`() async throws {
        let office = try await Office()
        try await office.open { desk in
            for start in stride(from: 0, to: 2500, by: 500) {
                let positions = (start..<start + 500).map { office.report("phone", secondsAgo: Double(3000 - $0)) }
                let body = "[" + positions.joined(separator: ",") + "]"
                #expect(try await desk.send(.post, "/positions", as: "mia", body).json["accepted"]?.integer == 500)
            }
            let path = "/users/mia/devices/phone/positions"
            var times: [String] = []
            var cursor: String?
            repeat {
                let query = "?limit=1000" + (cursor.map { "&cursor=\($0)" } ?? "")
                let page = try await desk.send(.get, path + query, as: "lena").json
                times += page["items"]?.elements?.compactMap { $0["sampleTime"]?.string } ?? []
                cursor = page["nextCursor"]?.string
            } while cursor != nil
            #expect(times.count == 2500)
            #expect(times == times.sorted())
            #expect(Set(times).count == 2500)
            let exact = try await desk.send(.get, path + "?limit=100&from=\(times[2400])", as: "mia").json
            #expect(exact["items"]?.elements?.count == 100)
            #expect(exact["nextCursor"] == nil)
            let lines = try await desk.send(.get, path + "?format=ndjson", as: "mia")
            #expect(lines.text.split(separator: "\n").count == 2500)
            let features = try await desk.send(.get, path, as: "mia", headers: [.accept: "application/geo+json"])
            #expect(features.json["features"]?.elements?.count == 2500)
            #expect(features.headers[.contentType] == "application/geo+json")
            let table = try await desk.send(.get, path + "?format=csv&to=\(times[10])", as: "mia")
            #expect(table.text.split(separator: "\r\n").count == 11)
            let track = try await desk.send(.get, path + "?format=gpx", as: "mia")
            #expect(track.text.components(separatedBy: "<trkpt").count == 2501)
            for query in ["?format=xml", "?limit=0", "?limit=x", "?from=then", "?cursor=nonsense"] {
                let reply = try await desk.send(.get, path + query, as: "mia")
                #expect(reply.status == 422)
                #expect(reply.pointers == ["?" + query.dropFirst().prefix { $0 != "=" }])
            }
        }
    }
}

extension Result where Failure == any Error {
    fileprivate static func of(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [Substring] { split(separator: separator) }
}

import Foundation
import MusterCore
import MusterTerminal
import NIOCore
import NIOPosix

/// A client that repeats the same requests over several connections at a time.
struct Attackers: Attacker {
    let name: String
    /// Connections at a time.
    let lanes: Int
    let pause: Duration
    /// Sent in turn.
    let requests: [ByteBuffer]
    /// The byte that is sent once a second after each request.
    var drip: UInt8?
    /// Seconds after which a request without an answer is given up.
    var timeoutSeconds: Int64 = 10
    let once: OneRequest

    func run(until end: ContinuousClock.Instant) async -> AttackTally {
        await withTaskGroup(of: AttackTally.self) { tasks in
            for lane in 0..<lanes { tasks.addTask { await run(lane, until: end) } }
            return await tasks.reduce(into: AttackTally()) { $0.merge($1) }
        }
    }

    /// Sends requests on one connection after another, and counts the answers by status.
    private func run(_ lane: Int, until end: ContinuousClock.Instant) async -> AttackTally {
        var tally = AttackTally()
        var turn = lane
        while ContinuousClock.now < end {
            let answer = try? await once.send(
                requests[turn % requests.count], drip: drip, atMostSeconds: timeoutSeconds)
            switch answer?.status {
            case .some(let status): tally.count(status < 300 ? .answered : .refused, String(status))
            case nil: tally.count(.unanswered, "none")
            }
            turn += lanes
            try? await Task.sleep(for: pause)
        }
        return tally
    }
}

extension Attackers {
    private static let database = "/couchdb/lt_locations_user_mallory"

    private static func request(_ method: String, _ path: String, _ body: String, _ token: String) -> ByteBuffer {
        HTTPAnswer.request(method, database + path, token: token, body: Array(body.utf8), from: Mallory.address)
    }

    /// The path of all that the member's documents hold.
    static let download = database + "/_all_docs?include_docs=true"

    /// Stores the member's documents: areas that are costly to compare, and texts.
    static func storeDocuments(of mallory: Mallory, _ once: OneRequest) async throws {
        let made = try await once.send(request("POST", "/_bulk_docs", documents, mallory.token))
        guard made.status == 201 else { throw CommandFailure("the documents were refused: \(made.status)") }
    }

    /// A polygon of teeth, which crosses another of teeth that stand across it in as many points as both have teeth.
    private static func comb(_ teeth: Int, isAcross: Bool) -> String {
        var corners = (0...2 * teeth).map { (Double($0) / Double(2 * teeth), $0 % 2 == 0 ? 0.01 : 1.0) }
        corners += [(0.5, -0.1), corners[0]]
        return corners.map { isAcross ? "\($1) \($0)" : "\($0) \($1)" }.joined(separator: ",")
    }

    private static let documents: String = {
        let ring = comb(3_000, isAcross: true).split(separator: ",")
            .map { "[\($0.replacingOccurrences(of: " ", with: ","))]" }.joined(separator: ",")
        let combs = (0..<20).map {
            #"{"_id":"comb\#($0)","type":"Feature","geometry":{"type":"Polygon","coordinates":[[\#(ring)]]}}"#
        }
        let text = String(repeating: "a", count: 60)
        return #"{"docs":["#
            + (combs + (0..<500).map { #"{"_id":"d\#($0)","text":"\#(text)!"}"# }).joined(separator: ",") + "]}"
    }()

    /// Queries, feeds, relations of areas, large bodies and downloads.
    static func member(_ mallory: Mallory, _ once: OneRequest) async throws -> [Attackers] {
        try await storeDocuments(of: mallory, once)
        let token = mallory.token
        let patterns = (0..<300).map { #"{"text":{"$regex":"(a|aa)+(b|c\#($0)|[d-z])"}}"# }.joined(separator: ",")
        let selector = #"{"$or":[\#(patterns)]}"#
        let find = request("POST", "/_find", #"{"selector":\#(selector)}"#, token)
        let feed = request(
            "POST", "/_changes?feed=continuous&filter=_selector&heartbeat=1000", #"{"selector":\#(selector)}"#, token)
        let area = comb(300, isAcross: false).replacingOccurrences(of: " ", with: "%20")
        let search = request(
            "GET", "/_design/points/_geo/pointidx?relation=touches&g=POLYGON((\(area)))", "", token)
        let text = String(repeating: "x", count: 4_000_000)
        let large = request("POST", "/_bulk_docs", #"{"docs":[{"text":"\#(text)"}],"new_edits":5}"#, token)
        let downloads = ["/_all_docs?include_docs=true", "/_changes?include_docs=true&style=all_docs"]
            .map { request("GET", $0, "", token) }
        let pause = Duration.milliseconds(20)
        return [
            Attackers(name: "member, _find", lanes: 8, pause: pause, requests: [find], once: once),
            Attackers(name: "member, feeds", lanes: 60, pause: pause, requests: [feed], once: once),
            Attackers(name: "member, _geo", lanes: 8, pause: pause, requests: [search], once: once),
            Attackers(name: "member, bodies", lanes: 4, pause: pause, requests: [large], once: once),
            Attackers(name: "member, downloads", lanes: 8, pause: pause, requests: downloads, once: once),
        ]
    }

    /// Wrong passwords for the leaders, garbage, slow heads and bodies, and unknown tokens.
    static func stranger(_ once: OneRequest) -> [Attackers] {
        var random = BenchRandom(seed: 3)
        let signIns = (0..<2_000).map { number in
            HTTPAnswer.request(
                "POST", "/api/v1/session", token: "",
                body: Array(#"{"name":"leader\#(number % 4)","password":"wrong \#(number)"}"#.utf8),
                from: "198.\(random.next() % 200).\(random.next() % 250).\(number % 250)")
        }
        let garbage = (0..<50).map { _ in ByteBuffer(bytes: (0..<2_000).map { _ in UInt8(random.next() % 256) }) }
        let head = ByteBuffer(string: "GET /health HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 198.51.100.7\r\nX-A: ")
        let body = ByteBuffer(
            string: "POST /tracking/v0/trackers/t/positions HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n"
                + "X-Forwarded-For: 198.51.100.8\r\nX-Amz-Date: 20260101T000000Z\r\nAuthorization: AWS4-HMAC-SHA256 "
                + "Credential=AKIAIOSFODNN7EXAMPLE/20260101/us-east-1/geo/aws4_request, "
                + "SignedHeaders=host;x-amz-date, Signature=" + String(repeating: "0", count: 64) + "\r\n\r\n{")
        let page = HTTPAnswer.request("GET", "/api/v1/users", token: "no-such-token", body: [], from: "198.51.100.9")
        let pause = Duration.milliseconds(20)
        return [
            Attackers(name: "stranger, sign-ins", lanes: 40, pause: pause, requests: signIns, once: once),
            Attackers(name: "stranger, garbage", lanes: 8, pause: pause, requests: garbage, once: once),
            Attackers(
                name: "stranger, slow heads", lanes: 200, pause: pause, requests: [head], drip: 0x62,
                timeoutSeconds: 60,
                once: once),
            Attackers(
                name: "stranger, AWS bodies", lanes: 20, pause: pause, requests: [body], drip: 0x62, once: once),
            Attackers(name: "stranger, unknown tokens", lanes: 8, pause: pause, requests: [page], once: once),
        ]
    }
}

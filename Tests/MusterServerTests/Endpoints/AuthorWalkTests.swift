import HTTPTypes
import MusterCore
import MusterStore
import MusterWire
import Testing

@testable import MusterServer

/// Every route that changes something, of every endpoint: who did it stands in the audit log.
@Suite struct AuthorWalkTests {
    /// What is done, in this order; each line is audited as its author's.
    private static let steps: [(line: String, path: String, body: String, author: String)] = [
        step("POST /users", #"{"name":"new","role":"member"}"#),
        step("PATCH /users/{user}", "/users/new", #"{"team":"north"}"#),
        step("PUT /users/{user}/password", "/users/new/password", #"{"password":"long enough"}"#),
        step("POST /teams", #"{"name":"west"}"#),
        step("PATCH /teams/{team}", "/teams/west", #"{"silenceSeconds":600}"#),
        step("POST /teams/{team}/crews", "/teams/west/crews", #"{"name":"Engine 3"}"#),
        step("PATCH /teams/{team}/crews/{crew}", "/teams/west/crews/Engine%203", #"{"name":"Engine 4"}"#),
        step("DELETE /teams/{team}/crews/{crew}", "/teams/west/crews/Engine%204"),
        step("POST /users/{user}/declarations", "/users/mia/declarations", #"{"kind":"safe"}"#),
        step(
            "PUT /users/{user}/check-in-timer", "/users/mia/check-in-timer",
            #"{"intervalSeconds":600,"sampleTime":"2023-11-14T22:12:00Z"}"#),
        step("POST /users/{user}/check-ins", "/users/mia/check-ins", "{}"),
        step("DELETE /users/{user}/check-in-timer", "/users/mia/check-in-timer"),
        step("POST /teams/{team}/incidents", "/teams/north/incidents", #"{"kind":"drill"}"#),
        step("POST /incidents/{incident}/roll", "/incidents/1/roll", #"{"name":"a visitor"}"#),
        step("POST /incidents/{incident}/roll/{person}/mark", "/incidents/1/roll/-1/mark", #"{"state":"safe"}"#),
        step("POST /incidents/{incident}/roll/{person}/removal", "/incidents/1/roll/-1/removal", #"{"reason":"x"}"#),
        step("POST /incidents/{incident}/par", "/incidents/1/par", "{}"),
        step("PUT /incidents/{incident}/par", "/incidents/1/par", #"{"everySeconds":900}"#),
        step("POST /incidents/{incident}/par/reports", "/incidents/1/par/reports", #"{"present":1}"#),
        step("POST /incidents/{incident}/handover", "/incidents/1/handover", #"{"to":"lena"}"#),
        step("POST /incidents/{incident}/close", "/incidents/1/close", #"{"reason":"x"}"#),
        step("POST /incidents/{incident}/reopen", "/incidents/1/reopen", #"{"reason":"x"}"#),
        step("POST /users/{user}/devices", "/users/mia/devices", #"{"name":"tablet"}"#),
        step("POST /users/{user}/devices/{device}/token", "/users/mia/devices/tablet/token"),
        step("DELETE /users/{user}/devices/{device}/token", "/users/mia/devices/tablet/token"),
        step(
            "PUT /users/{user}/devices/{device}/encryption-key", "/users/mia/devices/tablet/encryption-key",
            #"{"key":"a key"}"#),
        step("DELETE /users/{user}/devices/{device}/encryption-key", "/users/mia/devices/tablet/encryption-key"),
        step(
            "POST /users/{user}/devices/{device}/owner", "/users/mia/devices/tablet/owner", #"{"to":"max"}"#),
        step("DELETE /users/{user}/devices/{device}", "/users/max/devices/tablet"),
        step("POST /collections", #"{"name":"yard"}"#),
        step("PATCH /collections/{collection}", "/collections/yard", #"{"policy":"raw"}"#),
        step("POST /collections/{collection}/regions", "/collections/yard/regions", RegionsTests.feature("a")),
        step(
            "PUT /collections/{collection}/regions/{region}", "/collections/yard/regions/b", RegionsTests.feature("b")),
        step(
            "PUT /collections/{collection}/regions/{region}", "/collections/yard/regions/c",
            RegionsTests.feature("c", properties: #"{"muster":true}"#)),
        step(
            "PUT /teams/{team}/attendance-rules/{rule}", "/teams/north/attendance-rules/gate",
            #"{"collection":"yard","region":"c","minimum":1}"#),
        step("DELETE /teams/{team}/attendance-rules/{rule}", "/teams/north/attendance-rules/gate"),
        step(
            "PUT /teams/{team}/proximity-rules/{rule}", "/teams/north/proximity-rules/near",
            #"{"centrePerson":"mia","radiusMetres":50,"demand":"fence"}"#),
        step("DELETE /teams/{team}/proximity-rules/{rule}", "/teams/north/proximity-rules/near"),
        step("DELETE /collections/{collection}/regions/{region}", "/collections/yard/regions/b"),
        step("DELETE /collections/{collection}", "/collections/yard"),
        step("POST /trackers", #"{"name":"spare"}"#),
        step("PATCH /trackers/{tracker}", "/trackers/spare", #"{"filter":"none"}"#),
        step("DELETE /trackers/{tracker}", "/trackers/spare"),
        step("POST /targets", #"{"name":"hook","kind":"webhook","url":"https://hooks.example/x"}"#),
        step("PATCH /targets/{target}", "/targets/hook", #"{"enabled":true,"byHand":true}"#),
        step("POST /targets/{target}/secret", "/targets/hook/secret"),
        step("POST /targets/{target}/test", "/targets/hook/test"),
        step("POST /targets/{target}/run", "/targets/hook/run"),
        step("POST /rules", #"{"name":"r","pattern":{"source":["x"]},"targets":[{"target":"hook"}]}"#),
        step("PATCH /rules/{rule}", "/rules/r", #"{"description":"x"}"#),
        step("DELETE /rules/{rule}", "/rules/r"),
        step("DELETE /targets/{target}", "/targets/hook"),
        step("POST /users/{user}/location-request", "/users/mia/location-request"),
        step("POST /keys", #"{"label":"x","user":"mia"}"#),
        step("POST /links", #"{"kind":"person","user":"mia","expiresSeconds":60}"#),
        step("POST /signing-keys/{use}", "/signing-keys/access-tokens"),
        step("DELETE /teams/{team}", "/teams/west"),
        step("DELETE /users/{user}", "/users/new"),
        ("PUT /api/users/{account}", "//api/users/ned", #"{"username":"ned","password":"a password"}"#, "admin"),
        (
            "PUT /api/v1/users/{user}/devices/{device}/range-tag", "/users/mia/devices/phone/range-tag",
            #"{"secret":"\#(String(repeating: "0123456789abcdef", count: 4))"}"#, "mia"
        ),
        ("DELETE /api/v1/users/{user}/devices/{device}/range-tag", "/users/mia/devices/phone/range-tag", "", "mia"),
        // A device that its phone names for the first time is made.
        ("POST /owntracks", "//owntracks?d=fresh", #"{"_type":"lwt","tst":1}"#, "mia"),
        ("POST /pub", "//pub?d=fresher", #"{"_type":"lwt","tst":1}"#, "mia"),
        ("POST /owntracks/{path...}", "//owntracks/mia/freshest", #"{"_type":"lwt","tst":1}"#, "mia"),
        ("POST /pub/{path...}", "//pub/mia/newest", #"{"_type":"lwt","tst":1}"#, "mia"),
        document("PUT /{db}", "//notes"),
        document("PUT /{db}/_security", "//notes/_security", #"{"members":{"names":[],"roles":["member"]}}"#),
        document("PUT /{db}/_revs_limit", "//notes/_revs_limit", "100"),
        document("POST /{db}", "//notes", #"{"a":1}"#),
        document("PUT /{db}/{document}", "//notes/a", "{}"),
        document("POST /{db}/_bulk_docs", "//notes/_bulk_docs", #"{"docs":[{"_id":"b"}]}"#),
        document("PUT /{db}/{document}/{attachment...}", "//notes/c/file.txt", "{}"),
        document("PUT /{db}/_design/{document}", "//notes/_design/d", #"{"language":"query"}"#),
        document("POST /{db}/_compact", "//notes/_compact"),
        document("POST /{db}/_purge", "//notes/_purge", #"{"none":["1-967a00dff5e02add41819138abb3284d"]}"#),
        document("POST /{db}/_index", "//notes/_index", #"{"index":{"fields":["a"]},"ddoc":"i","name":"n"}"#),
        document("DELETE /{db}/_index/{document}/json/{index}", "//notes/_index/i/json/n", ""),
        document("DELETE /{db}", "//notes", ""),
    ]

    private static func step(
        _ line: String, _ path: String, _ body: String = ""
    ) -> (line: String, path: String, body: String, author: String) {
        // With one text, the path is the line's own and the text is the body.
        guard path.hasPrefix("/") else {
            let own = String(line.split(separator: " ")[1])
            return (native(line), own, path, "admin")
        }
        return (native(line), path, body, "admin")
    }

    private static func native(_ line: String) -> String { line.replacing(" /", with: " /api/v1/") }

    private static func document(
        _ line: String, _ path: String, _ body: String = "{}"
    ) -> (line: String, path: String, body: String, author: String) { (line, path, body, "admin") }

    /// What AWS's clients do.
    private static let signed: [(line: String, path: String, body: String)] = [
        ("POST /tracking/v0/trackers", "/tracking/v0/trackers", #"{"TrackerName":"east"}"#),
        ("PATCH /tracking/v0/trackers/{tracker}", "/tracking/v0/trackers/east", #"{"Description":"x"}"#),
        ("POST /geofencing/v0/collections", "/geofencing/v0/collections", #"{"CollectionName":"fences"}"#),
        (
            "PATCH /geofencing/v0/collections/{collection}", "/geofencing/v0/collections/fences",
            #"{"Description":"x"}"#
        ),
        (
            "PUT /geofencing/v0/collections/{collection}/geofences/{region}",
            "/geofencing/v0/collections/fences/geofences/a", #"{"Geometry":{"Circle":{"Center":[14,45],"Radius":50}}}"#
        ),
        (
            "POST /geofencing/v0/collections/{collection}/put-geofences",
            "/geofencing/v0/collections/fences/put-geofences",
            #"{"Entries":[{"GeofenceId":"b","Geometry":{"Circle":{"Center":[14,45],"Radius":50}}}]}"#
        ),
        (
            "POST /geofencing/v0/collections/{collection}/delete-geofences",
            "/geofencing/v0/collections/fences/delete-geofences", #"{"GeofenceIds":["b"]}"#
        ),
        (
            "POST /tracking/v0/trackers/{tracker}/consumers", "/tracking/v0/trackers/east/consumers",
            #"{"ConsumerArn":"\#(arn)"}"#
        ),
        (
            "DELETE /tracking/v0/trackers/{tracker}/consumers/{arn}",
            "/tracking/v0/trackers/east/consumers/\(encodedARN)", ""
        ),
        ("POST /tags/{arn}", "/tags/\(encodedARN)", #"{"Tags":{"a":"b"}}"#),
        ("DELETE /tags/{arn}", "/tags/\(encodedARN)?tagKeys=a", ""),
        (
            "POST /tracking/v0/trackers/{tracker}/positions", "/tracking/v0/trackers/east/positions",
            #"{"Updates":[{"DeviceId":"d","Position":[14,45],"SampleTime":"NOW"}]}"#
        ),
        (
            "POST /tracking/v0/trackers/{tracker}/delete-positions", "/tracking/v0/trackers/east/delete-positions",
            #"{"DeviceIds":["d"]}"#
        ),
        (
            "POST /geofencing/v0/collections/{collection}/positions", "/geofencing/v0/collections/fences/positions",
            #"{"DevicePositionUpdates":[{"DeviceId":"e","Position":[14,45],"SampleTime":"NOW"}]}"#
        ),
        ("DELETE /geofencing/v0/collections/{collection}", "/geofencing/v0/collections/fences", ""),
        ("DELETE /tracking/v0/trackers/{tracker}", "/tracking/v0/trackers/east", ""),
    ]
    private static let arn = "arn:aws:geo:us-east-1:000000000000:geofence-collection/fences"
    private static let encodedARN = "arn%3Aaws%3Ageo%3Aus-east-1%3A000000000000%3Ageofence-collection%2Ffences"

    /// What AWS's json-1.1 services are asked.
    private static let events: [(operation: String, body: String)] = [
        ("PutRule", #"{"Name":"r","EventPattern":"{\"source\":[\"x\"]}"}"#),
        ("DisableRule", #"{"Name":"r"}"#), ("EnableRule", #"{"Name":"r"}"#),
        (
            "PutTargets",
            #"{"Rule":"r","Targets":[{"Id":"t","Arn":"arn:aws:muster:us-east-1:000000000000:target/log"}]}"#
        ),
        ("RemoveTargets", #"{"Rule":"r","Ids":["t"]}"#), ("DeleteRule", #"{"Name":"r"}"#),
        ("PutEvents", #"{"Entries":[{"Source":"x","DetailType":"y","Detail":"{\"secret\":1}"}]}"#),
    ]

    /// What is done to dead letters.
    private static let letters = [
        "POST /deadletters/redrive", "POST /deadletters/{letter}/redrive", "DELETE /deadletters/{letter}",
        "DELETE /deadletters",
    ]

    /// Routes whose method says that they change something, and what is not audited of them.
    private static let others: [String: String] = [
        "PATCH /api/v1/datasets/{dataset}": "one's own", "DELETE /api/v1/datasets/{dataset}": "one's own",
        "POST /identitypools/{pool}/identities/{identity}/datasets/{dataset}": "one's own",
        "DELETE /identitypools/{pool}/identities/{identity}/datasets/{dataset}": "one's own",
        "POST /identitypools/{pool}/identities/{identity}/datasets/{dataset}/subscriptions/{device}": "one's own",
        "DELETE /identitypools/{pool}/identities/{identity}/datasets/{dataset}/subscriptions/{device}": "one's own",
        "POST /identitypools/{pool}/identity/{identity}/device": "one's own",
        "POST /identitypools/{pool}/configuration": "test_cognito_sync.py",
        "POST /identitypools/{pool}/events": "test_cognito_sync.py",
        "POST /identitypools/{pool}/bulkpublish": "nothing",
        "POST /identitypools/{pool}/getBulkPublishDetails": "looks",
        "POST /api/v1/user-imports": "UserImportTests",
        "POST /api/v1/session": "signs in", "POST /api/v1/session/refresh": "signs in",
        "DELETE /api/v1/session": "signs out", "POST /api/login": "signs in", "POST /_session": "signs in",
        "DELETE /_session": "signs out",
        "POST /api/v1/positions": "the position says by whom",
        "POST /api/v1/sightings": "the sighting says which device heard it",
        "POST /api/v1/ranges": "the range says which device measured it",
        "POST /api/v1/signals": "the signal says by whom", "POST /ifttt/v1/triggers/{slug}": "looks",
        "POST /devices": "as POST /api/v1/users/{user}/devices", "PUT /devices/{uuid}": "a note of one's own device",
        "DELETE /devices/{uuid}": "as DELETE /api/v1/users/{user}/devices/{device}",
        "POST /api/v1/users/{user}/devices/{device}/certificate":
            "as POST /api/v1/users/{user}/devices/{device}/token: test_tak_positions.py",
        "POST /api/v1/users/{user}/devices/{device}/enrollment":
            "as POST /api/v1/users/{user}/devices/{device}/token: test_tak_enrollment.py",
        "POST /Marti/api/tls/signClient/v2": "the certificate is of whoever made the token: test_tak_enrollment.py",
        "POST /devices/{uuid}/token": "as POST /api/v1/users/{user}/devices/{device}/token",
        "POST /devices/{uuid}/tokens": "as POST /api/v1/users/{user}/devices/{device}/token",
        "DELETE /devices/{uuid}/tokens/{token}": "as DELETE /api/v1/users/{user}/devices/{device}/token",
        "POST /data/{uuid}": "the signal says by whom", "POST /messages": "the signal says by whom",
        "POST /osmand": "the position is of the token's device",
        "POST /osmand/{token}": "the position is of the token's device",
        "POST /overland": "the position is of the token's device",
        "POST /overland/{token}": "the position is of the token's device",
        "POST /ulogger/client/index.php": "the position is of the token's device",
        "POST /ulogger/{token}/client/index.php": "the position is of the token's device",
        "POST /sms": "the declaration is the person's own", "POST /ruuvi": "the sighting says which device heard it",
        "POST /api/v1/event-patterns/test": "looks",
        "POST /api/v1/users/{user}/join": "where a user stands for a device: test_joined_people.py",
        "DELETE /api/v1/links/{link}": "LinkTests", "POST /api/v1/shared/visitors": "LinkTests",
        "POST /api/v1/shared/password": "LinkTests", "DELETE /api/v1/keys/{key}": "below", "POST /": "below",
        "POST /tracking/v0/list-trackers": "looks", "POST /tracking/v0/trackers/{tracker}/list-consumers": "looks",
        "POST /tracking/v0/trackers/{tracker}/positions/verify": "looks",
        "POST /tracking/v0/trackers/{tracker}/get-positions": "looks",
        "POST /tracking/v0/trackers/{tracker}/list-positions": "looks",
        "POST /tracking/v0/trackers/{tracker}/devices/{device}/list-positions": "looks",
        "POST /geofencing/v0/list-collections": "looks",
        "POST /geofencing/v0/collections/{collection}/list-geofences": "looks",
        "POST /geofencing/v0/collections/{collection}/forecast-geofence-events": "looks",
        "PUT /api/v1/datasets/{dataset}/subscriptions/{device}": "one's own",
        "DELETE /api/v1/datasets/{dataset}/subscriptions/{device}": "one's own",
        "POST /api/v1/push/devices": "one's own", "DELETE /api/v1/push/devices/{device}": "one's own",
        "POST /graphql": "GraphQLRightsTests", "POST /api/v1/push/test": "sends, and changes nothing",
        "POST /api/v1/incidents/{incident}/acknowledgement": "one's own: the incident's record has it",
        "PUT /api/v1/users/{user}/pause": "one's own", "DELETE /api/v1/users/{user}/pause": "one's own",
        "POST /_dbs_info": "looks", "POST /_replicate": "its writes are its giver's", "POST /_cluster_setup": "nothing",
        "POST /_search_analyze": "nothing", "POST /_nouveau_analyze": "nothing",
        "DELETE /{db}/{document}": "as PUT", "COPY /{db}/{document}": "as PUT",
        "DELETE /{db}/{document}/{attachment...}": "as PUT", "DELETE /{db}/_design/{document}": "as PUT",
        "COPY /{db}/_design/{document}": "as PUT", "PUT /{db}/_design/{document}/{attachment...}": "as PUT",
        "DELETE /{db}/_design/{document}/{attachment...}": "as PUT",
        "POST /{db}/_design/{document}/{attachment...}": "nothing",
        "POST /{db}/_index/_bulk_delete": "as DELETE",
        "DELETE /{db}/_index/_design/{document}/json/{index}": "as DELETE", "POST /{db}/_compact/{document}": "nothing",
    ]

    /// What follows `/{db}/` in routes that only look, do nothing, or keep what is the caller's own. `_local` documents
    /// are kept by user and never leave the server.
    private static let unaudited = [
        "_ensure_full_commit", "_view_cleanup", "_bulk_get", "_revs_diff", "_missing_revs", "_all_docs",
        "_design_docs", "_changes", "_local", "_local_docs", "_auto_purge", "_sync_shards", "_partition",
        "_search_cleanup", "_nouveau_cleanup", "_find", "_explain", "_purged_infos_limit", "_temp_view",
    ]

    @Test func `every route that changes something is tested, or listed as needing no author`() async throws {
        let office = try await Office()
        let walked = Set(
            Self.steps.map(\.line) + Self.signed.map(\.line) + Self.letters.map(Self.native) + Self.others.keys)
        for route in office.endpoints.routes.routes where ![.get, .head].contains(route.method) {
            let path = route.path.replacing(/^\/(aws|couchdb|meshblu)(?=\/|$)/, with: "")
            let line = "\(route.method.rawValue) \(path.isEmpty ? "/" : path)"
            let segments = path.split(separator: "/")
            if ["_node", "_reshard"].contains(segments.first) { continue }
            // Refused, whatever stands there.
            let isOfIndex = path.hasPrefix("/{db}/_index/{document}") || path.hasPrefix("/{db}/_index/_design/")
            if isOfIndex, !path.hasSuffix("/json/{index}") { continue }
            if segments.first == "{db}", segments.count > 1, Self.unaudited.contains(String(segments[1])) { continue }
            let isWalked = walked.contains(line)
            #expect(isWalked, "\(line)")
        }
        try await office.coordinator.close()
    }

    /// What the audit log says of whatever was done after a moment.
    private func authors(after sequence: MusterCore.LogSequence, _ office: Office) throws -> [String?] {
        try office.store.audit(before: nil, limit: 100).filter { $0.sequence > sequence }
            .map { office.coordinator.directory.users[$0.author]?.name }
    }

    @Test func `every change is audited under its author`() async throws {
        let office = try await Office()
        try await office.open { desk in
            for (line, path, body, author) in Self.steps {
                let before = office.coordinator.lastSequence
                let method = try #require(HTTPRequest.Method(String(line.prefix { $0 != " " })))
                let reply = try await desk.send(method, path, as: author, body.isEmpty ? nil : body)
                #expect(reply.status < 300, "\(line): \(reply.status) \(reply.text)")
                let authors = try authors(after: before, office)
                #expect(authors.first == author && Set(authors).count == 1, "\(line): \(authors)")
            }
            let keys = try await desk.send(.get, "/keys?user=mia", as: "admin").json["items"]?.elements ?? []
            let before = office.coordinator.lastSequence
            let id = try #require(keys.last?["id"]?.string)
            #expect(try await desk.send(.delete, "/keys/\(id)", as: "admin").status == 204)
            #expect(try authors(after: before, office) == ["admin"])
        }
    }

    @Test func `redriving and discarding dead letters is audited`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let hook = #"{"name":"hook","kind":"webhook","url":"https://hooks.example/x"}"#
            #expect(try await desk.send(.post, "/targets", as: "admin", hook).status == 201)
            for line in Self.letters {
                #expect(try await desk.send(.post, "/targets/hook/test", as: "admin").status < 300)
                let (delivery, now) = (office.coordinator.lastDelivery, office.clock.now)
                try await office.coordinator.storeState { transaction, _ in
                    try transaction.deadLetter(delivery, at: now, attempts: 1, error: "500")
                }
                let before = office.coordinator.lastSequence
                let words = line.split(separator: " ").map(String.init)
                let path = words[1].replacing("{letter}", with: String(delivery.rawValue))
                let reply = try await desk.send(try #require(HTTPRequest.Method(words[0])), path, as: "admin")
                #expect(reply.status < 300, "\(line): \(reply.status) \(reply.text)")
                #expect(try authors(after: before, office) == ["admin"], "\(line)")
                #expect(try office.store.deadLetters(of: nil, by: nil, after: .zero, limit: 1).isEmpty, "\(line)")
            }
        }
    }

    @Test func `a change by an AWS client is audited under the user who signed it`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let now = office.clock.now.rfc3339
            for (line, path, body) in Self.signed {
                let before = office.coordinator.lastSequence
                let method = try #require(HTTPRequest.Method(String(line.prefix { $0 != " " })))
                let reply = try await desk.sendSigned(
                    method, path, as: "admin", body.replacing("NOW", with: now))
                #expect(reply.status < 300, "\(line): \(reply.status) \(reply.text)")
                let authors = try authors(after: before, office)
                #expect(authors.first == "admin" && Set(authors).count == 1, "\(line): \(authors)")
            }
            _ = try await desk.send(.post, "/targets", as: "admin", #"{"name":"log","kind":"log"}"#)
            for (operation, body) in Self.events {
                let before = office.coordinator.lastSequence
                let reply = try await desk.sendSigned(
                    .post, "/", as: "admin", body, service: "events", target: "AWSEvents.\(operation)")
                #expect(reply.status == 200, "\(operation): \(reply.text)")
                #expect(try authors(after: before, office) == ["admin"], "\(operation)")
            }
            let entries = try office.store.audit(before: nil, limit: 1)
            guard case .posted(let event)? = entries.first?.change else {
                Issue.record("the event is audited last")
                return
            }
            #expect(event.detail == "{}")
        }
    }
}

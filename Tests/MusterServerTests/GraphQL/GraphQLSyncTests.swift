import HTTPTypes
import MusterCore
import MusterStore
import MusterWire
import Testing

@testable import MusterGraphQL
@testable import MusterServer

/// What a client's copy of the people learns of accounts that are gone.
@Suite struct GraphQLSyncTests {
    /// Whom an admin's synchronization brings, in the order of its pages: as names, those who are gone as `- id`.
    private func copy(
        _ desk: Desk, lastSync: Instant? = nil, limit: Int = 1_000
    ) async throws -> (people: [String], gone: [String], pages: Int) {
        var (people, gone, token, pages): ([String], [String], JSONValue, Int) = ([], [], .null, 0)
        repeat {
            let reply = try await desk.graphQL(
                """
                query ($last: AWSTimestamp, $limit: Int, $token: String) {
                  syncUsers(lastSync: $last, limit: $limit, nextToken: $token) {
                    items { id username _deleted } nextToken
                  }
                }
                """, as: "admin",
                variables: .object([
                    .init("last", lastSync.map { .integer($0.milliseconds) } ?? .null),
                    .init("limit", .integer(Int64(limit))), .init("token", token),
                ]))
            #expect(reply.faults == [])
            let items = reply["syncUsers", "items"].elements ?? []
            #expect(items.count <= limit)
            for item in items {
                if item["_deleted"] == .boolean(true) {
                    gone.append(item["id"]?.string ?? "")
                } else {
                    people.append(item["username"]?.string ?? "")
                }
            }
            token = reply["syncUsers", "nextToken"]
            pages += 1
        } while token != .null && pages < 100
        return (people, gone, pages)
    }

    /// Removes users, and returns the ids that they had.
    private func remove(_ names: [String], at desk: Desk) async throws -> [String] {
        var ids: [String] = []
        for name in names {
            ids.append(desk.office.coordinator.origin.subject(of: try desk.office.user(name).number))
            #expect(try await desk.send(.delete, "/users/\(name)", as: "admin").status == 204)
        }
        return ids
    }

    @Test func `a removal is told however many edits came after it`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let begin = office.clock.now
            let gone = try await remove(["sue"], at: desk)
            let admin = Author(Principal(try office.user("admin"), proof: .apiKey))
            for _ in 0..<5 {
                try await office.coordinator.edit(by: admin) { directory, draft in
                    guard let mia = directory.users["mia"] else { return }
                    draft.edits = Array(repeating: .putUser(mia), count: 2_500)
                }
            }
            let entries = try office.store.audit(before: nil, limit: 20_000, withDetails: false)
            try #require(entries.count > 12_000)
            let changed = try await copy(desk, lastSync: begin)
            #expect(changed.gone == gone)
            #expect(changed.pages == 2)
        }
    }

    @Test func `a first copy, and one in small pages, learn who is gone, too`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let begin = office.clock.now
            let gone = try await remove(["sue", "mia", "max"], at: desk)
            for limit in [1, 2, 3, 4, 5, 1_000] {
                for last in [begin, nil] {
                    let found = try await copy(desk, lastSync: last, limit: limit)
                    #expect(found.people == ["admin", "lena", "lars", "ann"])
                    #expect(found.gone == gone.reversed())
                }
            }
            office.clock.advance(bySeconds: 60)
            #expect(try await copy(desk, lastSync: office.clock.now).gone == [])
        }
    }

    @Test func `a copy that is older than the audit log is told to begin anew`() async throws {
        let office = try await Office()
        try await office.open { desk in
            let oldest = office.clock.now.advanced(bySeconds: -AuditEntry.keptSeconds)
            for (last, fault) in [(oldest, []), (oldest.advanced(bySeconds: -1), ["syncUsers Gone"])] {
                let reply = try await desk.graphQL(
                    "{ syncUsers(lastSync: \(last.milliseconds)) { items { id } } }", as: "admin")
                #expect(reply.faults == fault)
            }
            let everything = try await desk.graphQL("{ syncUsers(lastSync: 0) { items { username } } }", as: "admin")
            #expect(everything["syncUsers", "items"].texts("username").contains("sue"))
            // Others are not told of removals.
            let old = "{ syncUsers(lastSync: 1) { items { username } } }"
            #expect(try await desk.graphQL(old, as: "lena").faults == [])
        }
    }

    @Test func `an account that is removed as a synchronization begins is told as gone`() async throws {
        let office = try await Office()
        try await office.open { desk in
            // The operation began with a directory in which the account still is.
            let (first, again) = (
                try office.operationContext(of: "admin"), try office.operationContext(of: "admin")
            )
            let sue = office.coordinator.origin.subject(of: try office.user("sue").number)
            let before = office.clock.now
            office.clock.advance(bySeconds: 1)
            #expect(try await remove(["sue"], at: desk) == [sue])
            for (context, call) in [(first, "syncUsers"), (again, "syncUsers(lastSync: \(before.milliseconds))")] {
                let response = try await context.execute("{ \(call) { startedAt items { id username _deleted } } }")
                #expect(response.errors == [])
                let page = response.data?["syncUsers"] ?? .null
                let found = (page["items"]?.elements ?? []).filter { $0["id"]?.string == sue }
                #expect(found.map { $0["_deleted"]?.boolean } == [true])
                // The next synchronization asks from this moment on, and is told nothing of the account.
                #expect(page["startedAt"]?.integer == office.clock.now.milliseconds)
            }
        }
    }

    @Test func `a token that is none of an answer is refused`() async throws {
        try await Office().open { desk in
            for token in ["nonsense", "AAAA", Cursor.encode([1]), Cursor.encode([.min, 0]), Cursor.encode([.max, 0])] {
                let reply = try await desk.graphQL(
                    "query ($token: String) { syncUsers(nextToken: $token) { items { id } } }", as: "admin",
                    variables: .object([.init("token", .string(token))]))
                #expect(reply.faults == ["syncUsers BadRequestException"], "\(token)")
            }
        }
    }
}

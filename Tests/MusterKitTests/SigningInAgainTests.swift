import Foundation
import MusterCore
import MusterKit
import MusterReplication
import MusterWire
import Testing

/// A device whose key the server takes no more.
@Suite struct SigningInAgainTests {
    @Test func `a changed password is distinguished from no network, and nothing is lost until the person gives it`()
        async throws
    {
        try await withPhone { phone in
            try await phone.server.ask("PUT", "users/ann/password", #"{"password":"another secret"}"#)
            guard case .unauthorized? = await phone.tracker.emit() else {
                Issue.record("the server takes a key of before")
                return
            }
            // The one that was kept is no good any more.
            await #expect {
                try await phone.session.signInAgain(phone.keeper)
            } throws: { error in
                if case SessionError.refused = error { true } else { false }
            }
            let again = try await phone.session.signInAgain(password: "another secret", phone.keeper)
            phone.tracker.reauthenticate(as: again)
            #expect(await phone.tracker.emit() == nil)
            #expect(try await phone.server.positions(of: "ann") == 3)
            // It is kept: the app opens with it the next time.
            let opened = try #require(try MusterKit.Session.open(phone.keeper, connections: phone.server.connections))
            #expect(try await opened.peer.information().documentCount == 3)
        }
    }

    @Test func `a key that newer keys displaced is renewed with the stored password`() async throws {
        try await withPhone { phone in
            let elsewhere = FileCredentialKeeper(path: temporaryPath())
            defer { try? elsewhere.deleteCredentials() }
            for _ in 0..<17 {
                _ = try await MusterKit.Session.signIn(
                    at: phone.server.address, user: "ann", password: RunningServer.memberPassword, elsewhere,
                    connections: phone.server.connections)
            }
            guard case .unauthorized? = await phone.tracker.emit() else {
                Issue.record("more than sixteen keys are good")
                return
            }
            phone.tracker.reauthenticate(as: try await phone.session.signInAgain(phone.keeper))
            #expect(await phone.tracker.emit() == nil)
            #expect(try await phone.server.positions(of: "ann") == 3)
        }
    }

    @Test func `a user removed and created again is another account until the app says otherwise`() async throws {
        try await withPhone { phone in
            try await phone.server.ask("DELETE", "users/ann")
            try await phone.server.ask(
                "POST", "users",
                #"{"name":"ann","role":"member","password":"\#(RunningServer.memberPassword)"}"#)
            guard case .unauthorized? = await phone.tracker.emit() else {
                Issue.record("the key of a removed user opens the database of another")
                return
            }
            let another = SessionError.anotherAccount("ann")
            await #expect(throws: another) { try await phone.session.signInAgain(phone.keeper) }
            await #expect(throws: another) {
                try await MusterKit.Session.signIn(
                    at: phone.server.address, user: "ann", password: RunningServer.memberPassword, phone.keeper,
                    connections: phone.server.connections)
            }
            #expect(try await phone.server.ask("GET", "devices?user=ann")["items"]?.elements?.isEmpty == true)
            #expect(try await phone.store.count() == 3)
            phone.tracker.reauthenticate(
                as: try await phone.session.signInAgain(phone.keeper, allowingAccountChange: true))
            #expect(await phone.tracker.emit() == nil)
            #expect(try await phone.server.positions(of: "ann") == 3)
        }
    }

    @Test func `answers of another server do not make a device forget its account`() async throws {
        try await withPhone { phone in
            let network = PickyNetwork(to: phone.server)
            try await network.run { address in
                let keeper = FileCredentialKeeper(path: temporaryPath())
                defer { try? keeper.deleteCredentials() }
                func signIn() async throws -> MusterKit.Session {
                    try await MusterKit.Session.signIn(
                        at: address, user: "ann", password: RunningServer.memberPassword, keeper,
                        connections: phone.server.connections)
                }
                let session = try await signIn()
                let kept = try keeper.loadCredentials()
                for status in [404, 405, 500, 503] {
                    network.decide { Self.isLogin($0) ? .isAnswered(status: status, body: "none") : .passes }
                    let busy = SessionError.busy(status: status)
                    await #expect(throws: busy) { try await session.signInAgain(keeper) }
                    await #expect(throws: busy) { try await signIn() }
                    #expect(try keeper.loadCredentials() == kept)
                }
                // One that says nothing of the account leaves what is known of it.
                let key = #"{"api_key":"k","api_password":"p","location_db_name":"lt_locations_user_ann"}"#
                network.decide { Self.isLogin($0) ? .isAnswered(status: 200, body: key) : .passes }
                let silent = try await session.signInAgain(keeper)
                network.decide { _ in .passes }
                try await phone.server.ask("DELETE", "users/ann")
                _ = try await phone.server.member("ann", of: nil)
                let another = SessionError.anotherAccount("ann")
                for session in [session, silent] {
                    await #expect(throws: another) { try await session.signInAgain(keeper) }
                }
                await #expect(throws: another) { try await signIn() }
            }
        }
    }

    private static func isLogin(_ request: String) -> Bool { request.hasPrefix("POST /api/login ") }

    @Test func `a document that the server refuses is reported once, and stays known as missing there`() async throws {
        try await withPhone { phone in
            try await phone.store.save(LocalStoreTests.Note(text: String(repeating: "x", count: 9 << 20)), id: "large")
            guard case .refusesDocuments(count: 1, _)? = await phone.tracker.emit() else {
                Issue.record("9 MiB are taken")
                return
            }
            #expect(await phone.tracker.emit() == nil)
            #expect(try await phone.tracker.missing() == 1)
        }
    }

    @Test func `a late refusal of old credentials does not count against new ones`() async throws {
        try await withPhone { phone in
            let late = LatePeer()
            let tracker = LocationTracker(
                store: phone.store, monitor: LocationMonitor(), server: late, user: "ann", session: "walk")
            let emission = Task { await tracker.emit() }
            await late.asked()
            tracker.reauthenticate(as: phone.session)
            late.refuse()
            #expect(await emission.value == nil)
            let stored = try await phone.server.positions(of: "ann")
            #expect(stored == 3)
        }
    }

    private struct Phone {
        let server: RunningServer
        let session: MusterKit.Session
        let keeper: FileCredentialKeeper
        let store: LocalStore
        let tracker: LocationTracker
    }

    /// A phone that is signed in and has recorded three locations that nobody was told of.
    private func withPhone(_ body: (Phone) async throws -> Void) async throws {
        try await RunningServer.run { server in
            let session = try await server.member("ann", of: nil)
            let keeper = FileCredentialKeeper(path: temporaryPath())
            defer { try? keeper.deleteCredentials() }
            let kept = try await session.signInAgain(keeper)
            let store = try LocalStore(path: nil)
            for index in 0..<3 {
                let fix = try fix(Double(index) * 60, north: Double(index) * 100)
                let location = RecordedLocation(
                    LocationMonitor.Location(fix: fix, isInBackground: false), user: "ann", session: "walk")
                try await store.save(location, id: location.id)
            }
            let tracker = LocationTracker(
                store: store, monitor: LocationMonitor(), server: kept.peer, user: "ann", session: "walk")
            try await body(
                Phone(server: server, session: kept, keeper: keeper, store: store, tracker: tracker))
        }
    }
}

/// A server that refuses the credentials of the first request, and not before it is told to.
private final class LatePeer: ReplicationPeer {
    private let question = AsyncStream<Void>.makeStream()
    private let refusal = AsyncStream<Void>.makeStream()

    /// Waits until something is asked.
    func asked() async { for await _ in question.stream { return } }

    func refuse() { refusal.continuation.yield() }

    private func refused() async throws -> Never {
        question.continuation.yield()
        for await _ in refusal.stream { break }
        throw ReplicationError.unauthorized("the key has been replaced")
    }

    func information() async throws -> PeerInformation { try await refused() }
    func create() async throws { try await refused() }
    func log(_ id: String) async throws -> ReplicationLog? { try await refused() }
    func put(_ log: ReplicationLog, as id: String) async throws -> ReplicationLog { try await refused() }
    func changes(_ request: ChangesRequest) async throws -> ChangesPage { try await refused() }
    func missing(_ revisions: [DocumentRevisions]) async throws -> [DocumentRevisions] { try await refused() }
    func read(_ wanted: [DocumentRevisions]) async throws -> [ReplicatedRevision] { try await refused() }
    func attachment(_ reference: AttachmentReference) async throws -> AttachmentBytes { try await refused() }
    func ensureFullCommit() async throws { try await refused() }
    func write(
        _ revisions: [ReplicatedRevision], attachments: @escaping AttachmentSource
    ) async throws -> [WriteRefusal] { try await refused() }
}

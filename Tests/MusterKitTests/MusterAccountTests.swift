import Foundation
import MusterCore
import MusterReplication
import Synchronization
import Testing

@testable import MusterKit

/// Calls of a `Muster` that sign in, sign out and close while others of them are under way or fail.
@Suite(.timeLimit(.minutes(5))) struct MusterAccountTests {
    private let server = LoginServer()
    private let keeper = RecordingKeeper()
    private let store = URL(filePath: temporaryPath())

    private func open() async throws -> Muster {
        var options = Muster.Options()
        options.connections = HTTPConnections(server)
        options.recordSeconds = 60
        // The device then sends only at the sign-in and where a test calls `send`.
        options.sendSeconds = 3_600
        return try await Muster.open("http://server", store: store, credentials: keeper, options: options)
    }

    @Test func `of two sign-ins at once the later one counts, and the earlier one stores nothing`() async throws {
        let muster = try await open()
        server.hold("ann")
        let ann = Task { try await muster.signIn(user: "ann", password: "a") }
        try await until { server.logins == ["ann"] }
        try await muster.signIn(user: "bob", password: "b")
        try await muster.report(.init(latitude: 52, longitude: 13, time: Date()))
        server.release("ann")
        await #expect(throws: MusterError.cancelled) { try await ann.value }
        #expect(muster.session?.user == "bob")
        #expect(muster.presentAccount.value == .signedIn(user: "bob"))
        #expect(keeper.log == ["stored bob"])
        try await muster.close()
        let again = try await open()
        #expect(again.session?.user == "bob")
        try await again.close()
    }

    @Test func `a sign-in that was overtaken touches no stored credentials`() async throws {
        let muster = try await open()
        server.hold("ann")
        let ann = Task { try await muster.signIn(user: "ann", password: "a") }
        try await until { server.logins == ["ann"] }
        try await muster.signOut()
        try await muster.signIn(user: "bob", password: "b")
        server.release("ann")
        await #expect(throws: MusterError.cancelled) { try await ann.value }
        #expect(keeper.log == ["deleted", "stored bob"])
        try await muster.close()
    }

    @Test func `after two failed sign-ins at once the account is what it was`() async throws {
        let muster = try await open()
        func signInTwice(_ signIn: @escaping @Sendable () async throws -> Void) async throws {
            server.hold("ann")
            let count = server.logins.count
            let first = Task { try await signIn() }
            try await until { server.logins.count == count + 1 }
            let second = Task { try await signIn() }
            try await until { server.logins.count == count + 2 }
            server.release("ann")
            await #expect(throws: MusterError.cancelled) { try await first.value }
            await #expect(throws: MusterError.refused(reason: "wrong")) { try await second.value }
        }
        try await signInTwice { try await muster.signIn(user: "ann", password: "wrong") }
        #expect(muster.presentAccount.value == .signedOut)
        try await muster.signIn(user: "ann", password: "a")
        try await signInTwice { try await muster.signInAgain(password: "wrong") }
        #expect(muster.presentAccount.value == .signedIn(user: "ann"))
        try await muster.close()
    }

    @Test func `a sign-out that cannot delete the credentials changes nothing`() async throws {
        let muster = try await open()
        try await muster.signIn(user: "ann", password: "a")
        keeper.refuses = true
        await #expect {
            try await muster.signOut()
        } throws: { error in
            if case MusterError.credentialsUnavailable = error { true } else { false }
        }
        #expect(muster.session?.user == "ann")
        #expect(muster.presentAccount.value == .signedIn(user: "ann"))
        try await muster.report(.init(latitude: 52, longitude: 13, time: Date()))
        keeper.refuses = false
        try await muster.signOut()
        #expect(muster.session == nil)
        #expect(muster.presentAccount.value == .signedOut)
        #expect(try keeper.loadCredentials() == nil)
        try await muster.close()
    }

    @Test func `a server that accepts the key again ends the need to sign in`() async throws {
        try await RunningServer.run { server in
            try await server.ask(
                "POST", "users", #"{"name":"ann","role":"member","password":"\#(RunningServer.memberPassword)"}"#)
            let network = PickyNetwork(to: server)
            try await network.run { address in
                var options = Muster.Options()
                options.connections = server.connections
                options.sendSeconds = 3_600
                let muster = try await Muster.open(
                    address, store: store, credentials: RecordingKeeper(), options: options)
                try await muster.signIn(user: "ann", password: RunningServer.memberPassword)
                network.decide { request in
                    let isOfDatabase = request.split(separator: "\r\n").first?.contains("locations") == true
                    return isOfDatabase ? .isAnswered(status: 401, body: "<html>captive portal</html>") : .passes
                }
                try await muster.report(.init(latitude: 52, longitude: 13, time: Date()))
                await #expect(throws: MusterError.self) { try await muster.send() }
                try await until {
                    if case .signInNeeded = muster.presentAccount.value { true } else { false }
                }
                network.decide { _ in .passes }
                try await muster.send()
                #expect(muster.presentAccount.value == .signedIn(user: "ann"))
                try await muster.close()
            }
        }
    }

    @Test func `a cancelled send, and a sign-out, do not wait for a server that does not answer`() async throws {
        let muster = try await openWithHangingServer()
        let first = Task { try await muster.send() }
        try await until { server.hung == 1 }
        // The second send does not join the first, which does not send this location; it follows that one's end.
        try await muster.report(.init(latitude: 53, longitude: 13, time: Date(timeIntervalSince1970: 1_700_000_001)))
        let second = Task { try await muster.send() }
        first.cancel()
        await #expect(throws: MusterError.cancelled) { try await first.value }
        try await until { server.hung == 2 }
        try await muster.signOut()
        await #expect(throws: MusterError.cancelled) { try await second.value }
        try await muster.close()
    }

    @Test func `closing ends what waits for a server that does not answer`() async throws {
        let muster = try await openWithHangingServer()
        let send = Task { try await muster.send() }
        try await until { server.hung == 1 }
        try await muster.close()
        await #expect(throws: MusterError.closed) { try await send.value }
    }

    /// A `Muster` of ann's whose server answers no more. The request of the attempt to send with which a sign-in begins
    /// is over; no send joins that attempt, because a location was recorded since. So what hangs is a test's own.
    private func openWithHangingServer() async throws -> Muster {
        let muster = try await open()
        try await muster.signIn(user: "ann", password: "a")
        try await until { server.others == 1 }
        try await muster.report(.init(latitude: 52, longitude: 13, time: Date(timeIntervalSince1970: 1_700_000_000)))
        server.hangs = true
        return muster
    }

    @Test func `a first sign-in that closing ended stores nothing`() async throws {
        let muster = try await open()
        server.hangs = true
        let signIn = Task { try await muster.signIn(user: "ann", password: "a") }
        try await until { server.hung > 0 }
        try await muster.close()
        await #expect(throws: MusterError.closed) { try await signIn.value }
        #expect(keeper.log.isEmpty)
    }

    @Test func `after closing every call throws that it is closed, and asks no server`() async throws {
        let muster = try await open()
        try await muster.signIn(user: "ann", password: "a")
        try await muster.close()
        let logins = server.logins
        await #expect(throws: MusterError.closed) { try await muster.recentLocations() }
        await #expect(throws: MusterError.closed) { try await muster.signInAgain() }
        await #expect(throws: MusterError.closed) { try await muster.signIn(user: "ann", password: "a") }
        await #expect(throws: MusterError.closed) { try await muster.signOut() }
        await #expect(throws: MusterError.closed) { try await muster.unregisterDevice() }
        #expect(muster.session == nil)
        #expect(server.logins == logins)
        #expect(keeper.log == ["stored ann"])
        try await muster.close()
    }

    @Test func `opening says whether the store or the credentials cannot be used`() async throws {
        await #expect {
            try await Muster.open(
                "http://server", store: URL(filePath: "/dev/null/folder/a.sqlite"), credentials: keeper)
        } throws: { error in
            if case MusterError.storeUnavailable = error { true } else { false }
        }
        let folder = temporaryPath()
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        await #expect {
            try await Muster.open("http://server", store: store, credentials: FileCredentialKeeper(path: folder))
        } throws: { error in
            if case MusterError.credentialsUnavailable = error { true } else { false }
        }
    }
}

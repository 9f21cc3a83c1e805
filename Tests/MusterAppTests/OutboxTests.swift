import Foundation
import MusterCore
import MusterKit
import MusterReplication
import MusterWire
import Synchronization
import Testing

@testable import MusterApp

/// What waits for the server: through airplane mode, full disks, withdrawn passwords and locked keychains.
@MainActor @Suite(.timeLimit(.minutes(5))) struct OutboxTests {
    @Test func `a day in airplane mode loses nothing, and an old word ends no newer one`() async throws {
        let clock = HandClock()
        try await RunningServer.serve(now: { clock.now }) { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in try await Self.fly(server, network, clock, at: address) }
        }
    }

    private static func fly(
        _ server: RunningServer, _ network: PickyNetwork, _ clock: HandClock, at address: String
    ) async throws {
        let phone = Phone(at: address, over: server.connections, now: { clock.now })
        try await phone.signIn("ann")
        try await until { try phone.account.follower.isLive && phone.source.isRead }
        network.decide { _ in .isAnswered(status: 503, body: "{}") }
        try await phone.account.safety.saySafe()
        phone.source.give(.fix(try position(0, north: 400, of: clock.now)))
        try await until { try phone.account.phone.unsentPositions == 1 }
        // Somebody else marks ann meanwhile.
        clock.advance(bySeconds: 3_600)
        try await server.ask("POST", "users/ann/declarations", #"{"kind":"offSite"}"#)
        clock.advance(bySeconds: 60)
        try await phone.account.safety.askForHelp(note: "landed badly")
        phone.kill()
        clock.advance(bySeconds: 82_740)
        await phone.start()
        let account = try phone.account
        phone.tick()
        #expect(account.waiting.waitingCount == 2, "what was said before the kill still waits")
        #expect(account.status.saidBy.hasPrefix("The server said"))
        #expect(account.safety.isCalling)
        #expect(account.safety.deliveries.allSatisfy { $0.place == .phone })
        let lines = account.safety.deliveries.map(\.text)
        #expect(lines.last?.hasSuffix("If you can, call the emergency number.") ?? false)

        network.decide { _ in .passes }
        account.outbox.hurry()
        try await until { account.waiting.waitingCount == 0 }
        try await until { try await server.positions(of: "ann") == 1 }
        try await until { account.status.state == .needsHelp }
        let said = try await server.declarations(of: "ann")
        #expect(said == ["safe", "offSite", "needsHelp landed badly"])
        await phone.app.close()
    }

    @Test func `a password that was reset is told, and what waits is sent once the person signs in again`() async throws
    {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let phone = Phone(at: server.address, over: server.connections)
            try await phone.signIn("ann")
            let account = try phone.account
            try await until { account.follower.isLive }
            try await server.ask("PUT", "users/ann/password", #"{"password":"quite another one"}"#)
            await account.safety.saySafe()
            try await until { account.signInNeededText != nil }
            phone.tick()
            let text = "The session has ended. Sign in again: 1 message wait on this phone to be sent."
            #expect(account.signInNeededText == text)
            #expect(phone.app.face == .member, "what was known stays shown, and recording goes on")
            #expect(await account.signInAgain(password: "wrong one") == "The name or the password is wrong.")
            #expect(account.waiting.waitingCount == 1)
            #expect(await account.signInAgain(password: "quite another one") == nil)
            try await until { account.waiting.waitingCount == 0 && account.signInNeededText == nil }
            #expect(try await server.declarations(of: "ann") == ["safe"])
            await phone.app.close()
        }
    }

    @Test func `a keychain that is locked is told, and the app opens once it is not`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let folder = URL(filePath: temporaryPath())
            let lock = Lock()
            let phone = Phone(
                at: server.address, over: server.connections, folder: folder,
                keepers: { LockableKeeper(FileCredentialKeeper(path: folder.appending(path: $0).path), lock) })
            try await phone.signIn("ann")
            phone.kill()
            lock.set(true)
            await phone.start()
            #expect(phone.app.face == .unavailable)
            #expect(phone.app.problem?.contains("Unlock") ?? false)
            #expect(await phone.app.perform(.safe).contains("Unlock"))
            lock.set(false)
            await phone.app.open()
            #expect(phone.app.face == .member)
            #expect(phone.app.problem == nil)
            await phone.app.close()
        }
    }

    @Test func `an action of a notification is kept and sent by an app that was not open`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let phone = Phone(at: address, over: server.connections)
                try await phone.signIn("ann")
                try await until { try phone.account.follower.isLive }
                phone.kill()
                network.decide { _ in .isAnswered(status: 503, body: "{}") }
                let text = await phone.app.perform(.needHelp)
                #expect(text.hasPrefix("“I need help”, said"))
                phone.kill()
                network.decide { _ in .passes }
                await phone.start()
                try await until { try await server.declarations(of: "ann") == ["needsHelp"] }
                await phone.app.close()
            }
        }
    }

    @Test func `a word that the disk does not take is sent from memory, and the app says so`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let phone = Phone(at: address, over: server.connections)
                try await phone.signIn("ann")
                let account = try phone.account
                try await until { account.follower.isLive }
                network.decide { _ in .isAnswered(status: 503, body: "{}") }
                // A store that is closed takes nothing, as a full disk does not.
                try account.muster.store.close()
                await account.safety.askForHelp()
                #expect(account.outbox.deliveries.last?.isUnkept ?? false)
                try await until {
                    account.safety.deliveries.last?.text.contains("leave this app open") ?? false
                }
                network.decide { _ in .passes }
                account.outbox.hurry()
                try await until { try await server.declarations(of: "ann") == ["needsHelp"] }
                phone.kill()
            }
        }
    }

    @Test func `signing out keeps what waits for the same person, unless it is erased`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann", "bo"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let phone = Phone(at: address, over: server.connections)
                try await phone.signIn("ann")
                try await until { try phone.account.follower.isLive }
                network.decide { $0.hasPrefix("POST /api/v1/users") ? .hangs : .passes }
                try await phone.account.safety.saySafe()
                // What is on its way when the network passes again would arrive.
                try await until { network.hung > 0 }
                let question = try phone.account.settings.signOutQuestion
                #expect(question.lines.first?.contains("1 message") ?? false)
                try await phone.account.settings.signOut(erases: false)
                #expect(phone.app.face == .signIn)
                network.decide { _ in .passes }
                try await phone.signIn("bo")
                try await until { try phone.account.follower.isLive }
                #expect(try await server.declarations(of: "ann") == [])
                #expect(try await server.declarations(of: "bo") == [], "nobody speaks in another's name")
                try await phone.account.settings.signOut(erases: true)
                try await phone.signIn("ann")
                try await until { try await server.declarations(of: "ann") == ["safe"] }
                await phone.app.close()
            }
        }
    }

    @Test func `a call for help waits behind no order that fails, and others behind their own kind`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let phone = Phone(at: address, over: server.connections)
                try await phone.signIn("ann")
                let account = try phone.account
                try await until { account.follower.isLive }
                network.decide { $0.contains("/check-in-timer") ? .isAnswered(status: 500, body: "{}") : .passes }
                await account.checkIn.start(everySeconds: 900, note: "tank 4")
                await account.checkIn.end()
                await account.visibility.pause(forSeconds: 600, note: "")
                await account.safety.askForHelp()
                try await until { try await server.declarations(of: "ann") == ["needsHelp"] }
                try await until { account.waiting.waitingCount == 2 }
                #expect(account.outbox.waiting.allSatisfy { $0.order.lane == .timer })
                network.decide { _ in .passes }
                account.outbox.hurry()
                try await until { account.waiting.waitingCount == 0 }
                // The end did not overtake the start.
                try await until { account.follower.state.me?.timer == nil }
                await phone.app.close()
            }
        }
    }

    @Test func `an SOS is sent though the phone's clock was set back during its countdown`() async throws {
        let clock = HandClock()
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let phone = Phone(at: server.address, over: server.connections, now: { clock.now })
            try await phone.signIn("ann")
            let account = try phone.account
            try await until { account.follower.isLive }
            await account.safety.startSOS()
            clock.advance(bySeconds: -7_200)
            try await until { try await server.declarations(of: "ann") == ["sos"] }
            await phone.app.close()
        }
    }

    @Test func `an “I am safe” whose time the server does not believe is not counted as of now`() async throws {
        let clock = HandClock()
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let phone = Phone(at: server.address, over: server.connections, now: { clock.now })
            try await phone.signIn("ann")
            let account = try phone.account
            try await until { account.follower.isLive }
            clock.advance(bySeconds: 3_600)
            await account.safety.saySafe()
            try await until { account.safety.deliveries.last?.place == .refused }
            #expect(account.safety.deliveries.last?.text.hasSuffix("Say it again.") ?? false)
            await account.safety.askForHelp()
            try await until { try await server.declarations(of: "ann") == ["needsHelp"] }
            await phone.app.close()
        }
    }

    @Test func `what is said right after a sign-in counts as of then, on a phone an hour behind`() async throws {
        let clock = HandClock()
        clock.advance(bySeconds: -3_600)
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                // The server does not tell its team, and so not its time, until the words are there.
                network.decide {
                    $0.hasPrefix("GET /api/v1/positions") ? .isAnswered(status: 503, body: "{}") : .passes
                }
                let phone = Phone(at: address, over: server.connections, now: { clock.now })
                try await phone.signIn("ann")
                let account = try phone.account
                let began = ReplicationPacing.systemNow().date
                // Somebody else marks ann before that.
                try await server.ask("POST", "users/ann/declarations", #"{"kind":"offSite"}"#)
                await account.safety.askForHelp()
                try await until { try await server.declarations(of: "ann") == ["offSite", "needsHelp"] }
                await account.safety.saySafe()
                // The server tells its time to the second: which of two words at once is the first, it cannot tell.
                let words = ["needsHelp", "offSite", "safe"]
                try await until { try await server.declarations(of: "ann").sorted() == words }
                #expect(!account.follower.isLive)
                let path = "users/ann/declarations?limit=10"
                for item in try await server.ask("GET", path)["items"]?.elements ?? [] {
                    let at = try #require(item["sampleTime"]?.date)
                    #expect(at.timeIntervalSince(began) > -2, "\(item)")
                }
                network.decide { _ in .passes }
                account.follower.hurry()
                try await until { account.follower.isLive && account.waiting.waitingCount == 0 }
                await phone.app.close()
            }
        }
    }

    @Test func `a phone whose password was reset asks once, and then waits for its person`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let phone = Phone(at: address, over: server.connections, longSeconds: 100)
                try await phone.signIn("ann")
                let account = try phone.account
                try await until { account.follower.isLive }
                try await server.ask("PUT", "users/ann/password", #"{"password":"quite another one"}"#)
                await account.safety.askForHelp()
                try await until { account.signInNeededText != nil }
                try await until { account.safety.deliveries.last?.text.contains("(sign in again)") ?? false }
                try await until { account.follower.connection == .signedOut }
                let asked = Mutex(0)
                network.decide { request in
                    if request.contains("/declarations") { asked.withLock { $0 += 1 } }
                    return .passes
                }
                // Longer than a dozen attempts of a phone that goes on to ask.
                try await phone.pause()
                #expect(asked.withLock { $0 } == 0)
                #expect(await account.signInAgain(password: "quite another one") == nil)
                try await until { try await server.declarations(of: "ann") == ["needsHelp"] }
                try await until { account.follower.isLive }
                await phone.app.close()
            }
        }
    }
}

/// Whether a keychain is locked.
private final class Lock: Sendable {
    private let state = Mutex(false)
    var isLocked: Bool { state.withLock { $0 } }
    func set(_ isLocked: Bool) { state.withLock { $0 = isLocked } }
}

/// A keychain that is locked at times.
private struct LockableKeeper: CredentialKeeper {
    let keeper: FileCredentialKeeper
    let lock: Lock

    init(_ keeper: FileCredentialKeeper, _ lock: Lock) {
        self.keeper = keeper
        self.lock = lock
    }

    private func check() throws {
        if lock.isLocked { throw CredentialError.refused("the keychain is locked") }
    }

    func loadCredentials() throws -> Data? {
        try check()
        return try keeper.loadCredentials()
    }

    func storeCredentials(_ secret: Data) throws {
        try check()
        try keeper.storeCredentials(secret)
    }

    func deleteCredentials() throws {
        try check()
        try keeper.deleteCredentials()
    }
}

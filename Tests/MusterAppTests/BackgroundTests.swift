import Foundation
import MusterCore
import MusterKit
import MusterReplication
import MusterWire
import Synchronization
import Testing

@testable import MusterApp

/// What the app does while nobody looks at it: started by the system, for a notification's button, after a suspension.
@MainActor @Suite(.timeLimit(.minutes(5))) struct BackgroundTests {
    @Test func `a start before the first unlock signs nobody out, and stores nothing`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let phone = Phone(at: server.address, over: server.connections)
            try await phone.signIn("ann")
            phone.kill()
            // A link to itself cannot be read, as a file cannot that the phone has not unlocked yet.
            let file = phone.folder.appending(path: "app.json")
            let kept = try Data(contentsOf: file)
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: file)
            await phone.start()
            #expect(phone.app.face == .unavailable)
            #expect(phone.app.problem?.contains("Unlock the phone") ?? false)
            #expect(await phone.app.perform(.safe).contains("Unlock the phone"))
            await phone.app.enterBackground()
            phone.app.choose(.spanish)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.type] as? FileAttributeType == .typeSymbolicLink, "nothing was stored over it")
            try FileManager.default.removeItem(at: file)
            try kept.write(to: file)
            await phone.app.enterForeground()
            #expect(phone.app.face == .member && phone.app.problem == nil)
            await phone.app.close()
        }
    }

    @Test func `an action returns once the server has it, and the process is held until nothing waits`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let phone = Phone(at: address, over: server.connections, longSeconds: 100)
                try await phone.signIn("ann")
                phone.kill()
                await phone.start()
                let holds = phone.processTime.holds
                await phone.app.perform(.needHelp, of: [:], withinSeconds: 600)
                #expect(try await server.declarations(of: "ann") == ["needsHelp"])
                #expect(phone.processTime.holds == holds + 1 && !phone.processTime.isHeld)
                #expect(phone.notices.shown["action"] == nil, "success needs no notice")

                network.decide { _ in .isAnswered(status: 503, body: "{}") }
                // The system lets the app wait until the server has failed, and no longer.
                let action = Task { await phone.app.perform(.needHelp, of: [:], withinSeconds: 600) }
                let safety = try phone.account.safety
                try await until { safety.deliveries.contains { $0.text.contains("not sent yet") } }
                action.cancel()
                await action.value
                #expect(phone.processTime.isHeld)
                let notice = try #require(phone.notices.shown["action"])
                #expect(notice.body.contains("not sent yet") && notice.isCritical)
                network.decide { _ in .passes }
                try phone.account.outbox.hurry()
                try await until { !phone.processTime.isHeld }
                await phone.app.close()
            }
        }
    }

    @Test func `“seen” on a notification is of its own incident, also before the app has heard of it`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let phone = Phone(at: address, over: server.connections, longSeconds: 100)
                try await phone.signIn("ann")
                try await until { try phone.account.follower.isLive }
                // The phone has stored how its clock differs: it needs no answer to a GET for the time of what is said.
                try await phone.account.follower.keep()
                phone.kill()
                try await server.ask("POST", "teams/crew/incidents", #"{"kind":"real"}"#)
                // What would tell the app of the incident does not come.
                network.decide { $0.hasPrefix("GET") ? .isAnswered(status: 503, body: "{}") : .passes }
                await phone.app.perform(.seen, of: ["kind": "incident", "incident": "1"], withinSeconds: 600)
                let roll = try await server.ask("GET", "incidents/1")["roll"]?.elements
                #expect(roll?.first?["callSeenAt"] != nil)
                #expect(phone.notices.shown["action"] == nil)
                network.decide { _ in .passes }
                let account = try phone.account
                account.follower.hurry()
                try await until { account.call.cards.count == 1 }
                #expect(account.call.unseen == nil)

                // An old notification acknowledges no other call, and says what became of it.
                try await server.ask("POST", "incidents/1/close", #"{"reason":"done"}"#)
                try await server.ask("POST", "teams/crew/incidents", #"{"kind":"drill"}"#)
                try await until { account.call.unseen?.number == 2 }
                await phone.app.perform(.seen, of: ["kind": "incident", "incident": "1"], withinSeconds: 600)
                #expect(account.call.unseen?.number == 2)
                #expect(phone.notices.shown["action"]?.body.contains("not taken") ?? false)
                await phone.app.close()
            }
        }
    }

    @Test func `a call whose acknowledgement the server refused says so`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let phone = Phone(at: address, over: server.connections)
                try await phone.signIn("ann")
                let account = try phone.account
                try await server.ask("POST", "teams/crew/incidents", #"{"kind":"real"}"#)
                try await until { account.call.unseen != nil }
                network.decide { request in
                    guard request.contains("/acknowledgement") else { return .passes }
                    return .isAnswered(status: 409, body: #"{"detail":"no longer"}"#)
                }
                await account.call.acknowledge(try #require(account.call.unseen).id)
                try await until { account.waiting.waitingCount == 0 }
                #expect(account.call.cards.first?.seenText?.contains("did not take that: no longer") ?? false)
                await phone.app.close()
            }
        }
    }

    @Test func `an SOS begun on a locked phone is counted down in a notice that can cancel it`() async throws {
        let clock = HandClock()
        try await RunningServer.serve(now: { clock.now }) { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            // The notice waits until the countdown has ended: the countdown's clock stands, so no 20 s pass on it.
            let phone = Phone(at: server.address, over: server.connections, now: { clock.now }, longSeconds: 20)
            try await phone.signIn("ann")
            try await until { try phone.account.follower.isLive }
            #expect(await phone.app.perform(.startSOS) == "SOS is sent in 5 s")
            #expect(phone.notices.shown["sos"]?.actions == [.cancelSOS])
            await phone.app.perform(.cancelSOS, of: [:])
            try await until { phone.notices.shown["sos"] == nil }
            #expect(phone.notices.shown["action"] == nil)
            #expect(try await server.declarations(of: "ann").isEmpty)
            _ = await phone.app.perform(.startSOS)
            clock.advance(bySeconds: 6)
            try await until { try await server.declarations(of: "ann") == ["sos"] }
            try await until { phone.notices.shown["sos"]?.actions.isEmpty ?? false }
            await phone.app.close()
        }
    }

    @Test func `after a suspension nothing counts as heard now, until the server answers`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let phone = Phone(at: address, over: server.connections)
                try await phone.signIn("ann")
                let account = try phone.account
                try await until { account.follower.isLive }
                network.decide { $0.hasPrefix("GET") ? .hangs : .passes }
                await phone.app.enterForeground()
                #expect(!account.follower.isLive, "the feed of before says nothing of now")
                network.decide { _ in .passes }
                await phone.app.enterForeground()
                try await until { account.follower.isLive }
                await phone.app.close()
            }
        }
    }

    @Test func `a place from hours ago goes with no call for help`() async throws {
        let clock = HandClock()
        try await RunningServer.serve(now: { clock.now }) { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let phone = Phone(at: server.address, over: server.connections, now: { clock.now })
            try await phone.signIn("ann")
            let account = try phone.account
            try await until { phone.source.isRead }
            phone.source.give(.fix(try position(0, north: 400, of: clock.now)))
            try await until { account.phone.location != nil }
            clock.advance(bySeconds: 7_200)
            _ = await phone.app.perform(.needHelp)
            guard case .declare(.needsHelp, _, _, let place) = account.outbox.deliveries.last?.order.kind else {
                Issue.record("the call is not in the outbox")
                return
            }
            #expect(place == nil)
            await phone.app.close()
        }
    }

    @Test func `widgets get the age of a state, and never “safe” for a call that is not sent`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let phone = Phone(at: address, over: server.connections)
                try await phone.signIn("ann")
                let account = try phone.account
                await account.safety.saySafe()
                try await until { account.status.state == .safe }
                phone.tick()
                let fresh = account.status.snapshot
                #expect(fresh.title == "Safe" && !fresh.isOld)
                #expect(fresh.agedTitle.hasPrefix("Was “Safe” at "))
                let saidAt = try #require(fresh.saidAt)
                #expect(abs(saidAt.timeIntervalSince(ReplicationPacing.systemNow().date)) < 60)
                network.decide { $0.hasPrefix("POST") ? .isAnswered(status: 503, body: "{}") : .passes }
                await account.safety.askForHelp()
                let unsent = account.status.snapshot
                #expect(unsent.title == "Call not sent" && unsent.agedTitle == "Call not sent" && unsent.isOld)
                phone.kill()
            }
        }
    }

    @Test func `the push token is sent until the server has it, and is gone after signing out`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let asked = Mutex<[String]>([])
                let isUp = Mutex(false)
                network.decide { request in
                    guard request.contains("/push/devices") else { return .passes }
                    let line = request.prefix { $0 != "\r" && $0 != "\r\n" }
                    asked.withLock { $0.append(String(line.split(separator: " ").first ?? "")) }
                    guard isUp.withLock({ $0 }) else { return .isAnswered(status: 503, body: "{}") }
                    return .isAnswered(status: 200, body: #"{"id":"device-1"}"#)
                }
                // Signing out waits for the removal, and not for some seconds at most.
                let phone = Phone(at: address, over: server.connections, longSeconds: 5)
                try await phone.signIn("ann")
                let account = try phone.account
                phone.app.take(pushToken: Data([1, 2]), isDebugging: true)
                try await until { asked.withLock { $0.count } >= 1 }
                isUp.withLock { $0 = true }
                try await until {
                    // The network is back.
                    account.onReachable(false)
                    phone.tick()
                    return try await account.muster.isDeviceRegistered
                }
                let before = asked.withLock { $0.count }
                account.onReachable(false)
                phone.tick()
                #expect(asked.withLock { $0.count } == before, "what the server has is not sent again")
                await phone.notices.show(Notice(id: "checkIn", title: "", body: ""))
                await account.settings.signOut(erases: false)
                #expect(asked.withLock { $0.last } == "DELETE")
                #expect(phone.notices.shown["checkIn"] == nil)
                #expect(phone.app.face == .signIn)
            }
        }
    }

    @Test func `a position that is recorded while others are sent still waits`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let phone = Phone(at: server.address, over: server.connections)
            try await phone.signIn("ann")
            let account = try phone.account
            try await until { account.phone.unsentPositions == 0 }
            let here = Muster.Location(latitude: 52, longitude: 13, time: ReplicationPacing.systemNow().date)
            account.receive(.recorded(here))
            account.receive(.recorded(here))
            account.receive(.sent(count: 1))
            #expect(account.waiting.summary == "1 position")
            // The server lacks none: both were recorded by this test alone.
            try await until { account.phone.unsentPositions == 0 }
            account.receive(.recorded(here))
            account.receive(.sent(count: 1))
            #expect(account.waiting.summary != "1 position")
            await phone.app.close()
        }
    }

    @Test func `signing out ends though the server does not answer`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let phone = Phone(at: address, over: server.connections)
                try await phone.signIn("ann")
                let account = try phone.account
                network.decide { _ in .isAnswered(status: 200, body: #"{"id":"device-1"}"#) }
                _ = try await account.muster.registerDevice(Data([1]))
                network.decide { $0.contains("/push/devices") ? .hangs : .passes }
                await account.settings.signOut(erases: true)
                #expect(phone.app.face == .signIn && account.settings.problem == nil)
            }
        }
    }
}

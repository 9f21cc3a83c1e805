import Foundation
import MusterCore
import MusterKit
import MusterReplication
import MusterWire
import Testing

@testable import MusterApp

/// What a member sees and says, with a real server over a real socket.
@MainActor @Suite(.timeLimit(.minutes(5))) struct MemberTests {
    @Test func `what a person says is told to be on the phone, then at the server, then seen`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in try await Self.sayAndBeSeen(server, network, at: address) }
        }
    }

    private static func sayAndBeSeen(_ server: RunningServer, _ network: PickyNetwork, at address: String) async throws
    {
        let phone = Phone(at: address, over: server.connections)
        try await phone.signIn("ann")
        let account = try phone.account
        #expect(phone.app.face == .member)
        try await until { account.follower.isLive }
        #expect(account.status.saidBy == "The server says:")
        #expect(account.status.state == .unknown)

        network.decide { $0.hasPrefix("POST") ? .isAnswered(status: 503, body: "{}") : .passes }
        await account.safety.askForHelp(note: "stuck in the lift")
        try await until { account.safety.deliveries.first?.text.contains("not sent yet") ?? false }
        #expect(account.safety.deliveries.first?.place == .phone)
        #expect(account.safety.isCalling)
        #expect(account.status.isOld, "the server's state is from before the call")
        #expect(account.waiting.waitingCount == 1)
        #expect(account.waiting.summary == "1 message")

        network.decide { _ in .passes }
        account.outbox.hurry()
        try await until { account.status.state == .needsHelp && !account.status.isOld }
        #expect(try await server.declarations(of: "ann") == ["needsHelp stuck in the lift"])
        // What was written with the call stays listed beside the call itself.
        #expect(account.safety.deliveries.map(\.place) == [.server, .server])
        #expect(account.waiting.waitingCount == 0)
        try await server.ask("POST", "users/ann/declarations", #"{"kind":"acknowledge"}"#)
        try await until { account.safety.deliveries.last?.place == .seen }
        #expect(account.safety.deliveries.last?.text == "“I need help”: admin has seen it.")

        await account.safety.endCall()
        try await until { !account.safety.isCalling && account.status.state != .needsHelp }
        await phone.app.close()
    }

    @Test func `an SOS can be cancelled during its countdown, and overtakes what waits after it`() async throws {
        let clock = HandClock()
        try await RunningServer.serve(now: { clock.now }) { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in try await Self.callSOS(server, network, clock, at: address) }
        }
    }

    private static func callSOS(
        _ server: RunningServer, _ network: PickyNetwork, _ clock: HandClock, at address: String
    ) async throws {
        let phone = Phone(at: address, over: server.connections, now: { clock.now })
        try await phone.signIn("ann")
        let account = try phone.account
        try await until { account.follower.isLive }
        await account.safety.startSOS()
        phone.tick()
        #expect(account.safety.countdown?.text == "SOS is sent in 5 s")
        #expect(phone.app.navigation.sheet == .sos)
        await account.safety.startSOS()
        #expect(account.outbox.deliveries.count == 1, "a countdown that runs goes on")
        await account.safety.cancelSOS()
        #expect(account.safety.countdown == nil)
        #expect(account.safety.deliveries.map(\.place) == [.cancelled])
        clock.advance(bySeconds: 10)

        network.decide { $0.hasPrefix("POST") ? .hangs : .passes }
        await account.safety.saySafe()
        await account.safety.askForHelp()
        await account.safety.startSOS()
        clock.advance(bySeconds: 6)
        phone.tick()
        network.decide { _ in .passes }
        try await until { account.status.state == .sos }
        try await until { account.waiting.waitingCount == 0 }
        #expect(try await server.declarations(of: "ann").contains("sos"))
        await account.safety.saySafe()
        try await until { account.waiting.waitingCount == 0 }
        #expect(account.status.state == .sos, "“I am safe” ends no SOS")
        #expect(account.safety.deliveries.contains { $0.text.contains("changed nothing") })
        await phone.app.close()
    }

    @Test func `the call of an incident takes the screen until it is acknowledged, also after a restart`() async throws
    {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let phone = Phone(at: server.address, over: server.connections)
            try await phone.signIn("ann")
            try await server.ask("POST", "teams/crew/incidents", #"{"kind":"drill","note":"smoke in hall 2"}"#)
            var account = try phone.account
            // MusterKit may hear of the incident before the feed is there, without the time of its call.
            try await until { account.follower.isLive && account.call.unseen != nil }
            phone.tick()
            #expect(phone.app.navigation.sheet == .call)
            let card = try #require(account.call.unseen)
            #expect(card.isDrill && card.title == "Drill: evacuate" && card.note == "smoke in hall 2")
            await account.call.acknowledge(card.id)
            #expect(account.call.unseen == nil)
            phone.tick()
            #expect(phone.app.navigation.sheet == nil)
            phone.kill()
            await phone.start()
            account = try phone.account
            #expect(account.call.unseen == nil, "what was seen is not shown again")
            try await until {
                let roll = try await server.ask("GET", "incidents/1")["roll"]?.elements
                return roll?.first?["callSeenAt"] != nil
            }
            // An incident that is opened again calls again.
            try await server.ask("POST", "incidents/1/close", #"{"reason":"done"}"#)
            try await until { account.call.cards.isEmpty }
            try await server.ask("POST", "incidents/1/reopen", #"{"reason":"not done"}"#)
            try await until { account.call.unseen != nil }
            await phone.app.close()
        }
    }

    @Test func `a check-in timer runs on the phone without the server, and reminds by itself`() async throws {
        let clock = HandClock()
        try await RunningServer.serve(now: { clock.now }) { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in try await Self.checkIn(server, network, clock, at: address) }
        }
    }

    private static func checkIn(
        _ server: RunningServer, _ network: PickyNetwork, _ clock: HandClock, at address: String
    ) async throws {
        let phone = Phone(at: address, over: server.connections, now: { clock.now })
        try await phone.signIn("ann")
        let account = try phone.account
        try await until { account.follower.isLive }
        #expect(!account.checkIn.isRunning)
        await account.checkIn.start(everySeconds: 900, note: "cleaning tank 4")
        try await until { account.waiting.waitingCount == 0 && account.follower.state.me?.timer != nil }
        phone.tick()
        #expect(account.checkIn.isRunning && account.checkIn.banner == nil)
        try await until {
            phone.tick()
            return phone.notices.shown["checkIn"]?.at == account.checkIn.dueAt
        }

        network.decide { _ in .isAnswered(status: 503, body: "{}") }
        clock.advance(bySeconds: 901)
        phone.tick()
        #expect(account.checkIn.banner?.contains("Check in, or your leaders are notified") ?? false)
        await account.checkIn.checkIn()
        phone.tick()
        #expect(account.checkIn.banner == nil, "a check-in that waits counts on the phone")
        clock.advance(bySeconds: 60)
        network.decide { _ in .passes }
        account.outbox.hurry()
        try await until { account.waiting.waitingCount == 0 }
        let timer = try await server.ask("GET", "users/ann/check-in-timer")
        #expect(timer["note"]?.string == "cleaning tank 4")
        #expect(timer["happened"]?.string == "checkedIn")
        await account.checkIn.end()
        try await until { account.follower.state.me?.timer == nil && account.waiting.waitingCount == 0 }
        await phone.app.close()
    }

    @Test func `the phone says where it thinks the person is, and the server's word replaces it`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let phone = Phone(at: address, over: server.connections)
                try await phone.signIn("ann")
                let account = try phone.account
                try await until { account.follower.isLive && account.muster.regionsVersion > 0 && phone.source.isRead }
                network.decide { _ in .isAnswered(status: 503, body: "{}") }
                for secondsAgo in [60.0, 40, 20, 1] {
                    phone.source.give(.fix(try position(secondsAgo, north: 0)))
                }
                // Safety and regions come by streams of their own.
                try await until {
                    account.phone.safety?.state == .safe && account.phone.regions.contains { $0.standing == .inside }
                }
                phone.tick()
                #expect(account.status.state != .safe, "the phone alone makes nobody safe")
                let guess = "This phone thinks you are inside The meadow. The server has not confirmed it."
                #expect(account.status.guess == guess)
                #expect(account.way.target?.name == "The meadow")
                #expect(account.way.target?.standing == .inside)
                network.decide { _ in .passes }
                account.follower.hurry()
                try await until { account.status.state == .safe }
                #expect(account.status.guess == nil)
                #expect(account.status.lines.first == "Your phone is inside The meadow")
                await phone.app.close()
            }
        }
    }
}

import Foundation
import MusterCore
import MusterKit
import MusterReplication
import MusterWire
import Testing

@testable import MusterApp

/// A drill between one leader's models and those of 15 members, 50 in `make soak`, each on a phone of its own, through
/// cut connections and killed apps: at its end both sides and the server have the same roll.
@MainActor @Suite(.timeLimit(.minutes(10))) struct DrillTests {
    private nonisolated static let members =
        ProcessInfo.processInfo.environment["MUSTER_SOAK_SEEDS"] == nil ? 15 : 50
    /// Another run: `MUSTER_SEED=7`.
    private nonisolated static let seed = ProcessInfo.processInfo.environment["MUSTER_SEED"].flatMap { UInt64($0) } ?? 1

    /// What a member does in the drill.
    private enum Part: Int, CaseIterable {
        case walksIn, saysSafe, needsHelp, isKilledAfterItsWord, isMarkedByLeader
    }

    @Test func `a drill of a leader and many members ends with one roll, through cuts and kills`() async throws {
        print("seed \(Self.seed)")
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["lea"], role: "leader", team: "crew")
            try await server.make(Self.names, team: "crew")
            let port = server.address.split(separator: ":").last.flatMap { Int($0) } ?? 0
            let network = BadNetwork(to: port, seed: Self.seed)
            try await network.run { @MainActor port in
                try await Self.drill(server, network, at: "http://127.0.0.1:\(port)")
            }
        }
    }

    private nonisolated static let names = (0..<members).map { String(format: "m%02d", $0) }
    private static func part(of index: Int) -> Part { Part.allCases[index % Part.allCases.count] }

    private static func drill(_ server: RunningServer, _ network: BadNetwork, at address: String) async throws {
        // Each has its own: one pool gives all phones together eight connections.
        let pools = (0...members).map { _ in HTTPConnections() }
        do {
            try await drill(server, network, at: address, over: pools)
        } catch {
            for pool in pools { await pool.close() }
            throw error
        }
        for pool in pools { await pool.close() }
    }

    private static func drill(
        _ server: RunningServer, _ network: BadNetwork, at address: String, over pools: [HTTPConnections]
    ) async throws {
        let lea = Phone(at: address, over: pools[members])
        try await lea.signIn("lea")
        var phones: [Phone] = []
        for (name, pool) in zip(names, pools) {
            let phone = Phone(at: address, over: pool)
            try await phone.signIn(name)
            phones.append(phone)
        }
        for phone in phones {
            let account = try phone.account
            try await until { account.follower.isLive && account.muster.regionsVersion > 0 && phone.source.isRead }
        }
        try await until { lea.tickedLeader != nil }
        network.setBad(true)
        try await start(lea)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, phone) in phones.enumerated() {
                group.addTask { try await play(part(of: index), on: phone, dice: Dice(seed: seed &+ UInt64(index))) }
            }
            group.addTask { try await lead(lea) }
            try await group.waitForAll()
        }
        #expect(network.cuts > 0, "a network that cuts nothing proves nothing")
        network.setBad(false)
        try await compare(server, lea, phones)
        try await end(server, lea, phones)
    }

    private static func start(_ lea: Phone) async throws {
        let leader = try #require(lea.tickedLeader)
        #expect(leader.incident.noneText != nil)
        #expect(leader.incident.startQuestion(isDrill: true).lines.first?.contains("drill") ?? false)
        await leader.incident.start(isDrill: true, note: "smoke in hall 2")
        try await until { lea.tickedLeader?.incident.card != nil }
        #expect(leader.incident.card?.isDrill == true)
    }

    private static func play(_ part: Part, on phone: Phone, dice: Dice) async throws {
        var dice = dice
        var account = try phone.account
        try await until { account.call.unseen != nil }
        if let card = account.call.unseen { await account.call.acknowledge(card.id) }
        switch part {
        case .walksIn:
            for secondsAgo in [90.0, 70, 50, 30, 10] {
                phone.source.give(.fix(try position(secondsAgo, north: 2)))
                if Bool.random(using: &dice) { phone.kill() }
                if phone.app.account == nil { await phone.start() }
                account = try phone.account
                try await until { phone.source.isRead }
            }
        case .saysSafe: await account.safety.saySafe()
        case .needsHelp: await account.safety.askForHelp(note: "at stairs")
        case .isKilledAfterItsWord:
            await account.safety.saySafe()
            for _ in 0..<Int.random(in: 0...200, using: &dice) { await Task.yield() }
            phone.kill()
            await phone.start()
        case .isMarkedByLeader: break
        }
    }

    /// Lets a phone report from the meadow, as it does while its person stands there, until the server says safe. What
    /// was given to an app that was killed before it stored it never was recorded.
    private static func stay(_ phone: Phone) async throws {
        try await until {
            if try phone.account.status.state == .safe { return true }
            phone.source.give(.fix(try position(0, north: 1)))
            try await Task.sleep(for: .seconds(1))
            return false
        }
    }

    private static func lead(_ lea: Phone) async throws {
        let leader = try #require(lea.tickedLeader)
        for (index, name) in names.enumerated() where part(of: index) == .isMarkedByLeader {
            await leader.person(name).act(.markOffSite, note: "on leave")
        }
        await leader.incident.addVisitor("Mr. Grey", state: "safe", note: "visits lea")
        await leader.incident.requestPAR()
        // An app that is killed among its orders has given each of them once.
        lea.kill()
        await lea.start()
        try await until { lea.tickedLeader?.incident.parText != nil }
        await lea.tickedLeader?.incident.reportPAR("", present: members)
    }

    private static func compare(_ server: RunningServer, _ lea: Phone, _ phones: [Phone]) async throws {
        for phone in phones { try phone.account.outbox.hurry() }
        for phone in phones + [lea] {
            let account = try phone.account
            try await until { account.waiting.waitingCount == 0 }
        }
        for (index, phone) in phones.enumerated() where part(of: index) == .walksIn { try await stay(phone) }
        // Every fifth calls for help, and the leader herself says nothing.
        let helpless = names.indices.count { part(of: $0) == .needsHelp }
        try await until {
            guard let card = lea.tickedLeader?.incident.card else { return false }
            return card.counts.map(\.count) == [members + 1 - helpless, 0, helpless + 1, members + 2]
        }
        let value = try await server.ask("GET", "incidents/1")
        let roll = try #require(value["roll"]?.elements)
        #expect(roll.count == members + 2)
        let rows = try #require(lea.tickedLeader?.incident.crews).flatMap(\.rows)
        let shown = Dictionary(rows.map { ($0.row.name, $0.row.state) }) { first, _ in first }
        #expect(rows.count == roll.count)
        for entry in roll {
            let name = try #require(entry["user"]?.string)
            #expect(shown[name]?.rawValue == entry["state"]?.string, "\(name)")
            if name.hasPrefix("m") { #expect(entry["callSeenAt"] != nil, "\(name) has seen the call") }
        }
        for (name, phone) in zip(names, phones) {
            let account = try phone.account
            try await until { account.status.state == shown[name] }
        }
        // Each word counts once.
        for (index, name) in names.enumerated() {
            let said = try await server.declarations(of: name)
            let expected: [String] =
                switch part(of: index) {
                case .walksIn: []
                case .saysSafe, .isKilledAfterItsWord: ["safe"]
                case .needsHelp: ["needsHelp at stairs"]
                case .isMarkedByLeader: ["offSite on leave"]
                }
            #expect(said == expected, "\(name)")
        }
        #expect(value["par"]?["number"]?.integer == 1, "one round was requested")
    }

    private static func end(_ server: RunningServer, _ lea: Phone, _ phones: [Phone]) async throws {
        let leader = try #require(lea.tickedLeader)
        #expect(leader.incident.allClearQuestion.lines.contains { $0.contains("Not accounted for") })
        await leader.incident.allClear(reason: "exercise over")
        try await until { lea.tickedLeader?.incident.card == nil }
        for phone in phones { try await until { try phone.account.call.cards.isEmpty } }
        let report = try await server.ask("GET", "incidents/1")
        #expect(report["reason"]?.string == "exercise over")
        await leader.incident.loadPast(1)
        #expect(leader.incident.pastCrews(of: 1).flatMap(\.rows).count == members + 2)
        for phone in phones + [lea] { await phone.app.close() }
    }
}

import Foundation
import MusterCore
import MusterKit
import MusterReplication
import MusterWire
import Testing

@testable import MusterApp

/// What a leader sees and does, with a real server over a real socket.
@MainActor @Suite(.timeLimit(.minutes(5))) struct LeaderTests {
    @Test func `10,000 people are on a leader's list, and only those in sight are worded`() async throws {
        try await RunningServer.serve { server in
            try await server.ask("POST", "teams", #"{"name":"crew"}"#)
            let table = "name,role,team\n" + (0..<9_999).map { String(format: "p%04d,,crew\n", $0) }.joined()
            let (status, _) = try await server.connections.sendTable(table, to: server.address)
            try #require(status == 201)
            try await server.make(["lea"], role: "leader", team: "crew")
            let phone = Phone(at: server.address, over: server.connections)
            try await phone.signIn("lea")
            try await until { phone.tickedLeader?.roster.count == 10_000 }
            let roster = try #require(phone.tickedLeader?.roster)
            #expect(roster.rows.count == 50)
            #expect(roster.rows.first?.name == "lea")
            #expect(roster.row(at: 9_999)?.name == "p9998")
            #expect(roster.row(at: 10_000) == nil)
            roster.window = 5_000..<5_020
            #expect(roster.rows.map(\.name).first == "p4999")
            #expect(roster.counts.map(\.count) == [10_000])
            roster.search = "P777"
            #expect(roster.count == 10)
            roster.search = ""
            try await server.ask("POST", "users/p5000/declarations", #"{"kind":"sos","note":"fell"}"#)
            try await until { roster.row(at: 0)?.state == .sos }
            #expect(roster.row(at: 0)?.name == "p5000")
            try await until { roster.row(at: 0)?.note == "“fell”" }
            let alarms = try #require(phone.tickedLeader?.alarms)
            #expect(alarms.cards.map(\.title) == ["SOS from p5000"])
            #expect(phone.app.navigation.sheet == .alarm)
            await alarms.acknowledge("p5000")
            #expect(alarms.cards.isEmpty)
            try await until { roster.row(at: 0)?.knownText.contains("heard by lea") ?? false }
            // Without a network the list is there at once, and says that it is from before.
            await phone.app.enterBackground()
            phone.kill()
            await phone.start()
            #expect(phone.tickedLeader?.roster.count == 10_000)
            await phone.app.close()
        }
    }

    @Test func `visitors are a row of their own in PAR, in every language, and reported as visitors`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["lea"], role: "leader", team: "crew")
            try await server.make(["ann"], team: "crew")
            try await server.ask("PATCH", "users/lea", #"{"displayName":"Lea Berg"}"#)
            try await server.ask("POST", "teams/crew/crews", #"{"name":"Engine 3"}"#)
            try await server.ask("PATCH", "users/lea", #"{"crew":"Engine 3"}"#)
            let phone = Phone(at: server.address, over: server.connections)
            try await phone.signIn("lea")
            try await until { phone.tickedLeader?.roster.count == 2 }
            let number = try #require(
                try await server.ask("POST", "teams/crew/incidents", #"{"kind":"drill"}"#)["number"]?.integer)
            for name in ["Vic", "Val"] {
                try await server.ask("POST", "incidents/\(number)/roll", #"{"name":"\#(name)"}"#)
            }
            let incident = try #require(phone.tickedLeader?.incident)
            try await until { incident.crews.count == 3 }
            await incident.requestPAR()
            try await until { incident.crews.allSatisfy(\.isParDue) && incident.crews.count == 3 }
            #expect(incident.crews.map(\.title) == ["Engine 3", "Without a crew", "Visitors"])
            #expect(incident.crews.map(\.people) == [1, 1, 2])
            #expect(incident.parText?.contains("Lea Berg") ?? false)
            for (language, title) in [
                (Language.spanish, "Visitantes"), (.japanese, "来訪者"), (.chinese, "访客"), (.english, "Visitors"),
            ] {
                phone.app.wording.language = language
                #expect(incident.crews.last?.title == title)
            }
            let visitors = try #require(incident.crews.last)
            await incident.reportPAR(visitors.id, present: 1)
            try await until { incident.crews.map(\.isParDue) == [true, true, false] }
            #expect(incident.crews.last?.par.contains("Lea Berg") ?? false)
            await incident.reportPAR("", present: 1)
            try await until { incident.crews.map(\.isParDue) == [true, false, false] }
            let rows = try await server.ask("GET", "incidents/\(number)")["par"]?["crews"]?.elements ?? []
            let reported = rows.filter { $0["visitors"]?.boolean == true }.map { $0["present"]?.integer }
            #expect(reported == [1])
            #expect(incident.parIntervals.first { $0.isChosen }?.minutes == nil, "by hand")
            await incident.setPARTimer(everyMinutes: 15)
            try await until { incident.parIntervals.first { $0.isChosen }?.minutes == 15 }
            await phone.app.close()
        }
    }

    @Test func `a leader sees one person's place, way and words, and asks where they are`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["lea"], role: "leader", team: "crew")
            try await server.make(["ann"], team: "crew")
            try await server.ask("PATCH", "users/ann", #"{"phone":"+34 985 555 010"}"#)
            let anns = Phone(at: server.address, over: server.connections)
            try await anns.signIn("ann")
            try await until { anns.source.isRead }
            for secondsAgo in [60.0, 40, 20] {
                anns.source.give(.fix(try position(secondsAgo, north: 400 + secondsAgo)))
            }
            try await anns.account.safety.askForHelp(note: "lost")
            let phone = Phone(at: server.address, over: server.connections)
            try await phone.signIn("lea")
            // Before the first position there is no device.
            try await until { (try? await server.positions(of: "ann")) == 3 }
            try await until { phone.tickedLeader?.person("ann").place != nil }
            let person = try #require(phone.tickedLeader?.person("ann"))
            try await until { person.state == .needsHelp }
            #expect(person.callURL?.absoluteString == "tel:+34985555010")
            await person.load()
            #expect(person.problem == nil)
            #expect(person.track.count == 3)
            #expect(person.history.first?.contains("needs help") ?? false)
            #expect(person.history.first?.contains("“lost”") ?? false)
            #expect(person.actions.map(\.id).first == .acknowledge)
            await person.act(.askWhere)
            #expect(person.askedText != nil)
            try await until {
                anns.tick()
                return try anns.account.status.questionText?.contains("lea asks where you are now") ?? false
            }
            #expect(phone.tickedLeader?.whereIs("ann").contains("Needs help") ?? false)
            #expect(phone.tickedLeader?.whereIs("zed") == "There is nobody called zed here.")
            let map = try phone.account.map
            let box = try #require(map.whole)
            #expect(map.marks(in: box).contains { $0.user == "ann" && $0.state == .needsHelp })
            // The regions come with requests of their own.
            try await until {
                phone.tick()
                return map.areas.map(\.name) == ["The meadow"]
            }
            await person.act(.clear)
            try await until { person.state != .needsHelp }
            await anns.app.close()
            await phone.app.close()
        }
    }

    @Test func `an alarm that a leader acknowledged stays away while the server's word of it is on its way`()
        async throws
    {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["lea"], role: "leader", team: "crew")
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let phone = Phone(at: address, over: server.connections)
                try await phone.signIn("lea")
                try await until { phone.tickedLeader != nil }
                let account = try phone.account
                let alarms = try #require(phone.tickedLeader?.alarms)
                try await server.ask("POST", "users/ann/declarations", #"{"kind":"sos"}"#)
                try await until { alarms.cards.count == 1 }
                // The feed ends, and the next one is not there before the team was read.
                network.decide { $0.hasPrefix("GET /api/v1/positions") ? .hangs : .passes }
                account.follower.restart()
                try await until { network.hung > 0 }
                await alarms.acknowledge("ann")
                try await until { account.waiting.waitingCount == 0 }
                #expect(account.follower.state.people["ann"]?.acknowledgedBy == nil)
                #expect(alarms.cards.isEmpty)
                // A later call is another one.
                network.decide { _ in .passes }
                for kind in ["clear", "sos"] {
                    try await server.ask("POST", "users/ann/declarations", #"{"kind":"\#(kind)"}"#)
                }
                account.follower.restart()
                try await until { alarms.cards.count == 1 }
                await phone.app.close()
            }
        }
    }

    @Test func `a region is drawn by finger, tried out, saved, and never overwrites another's edit unseen`()
        async throws
    {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["lea"], role: "leader", team: "crew")
            try await server.ask("POST", "collections", #"{"name":"yards"}"#)
            try await server.ask("PATCH", "trackers/crew", #"{"collections":["site","yards"]}"#)
            let phone = Phone(at: server.address, over: server.connections)
            try await phone.signIn("lea")
            try await until { phone.tickedLeader != nil }
            let regions = try #require(phone.tickedLeader?.regions)
            await regions.load()
            #expect(regions.rows.map(\.title) == ["The meadow"])
            #expect(regions.writable.contains("yards"))

            let editor = regions.editor(of: nil)
            await editor.load(around: MapModel.Place(latitude: 52, longitude: 13))
            editor.collection = "yards"
            #expect(!editor.canSave, "a region without a name")
            editor.name = "North yard"
            editor.choose(.polygon)
            editor.tap(MapModel.Place(latitude: 52, longitude: 13.001))
            #expect(editor.fault == "Three vertices at least are needed.")
            editor.tap(MapModel.Place(latitude: 52.001, longitude: 13.001))
            editor.tap(MapModel.Place(latitude: 52.001, longitude: 13))
            #expect(editor.fault == nil)
            editor.move(1, to: MapModel.Place(latitude: 52.002, longitude: 13))
            editor.undo()
            #expect(editor.canRedo && editor.vertices[1].longitude == 13.001)
            await editor.tryOut()
            #expect(editor.problem == nil)
            #expect(editor.effects == ["It changes nothing for anybody who is there now."])
            await editor.save()
            #expect(editor.isDone, "\(editor.problem ?? "")")
            let row = try #require(regions.row(collection: "yards", id: "north-yard"))
            try await until {
                phone.tick()
                return try phone.account.map.areas.contains { $0.name == "North yard" }
            }

            let first = regions.editor(of: row)
            let second = regions.editor(of: row)
            await first.load()
            await second.load()
            #expect(first.vertices.count == 4 && first.tool == .polygon)
            first.name = "North yard, new"
            second.isMuster = false
            await first.save()
            await second.save()
            #expect(first.isDone && !second.isDone)
            #expect(second.problem?.contains("Somebody else changed it meanwhile") ?? false)
            await second.load()
            #expect(second.name == "North yard, new" && second.isMuster)
            await second.remove()
            #expect(second.isDone)
            #expect(regions.row(collection: "yards", id: "north-yard") == nil)
            await phone.app.close()
        }
    }

    @Test func `every call of a leader's and a member's models can be cancelled at once, and works afterwards`()
        async throws
    {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["lea"], role: "leader", team: "crew")
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                try await Self.cancelEverything(server, network, at: address)
            }
        }
    }

    private static func cancelEverything(
        _ server: RunningServer, _ network: PickyNetwork, at address: String
    ) async throws {
        let phone = Phone(at: address, over: server.connections)
        network.decide { $0.hasPrefix("POST /api/login") ? .hangs : .passes }
        (phone.app.signIn.server, phone.app.signIn.user, phone.app.signIn.password) = (address, "lea", "x")
        let attempt = Task { await phone.app.signIn.signIn() }
        try await until { network.hung > 0 }
        #expect(phone.app.signIn.isBusy)
        attempt.cancel()
        await attempt.value
        #expect(!phone.app.signIn.isBusy && phone.app.face == .signIn)

        network.decide { _ in .passes }
        try await phone.signIn("lea")
        try await until { phone.tickedLeader?.roster.count == 2 }
        let account = try phone.account
        let leader = try #require(phone.tickedLeader)
        let person = leader.person("ann")
        let editor = leader.regions.editor(of: nil)
        network.decide { $0.hasPrefix("GET /api/v1/live") ? .passes : .hangs }
        let calls: [@MainActor () async -> Void] = [
            { await account.visibility.load() }, { await person.load() }, { await person.loadAnswer() },
            { await person.act(.askWhere) }, { await leader.regions.load() }, { await leader.incident.loadPast(1) },
            { await account.settings.synchronizeDatasets() }, { await account.waiting.sendNow() },
            { await editor.load() }, { await account.follower.reload() },
            { await phone.app.handle(push: ["kind": "locate"]) }, { _ = await phone.app.whereIs("ann") },
        ]
        for call in calls {
            let task = Task { await call() }
            await Task.yield()
            task.cancel()
            await task.value
        }
        #expect(!account.visibility.isLoading && !person.isLoading && !leader.regions.isLoading && !editor.isBusy)
        // Orders and words are taken all the same: a person has pressed the button.
        let word = Task { await account.safety.saySafe() }
        word.cancel()
        await word.value
        network.decide { _ in .passes }
        account.outbox.hurry()
        try await until { try await server.declarations(of: "lea") == ["safe"] }
        await account.visibility.load()
        #expect(!account.visibility.lines.isEmpty)
        await person.load()
        await leader.regions.load()
        #expect(person.problem == nil && leader.regions.rows.count == 1)
        await phone.app.close()
    }
}

extension HTTPConnections {
    /// Imports a table of users as the admin.
    func sendTable(_ table: String, to address: String) async throws -> (status: Int, body: [UInt8]) {
        let secret = Data("admin:admin's secret".utf8).base64EncodedString()
        let transport = AsyncHTTPTransport()
        let request = HTTPTransportRequest(
            method: "POST", url: address + "/api/v1/user-imports",
            headers: [
                HTTPHeaderField("Content-Type", "text/csv"), HTTPHeaderField("Authorization", "Basic " + secret),
            ],
            body: .bytes(Array(table.utf8)), deadlineSeconds: 60)
        let response = try await transport.send(request)
        let body = try await response.collect(upTo: 1 << 20)
        await transport.close()
        return (response.status, body)
    }
}

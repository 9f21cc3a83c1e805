import Foundation
import MusterCore
import MusterGeometry
import MusterKit
import MusterReplication
import MusterWire
import Testing

/// What an app sees of a `Muster`, with a real server over a real socket.
@Suite struct MusterTests {
    @Test func `tracking begun before signing in waits, then records, crosses, makes safe and sends`() async throws {
        try await RunningServer.run { server in
            try await makeMeadowOfAnn(server)
            let device = Device(server)
            let muster = try await device.open()
            let source = AsyncStream.makeStream(of: Muster.Location.self)
            let crossings = muster.crossings
            let events = muster.track(source.stream)
            try await muster.signIn(user: "ann", password: RunningServer.memberPassword)
            let inside = try location(40, north: 0)
            try await until { !muster.musterRegions(near: inside).isEmpty }
            source.continuation.yield(try location(600, north: 300))
            for fix in [inside, try location(25, north: 0), try location(10, north: 0)] {
                source.continuation.yield(fix)
            }
            source.continuation.finish()

            var told: [Muster.Event] = []
            for await event in events { told.append(event) }
            #expect(told.first == .account(.signedOut))
            #expect(told.contains(.account(.signedIn(user: "ann"))))
            #expect(told.count { if case .recorded = $0 { true } else { false } } == 4)
            let meadow = Muster.RegionName(collection: "site", id: "meadow")
            #expect(told.contains { if case .crossed(let crossing) = $0 { crossing.kind == .entered } else { false } })
            for await crossing in crossings {
                #expect(crossing.kind == .entered)
                #expect(crossing.region == meadow)
                #expect(abs(crossing.time.timeIntervalSince(inside.time)) < 0.002)
                break
            }
            for await safety in muster.safety where safety.state == .safe {
                #expect(safety.region == meadow)
                break
            }
            for await regions in muster.regions where regions.contains(where: { $0.standing == .inside }) {
                #expect(regions.map(\.title) == ["The meadow"])
                #expect(regions[0].isMuster)
                break
            }
            #expect(try await server.positions(of: "ann") == 4)
            #expect(try await muster.unsentCount() == 0)
            try await muster.close()
            await #expect(throws: MusterError.closed) { try await muster.report(inside) }
        }
    }

    @Test func `a device that starts without a network records, decides, and sends when there is one`() async throws {
        try await RunningServer.run { server in
            try await makeMeadowOfAnn(server)
            let network = PickyNetwork(to: server)
            try await network.run { address in
                let device = Device(server, at: address)
                let first = try await device.open()
                try await first.signIn(user: "ann", password: RunningServer.memberPassword)
                let inside = try location(10, north: 0)
                try await until { !first.musterRegions(near: inside).isEmpty }
                try await first.close()

                network.decide { _ in .isAnswered(status: 503, body: #"{"detail":"the server starts"}"#) }
                let muster = try await device.open()
                #expect(muster.musterRegions(near: inside).map(\.title) == ["The meadow"])
                for await account in muster.account {
                    #expect(account == .signedIn(user: "ann"))
                    break
                }
                for index in [3.0, 2, 1] { try await muster.report(try location(index * 300, north: 300)) }
                for secondsAgo in [40.0, 25, 10] { try await muster.report(try location(secondsAgo, north: 0)) }
                for await safety in muster.safety where safety.state == .safe { break }
                await #expect {
                    try await muster.send()
                } throws: { error in
                    if case MusterError.away = error { true } else { false }
                }
                #expect(try await server.ask("GET", "devices?user=ann")["items"]?.elements?.isEmpty == true)
                #expect(try await muster.recentLocations().count == 6)

                network.decide { _ in .passes }
                // A call joins an attempt that is under way, and that one may fail still; but not after a recording.
                try await muster.report(try location(5, north: 0))
                try await muster.send()
                #expect(try await server.positions(of: "ann") == 7)
                try await muster.close()

                // A device that starts again knows its last safety before the server answers.
                network.decide { _ in .isAnswered(status: 503, body: "") }
                let again = try await device.open()
                for await safety in again.safety where safety.state == .safe { break }
                for await regions in again.regions where regions.first?.standing == .inside { break }
                try await again.close()
            }
        }
    }

    @Test func `a sign-in waits for a server that has no room, and says why`() async throws {
        try await RunningServer.run { server in
            try await makeMeadowOfAnn(server)
            let network = PickyNetwork(to: server)
            try await network.run { address in
                let device = Device(server, at: address)
                let muster = try await device.open()
                for status in [503, 507] {
                    network.decide { _ in .isAnswered(status: status, body: #"{"detail":"the disk is full"}"#) }
                    await #expect {
                        try await muster.signIn(user: "ann", password: "wrong", waitsForServer: false)
                    } throws: { error in
                        guard case MusterError.away(let reason) = error else { return false }
                        return reason.contains("\(status)") && reason.contains("the disk is full")
                    }
                }
                let accounts = muster.account
                async let signIn: Void = muster.signIn(user: "ann", password: RunningServer.memberPassword)
                for await account in accounts {
                    guard case .signingIn("ann", let reason?) = account else { continue }
                    #expect(reason == "the server cannot answer now (status 507): the disk is full")
                    break
                }
                network.decide { _ in .passes }
                try await signIn
                #expect(muster.session?.user == "ann")
                try await muster.close()
            }
        }
    }

    @Test func `a sign-in that waits ends with its task, and with signing out`() async throws {
        let device = Device(nil, at: "http://127.0.0.1:1")
        let muster = try await device.open()
        for isCancelled in [true, false] {
            let accounts = muster.account
            let signIn = Task { try await muster.signIn(user: "ann", password: "a password") }
            for await account in accounts {
                guard case .signingIn(_, _?) = account else { continue }
                break
            }
            if isCancelled { signIn.cancel() } else { try await muster.signOut() }
            await #expect(throws: MusterError.cancelled) { try await signIn.value }
            for await account in muster.account {
                #expect(account == .signedOut)
                break
            }
        }
        await #expect(throws: MusterError.signedOut) { try await muster.send() }
        try await muster.close()
    }

    @Test func `a permission that the person withdraws is an event, and tracking goes on when it is back`()
        async throws
    {
        try await RunningServer.run { server in
            try await makeMeadowOfAnn(server)
            let device = Device(server)
            let muster = try await device.open()
            try await muster.signIn(user: "ann", password: RunningServer.memberPassword)
            let source = try ScriptedSource([
                .fix(try location(60, north: 0)), .availability(.denied), .availability(.available),
                .fix(try location(30, north: 100)),
            ])
            var told: [LocationAvailability] = []
            var recorded = 0
            for await event in muster.track(source) {
                if case .availability(let availability) = event { told.append(availability) }
                if case .recorded = event { recorded += 1 }
            }
            #expect(told == [.denied, .available])
            #expect(recorded == 2)
            #expect(LocationAvailability.denied.description.contains("allow it in the settings"))
            try await muster.close()
        }
    }

    @Test func `after the password was changed recording goes on, and signing in again sends it`() async throws {
        try await RunningServer.run { server in
            try await makeMeadowOfAnn(server)
            let device = Device(server)
            let muster = try await device.open()
            try await muster.signIn(user: "ann", password: RunningServer.memberPassword)
            try await server.ask("PUT", "users/ann/password", #"{"password":"another secret"}"#)
            try await muster.report(try location(10, north: 0))
            await #expect {
                try await muster.send()
            } throws: { error in
                if case MusterError.signInNeeded = error { true } else { false }
            }
            for await account in muster.account {
                if case .signInNeeded(user: "ann", _) = account { break }
            }
            try await muster.report(try location(5, north: 100))
            await #expect {
                try await muster.signInAgain(password: "wrong password")
            } throws: { error in
                if case MusterError.refused = error { true } else { false }
            }
            try await muster.signInAgain(password: "another secret")
            try await muster.send()
            #expect(try await server.positions(of: "ann") == 2)
            try await muster.close()
        }
    }

    @Test func `a key that had to make room is renewed without asking anybody`() async throws {
        try await RunningServer.run { server in
            try await makeMeadowOfAnn(server)
            let device = Device(server)
            let muster = try await device.open()
            try await muster.signIn(user: "ann", password: RunningServer.memberPassword)
            let elsewhere = FileCredentialKeeper(path: temporaryPath())
            for _ in 0..<17 {
                _ = try await MusterKit.Session.signIn(
                    at: server.address, user: "ann", password: RunningServer.memberPassword, elsewhere,
                    connections: server.connections)
            }
            try await muster.report(try location(10, north: 0))
            try await muster.send()
            #expect(try await server.positions(of: "ann") == 1)
            for await account in muster.account {
                #expect(account == .signedIn(user: "ann"))
                break
            }
            try await muster.close()
        }
    }

    @Test func `locations of one person are not sent for another who signs in on the device`() async throws {
        try await RunningServer.run { server in
            try await makeMeadowOfAnn(server)
            try await server.ask(
                "POST", "users",
                #"{"name":"bob","role":"member","password":"\#(RunningServer.memberPassword)"}"#)
            let device = Device(server)
            let muster = try await device.open()
            try await muster.signIn(user: "ann", password: RunningServer.memberPassword)
            try await muster.report(try location(10, north: 0))
            try await muster.signOut()
            await #expect(throws: MusterError.signedOut) { try await muster.report(try location(5, north: 0)) }
            await #expect(throws: MusterError.storeOfAnother(user: "ann")) {
                try await muster.signIn(user: "bob", password: RunningServer.memberPassword)
            }
            // Removed and made again, ann is another account, also after signing out.
            try await server.ask("DELETE", "users/ann")
            _ = try await server.member("ann", of: "crew")
            await #expect(throws: MusterError.anotherAccount(user: "ann")) {
                try await muster.signIn(user: "ann", password: RunningServer.memberPassword)
            }
            #expect(try device.keeper.loadCredentials() == nil)
            try await muster.signIn(
                user: "ann", password: RunningServer.memberPassword, allowingAccountChange: true)
            try await muster.send()
            #expect(try await server.positions(of: "ann") == 1)
            try await muster.close()
        }
    }

    @Test func `one source is tracked at a time, and an invalid location is reported and left out`() async throws {
        try await RunningServer.run { server in
            try await makeMeadowOfAnn(server)
            let device = Device(server)
            let muster = try await device.open()
            try await muster.signIn(user: "ann", password: RunningServer.memberPassword)
            let first = AsyncStream.makeStream(of: Muster.Location.self)
            let firstEvents = muster.track(first.stream)
            let second = AsyncStream.makeStream(of: Muster.Location.self)
            let secondEvents = muster.track(second.stream)
            for await _ in firstEvents {}
            second.continuation.yield(.init(latitude: 91, longitude: 0, time: Date()))
            second.continuation.yield(.init(latitude: 0, longitude: 0, time: Date(timeIntervalSince1970: .infinity)))
            second.continuation.finish()
            var failures: [MusterError] = []
            for await event in secondEvents {
                if case .failed(let failure) = event { failures.append(failure) }
            }
            #expect(failures == [.illegalLocation, .illegalLocation])
            #expect(try await muster.recentLocations().isEmpty)
            try await muster.close()
        }
    }

    @Test func `an error says why a store cannot be opened`() async throws {
        let device = Device(nil, at: "http://127.0.0.1:1")
        await #expect(throws: MusterError.illegalServer("ftp://x")) { try await Muster.open("ftp://x") }
        var options = device.options
        options.key = Data(repeating: 1, count: 32)
        let muster = try await device.open(options)
        try await muster.close()
        await #expect(throws: MusterError.wrongKey) { try await device.open() }
        options.key = Data(repeating: 1, count: 20)
        await #expect(throws: MusterError.illegalKey) { try await device.open(options) }
        #expect(MusterError.wrongKey.localizedDescription == "the store was sealed with another key")
    }

    // MARK: Pieces

    /// A device with a store and credentials of its own.
    private struct Device {
        let address: String
        let store = URL(filePath: temporaryPath())
        let keeper = FileCredentialKeeper(path: temporaryPath())
        var options = Muster.Options()

        init(_ server: RunningServer?, at address: String? = nil) {
            self.address = address ?? server?.address ?? ""
            options.foreground = .everything
            if let server { options.connections = server.connections }
            options.pacing.sleep = { _ in try await Task.sleep(for: .milliseconds(100)) }
        }

        func open(_ options: Muster.Options? = nil) async throws -> Muster {
            try await Muster.open(address, store: store, credentials: keeper, options: options ?? self.options)
        }
    }

    /// A source that delivers what a test says.
    private struct ScriptedSource: LocationUpdateSource {
        let script: [LocationUpdate]

        init(_ script: [Step]) throws {
            self.script = try script.map { step in
                switch step {
                case .fix(let location):
                    let place = try Coordinate(latitude: location.latitude, longitude: location.longitude)
                    let time = Instant(seconds: location.time.timeIntervalSince1970)
                    return .fix(Position(coordinate: place, sampleTime: time, receivedTime: time))
                case .availability(let availability): return .availability(availability)
                }
            }
        }

        enum Step {
            case fix(Muster.Location)
            case availability(LocationAvailability)
        }

        func fixes() -> AsyncStream<Position> { AsyncStream { $0.finish() } }

        func updates() -> AsyncStream<LocationUpdate> {
            AsyncStream { continuation in
                for update in script { continuation.yield(update) }
                continuation.finish()
            }
        }
    }

    /// A team with ann in it, and a muster region around the place that `location` counts from.
    private func makeMeadowOfAnn(_ server: RunningServer) async throws {
        try await server.makeMeadow()
        _ = try await server.member("ann", of: "crew")
    }

    private func location(_ secondsAgo: Double, north metres: Double) throws -> Muster.Location {
        let place = try fix(0, north: metres).coordinate
        return Muster.Location(
            latitude: place.latitude, longitude: place.longitude, time: Date(timeIntervalSinceNow: -secondsAgo),
            accuracyMetres: 5)
    }
}

import Foundation
import MusterCore
import MusterKit
import Testing

@testable import MusterApp

/// What a person allows the app to know of their place, what it says without that, and what it makes of the place.
@MainActor @Suite(.timeLimit(.minutes(5))) struct PositionTests {
    /// A person who allows some things, and says yes where they were not asked.
    private struct Permissions: PermissionKeeper {
        let states: [Permission: PermissionState]

        func state(of permission: Permission) async -> PermissionState { states[permission] ?? .unavailable }

        func ask(for permission: Permission) async -> PermissionState {
            let state = await self.state(of: permission)
            return state == .notAsked ? .granted : state
        }
    }

    @Test func `each permission that is missing is told with what fails without it, and what to do`() async throws {
        let permissions = Permissions(states: [
            .location: .granted, .locationAlways: .denied, .preciseLocation: .denied, .notifications: .notAsked,
            .camera: .restricted,
        ])
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let phone = Phone(at: server.address, over: server.connections, permissions: permissions)
            try await phone.signIn("ann")
            let settings = try phone.account.settings
            await settings.readPermissions()
            let lines = settings.permissions
            try #require(lines.map(\.id) == [.location, .locationAlways, .preciseLocation, .notifications, .camera])
            let words = Words(.english)
            #expect(lines[0].advice.isEmpty && lines[0].button == nil)
            #expect(lines[1].advice == "Without it you are found only while the app is open.")
            #expect(lines[2].advice.hasPrefix("A rough place shows where you cannot be"))
            // The system asks once: after a no the person has to go to the settings.
            for line in lines[1...2] { #expect(line.opensSettings && line.button == words.text(.permissionsSettings)) }
            #expect(lines[3].button == words.text(.permissionsAsk) && !lines[3].opensSettings)
            #expect(!lines[4].advice.isEmpty && lines[4].button == nil, "what a profile forbids nobody can allow")
            #expect(settings.missing?.id == .locationAlways)
            await settings.ask(for: .notifications)
            #expect(settings.permissions[3].state == .granted)
            await phone.app.close()
        }
    }

    @Test func `positions that do not come, or come roughly, are told with what to do`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let phone = Phone(at: server.address, over: server.connections)
            try await phone.signIn("ann")
            let account = try phone.account
            try await until { phone.source.isRead && account.muster.regionsVersion > 0 }
            let words = Words(.english)
            #expect(account.settings.trackingText == words.text(.trackingAsking))
            let cases: [(LocationAvailability, Word)] = [
                (.reducedAccuracy, .trackingCoarse), (.noPosition, .trackingNoPosition), (.denied, .trackingDenied),
                (.available, .trackingAsking), (.restricted, .trackingDenied),
                (.deniedForAllApps, .trackingDenied),
            ]
            for (availability, word) in cases {
                phone.source.give(.availability(availability))
                try await until { account.phone.availability == availability }
                #expect(account.settings.trackingText == words.text(word))
            }
            phone.tick()
            #expect(account.way.nothingText == words.text(.wayDenied))
            account.settings.setReporting(false)
            #expect(account.settings.trackingText == words.text(.trackingOff))
            #expect(account.wakingCircles == [], "who reports nothing is not woken")
            await phone.app.close()
        }
    }

    @Test func `the arrow turns with the phone, and the way is there without a network`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let phone = Phone(at: address, over: server.connections)
                try await phone.signIn("ann")
                let account = try phone.account
                try await until { phone.source.isRead && account.muster.regionsVersion > 0 }
                phone.source.give(.fix(try position(0, north: 400)))
                try await until { account.way.target?.distanceMetres != nil }
                let way = account.way
                #expect(abs((way.target?.distanceMetres ?? 0) - 350) < 3)
                #expect(abs((way.arrowDegrees ?? 0) - 180) < 1, "the meadow is south, and the map's top is north")
                #expect(way.headingText == Words(.english).text(.wayByNorth))
                account.phone.heading = .init(degrees: 90, accuracyDegrees: 5)
                #expect(abs((way.arrowDegrees ?? 0) - 90) < 1, "who looks east turns right")
                #expect(way.target?.directionText.hasSuffix("to your right") ?? false)
                account.phone.heading = .init(degrees: 90, accuracyDegrees: 40)
                #expect(way.headingText.contains("40"), "a rough compass is told")
                // What a widget or a watch gets is a value without the app.
                let snapshot = try #require(way.snapshot)
                #expect(try JSONDecoder().decode(WaySnapshot.self, from: JSONEncoder().encode(snapshot)) == snapshot)
                let status = account.status.snapshot
                #expect(try JSONDecoder().decode(StatusSnapshot.self, from: JSONEncoder().encode(status)) == status)

                network.decide { _ in .isAnswered(status: 503, body: "{}") }
                phone.kill()
                await phone.start()
                try await until {
                    phone.tick()
                    return try phone.account.way.points.map(\.name) == ["The meadow"]
                }
                await phone.app.close()
            }
        }
    }

    @Test func `during a pause no position is read, and an incident ends it`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.ask("PATCH", "teams/crew", #"{"allowsPause":true}"#)
            try await server.make(["ann"], team: "crew")
            let phone = Phone(at: server.address, over: server.connections)
            try await phone.signIn("ann")
            let account = try phone.account
            try await until { account.follower.isLive && account.visibility.mayPause && phone.source.isRead }
            await account.visibility.pause(forSeconds: 600, note: "at the dentist")
            try await until {
                phone.tick()
                return account.visibility.isPausing && !phone.source.isRead
            }
            #expect(account.visibility.pauseText != nil && !account.isReporting)
            try await server.ask("POST", "teams/crew/incidents", #"{"kind":"real"}"#)
            try await until {
                phone.tick()
                return account.isReporting && phone.source.isRead
            }
            #expect(!account.visibility.mayPause, "nobody pauses during an incident")
            await phone.app.close()
        }
    }
}

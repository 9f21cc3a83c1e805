import Foundation
import MusterKit
import Synchronization
import Testing

@testable import MusterApp

/// The tokens by which a phone and its Live Activities are reached.
@Suite struct PushTokenTests {
    /// What a phone asked below `/push/devices`: the body of each registration, the first line of each removal.
    private final class Registrations: Sendable {
        private let asked = Mutex<[String]>([])

        var all: [String] { asked.withLock { $0 } }

        func has(_ text: String) -> Bool { all.contains { $0.contains(text) } }

        /// - Returns: how many there were, with this one.
        func add(_ request: String) -> Int {
            let word = request.split(separator: " ").prefix(2).joined(separator: " ")
            let body = request.split(separator: "\r\n").last.map(String.init) ?? ""
            return asked.withLock { asked in
                asked.append(request.hasPrefix("POST") ? body : word)
                return asked.count
            }
        }
    }

    /// Runs `body` with a phone on which ann is signed in, at a server that answers registrations with the status that
    /// `status` decides by the request.
    private static func serve(
        answering status: @escaping @Sendable (String) -> Int,
        _ body: @escaping @MainActor @Sendable (Phone, Registrations) async throws -> Void
    ) async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let registrations = Registrations()
                network.decide { request in
                    guard request.contains("/push/devices") else { return .passes }
                    let number = registrations.add(request)
                    return .isAnswered(status: status(request), body: #"{"id":"device-\#(number)"}"#)
                }
                // Signing out waits for the removals, and not for some seconds at most.
                let phone = Phone(at: address, over: server.connections, longSeconds: 5)
                try await phone.signIn("ann")
                try await body(phone, registrations)
            }
        }
    }

    @Test func `tokens of Live Activities are registered beside the phone's, and go when the person signs out`()
        async throws
    {
        // The incident 8 is over.
        try await Self.serve(answering: { $0.contains(#""activity":8"#) ? 422 : 201 }) { phone, asked in
            phone.app.take(pushToken: Data([1]), isDebugging: true)
            phone.app.take(activityToken: Data([2]), of: .start, isDebugging: true)
            phone.app.take(activityToken: Data([8]), of: .incident(8), isDebugging: true)
            phone.app.take(activityToken: Data([7]), of: .incident(7), isDebugging: true)
            try await until {
                phone.tick()
                return asked.has(#""token":"07","activity":7"#) && asked.has(#""activity":"start""#)
                    && asked.has(#""token":"01"}"#)
            }
            #expect(asked.has(#"{"platform":"apns-sandbox","token":"02","activity":"start"}"#))
            try await until { try await phone.account.muster.isDeviceRegistered }
            // The app sends no token again that the server refused, or that the system gives once more.
            let before = asked.all.count
            phone.app.take(activityToken: Data([8]), of: .incident(8), isDebugging: true)
            try phone.account.onReachable(false)
            phone.tick()
            try await phone.pause()
            #expect(asked.all.count <= before + 1)
            try await phone.account.settings.signOut(erases: false)
            let removed = asked.all.filter { $0.hasPrefix("DELETE") }
            #expect(Set(removed).count == 3, "\(removed)")
            #expect(phone.app.face == .signIn)
        }
    }

    @Test func `a token that the server does not take now holds up no other`() async throws {
        try await Self.serve(answering: { $0.contains(#""activity":"start"#) ? 503 : 201 }) { phone, asked in
            phone.app.take(activityToken: Data([2]), of: .start, isDebugging: true)
            try await until {
                phone.tick()
                return asked.has(#""activity":"start""#)
            }
            phone.app.take(activityToken: Data([7]), of: .incident(7), isDebugging: true)
            phone.app.take(pushToken: Data([1]), isDebugging: true)
            try await until {
                phone.tick()
                return asked.has(#""token":"01"}"#) && asked.has(#""activity":7"#)
            }
            await phone.app.close()
        }
    }
}

import Foundation
import MusterKit
import Synchronization
import Testing

@testable import MusterApp

/// The tokens by which a phone and its Live Activities are reached.
@Suite struct PushTokenTests {
    @Test func `tokens of Live Activities are registered beside the phone's, and go when the person signs out`()
        async throws
    {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let asked = Mutex<[String]>([])
                network.decide { request in
                    guard request.contains("/push/devices") else { return .passes }
                    let word = request.split(separator: " ").prefix(2).joined(separator: " ")
                    let body = request.split(separator: "\r\n").last.map(String.init) ?? ""
                    asked.withLock { $0.append(request.hasPrefix("POST") ? body : word) }
                    // An incident that is over.
                    if body.contains(#""activity":8"#) { return .isAnswered(status: 422, body: "{}") }
                    let count = asked.withLock { $0.count }
                    return .isAnswered(status: 201, body: #"{"id":"device-\#(count)"}"#)
                }
                let phone = Phone(at: address, over: server.connections)
                try await phone.signIn("ann")
                phone.app.take(pushToken: Data([1]), isDebugging: true)
                phone.app.take(activityToken: Data([2]), of: .start, isDebugging: true)
                phone.app.take(activityToken: Data([8]), of: .incident(8), isDebugging: true)
                phone.app.take(activityToken: Data([7]), of: .incident(7), isDebugging: true)
                func has(_ text: String) -> Bool { asked.withLock { $0.contains { $0.contains(text) } } }
                try await until {
                    phone.tick()
                    return has(#""token":"07","activity":7"#) && has(#""activity":"start""#) && has(#""token":"01"}"#)
                }
                #expect(has(#"{"platform":"apns-sandbox","token":"02","activity":"start"}"#))
                try await until { try await phone.account.muster.isDeviceRegistered }
                // What the server will not take is not sent again, and the same token from the system neither.
                let before = asked.withLock { $0.count }
                phone.app.take(activityToken: Data([8]), of: .incident(8), isDebugging: true)
                try phone.account.onReachable(false)
                phone.tick()
                try await phone.pause()
                #expect(asked.withLock { $0.count } <= before + 1)
                try await phone.account.settings.signOut(erases: false)
                let removed = asked.withLock { $0.filter { $0.hasPrefix("DELETE") } }
                #expect(Set(removed).count == 3, "\(removed)")
                #expect(phone.app.face == .signIn)
            }
        }
    }

    @Test func `a token that the server does not take now holds up no other`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let asked = Mutex<[String]>([])
                network.decide { request in
                    guard request.contains("/push/devices") else { return .passes }
                    asked.withLock { $0.append(request.split(separator: "\r\n").last.map(String.init) ?? "") }
                    let fails = request.contains(#""activity":"start"#)
                    return .isAnswered(status: fails ? 503 : 201, body: #"{"id":"device"}"#)
                }
                let phone = Phone(at: address, over: server.connections)
                try await phone.signIn("ann")
                phone.app.take(activityToken: Data([2]), of: .start, isDebugging: true)
                func has(_ text: String) -> Bool { asked.withLock { $0.contains { $0.contains(text) } } }
                try await until { has(#""activity":"start""#) }
                phone.app.take(activityToken: Data([7]), of: .incident(7), isDebugging: true)
                phone.app.take(pushToken: Data([1]), isDebugging: true)
                try await until {
                    phone.tick()
                    return has(#""token":"01"}"#) && has(#""activity":7"#)
                }
                await phone.app.close()
            }
        }
    }
}

import Foundation
import MusterKit
import Synchronization
import Testing

@testable import MusterApp

/// Datasets that follow a person across phones.
@MainActor @Suite(.timeLimit(.minutes(5))) struct DatasetPushTests {
    @Test func `a dataset of another phone is found, is subscribed to, and follows a silent push`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let other = Phone(at: server.address, over: server.connections)
            try await other.signIn("ann")
            let theirs = try other.account.muster.dataset("settings")
            try await theirs.put("dark", for: "theme")
            try await theirs.synchronize()
            let network = PickyNetwork(to: server)
            try await network.run { @MainActor address in
                let phone = Phone(at: address, over: server.connections)
                try await phone.signIn("ann")
                try await Self.follow(theirs, on: phone, network)
                await phone.app.close()
            }
            await other.app.close()
        }
    }

    private static func follow(_ theirs: Muster.Dataset, on phone: Phone, _ network: PickyNetwork) async throws {
        let subscribed = Mutex<[String]>([])
        network.decide { request in
            if request.contains("/subscriptions/") {
                let line = request.split(separator: " ").prefix(2).joined(separator: " ")
                subscribed.withLock { $0.append(line) }
                return .isAnswered(status: 200, body: "{}")
            }
            guard request.contains("/push/devices") else { return .passes }
            return .isAnswered(status: 201, body: #"{"id":"device-1"}"#)
        }
        let account = try phone.account
        await account.settings.synchronizeDatasets()
        #expect(account.settings.datasetsProblem == nil && account.settings.datasets == ["settings"])
        let mine = try account.muster.dataset("settings")
        #expect(try await mine.get("theme") == "dark")
        #expect(subscribed.withLock { $0.isEmpty }, "the system has given no token yet")
        phone.app.take(pushToken: Data([1]), isDebugging: true)
        try await until { subscribed.withLock { $0.count } == 1 }
        await account.settings.synchronizeDatasets()
        let line = "PUT /api/v1/datasets/settings/subscriptions/device-1"
        #expect(subscribed.withLock { $0 } == [line, line])

        try await theirs.put("light", for: "theme")
        try await theirs.synchronize()
        let push = [
            "source": "cognito-sync", "identityPoolId": "r:crew", "identityId": "r:ann", "datasetName": "settings",
            "syncCount": "2",
        ]
        #expect(await phone.app.handle(push: push))
        #expect(try await mine.get("theme") == "light")
        #expect(await phone.app.handle(push: push) == false, "what the phone has is not asked for again")
    }
}

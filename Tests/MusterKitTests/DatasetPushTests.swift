import Foundation
import MusterKit
import Testing

/// Pushes that tell a device of a dataset's change, and what has to be said for them to come.
@Suite struct DatasetPushTests {
    @Test func `a device registers for pushes, subscribes, and says in its updates which it is`() async throws {
        try await DatasetDevice.run { device, network in
            let settings = try device.muster.dataset("settings")
            await #expect(throws: MusterError.deviceNotRegistered) { try await settings.subscribe() }
            let asked = Requests()
            network.decide { request in
                asked.add(request)
                if request.hasPrefix("POST /api/v1/push/devices") {
                    return .isAnswered(status: 201, body: #"{"id":"device-1"}"#)
                }
                return request.contains("/subscriptions/") ? .isAnswered(status: 204, body: "") : .passes
            }
            #expect(try await device.muster.registerDevice(Data([0xAB, 0x01]), isDebugging: true) == "device-1")
            #expect(asked.haveOne { $0.contains(#"{"platform":"apns-sandbox","token":"ab01"}"#) })
            try await device.close()
            try await device.reopen()
            #expect(try await device.muster.isDeviceRegistered)

            let again = try device.muster.dataset("settings")
            try await again.put("dark", for: "theme")
            try await again.synchronize()
            #expect(asked.haveOne { $0.contains(#""pushDevice":"device-1""#) })
            try await device.muster.subscribeAll()
            #expect(asked.haveOne { $0.hasPrefix("PUT /api/v1/datasets/settings/subscriptions/device-1 ") })
            try await again.unsubscribe()
            #expect(asked.haveOne { $0.hasPrefix("DELETE /api/v1/datasets/settings/subscriptions/device-1 ") })

            // The server removes a device whose token is dead.
            network.decide { _ in .isAnswered(status: 404, body: "{}") }
            await #expect(throws: MusterError.deviceNotRegistered) { try await again.subscribe() }
            #expect(try await !device.muster.isDeviceRegistered)
        }
    }

    @Test func `signing out removes every Live Activity, also those that were registered at once`() async throws {
        try await DatasetDevice.run { device, network in
            let asked = Requests()
            network.decide { request in
                asked.add(request)
                if request.hasPrefix("DELETE ") { return .isAnswered(status: 204, body: "") }
                let incident = request.split(separator: #""activity":"#).last.map { $0.prefix { $0.isNumber } } ?? ""
                return .isAnswered(status: 201, body: #"{"id":"activity-\#(incident)"}"#)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for incident in Int64(1)...30 {
                    group.addTask { [muster = device.muster] in
                        let token = Data([UInt8(incident)])
                        try await muster.registerActivity(.incident(incident), token: token)
                    }
                }
                try await group.waitForAll()
            }
            try await device.muster.unregisterDevice()
            for incident in 1...30 {
                let path = "DELETE /api/v1/push/devices/activity-\(incident) "
                #expect(asked.haveOne { $0.hasPrefix(path) }, "activity \(incident) would stay after signing out")
            }
        }
    }

    @Test(arguments: [
        #"{"source":"cognito-sync","identityPoolId":"p","identityId":"i","datasetName":"d","syncCount":7}"#,
        #"{"data":{"source":"cognito-sync","identityPoolId":"p","identityId":"i","datasetName":"d","syncCount":"7"}}"#,
        #"{"aps":{"content-available":1},"data":{"source":"cognito-sync","identityPoolId":"p","identityId":"i","#
            + #""datasetName":"d","syncCount":7}}"#,
    ])
    func `a push update is read at each place where services put its keys`(json: String) throws {
        let update = try #require(Muster.PushUpdate(json: Data(json.utf8)))
        #expect(update.datasetName == "d" && update.syncCount == 7)
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect(Muster.PushUpdate(try #require(object)) == update)
        #expect(Muster.PushUpdate(["data": json]) == update)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"source":"other","identityPoolId":"p","identityId":"i","datasetName":"d","syncCount":7}"#,
        #"{"source":"cognito-sync","identityPoolId":"p","identityId":"i","datasetName":"d"}"#,
        #"{"source":"cognito-sync","identityPoolId":"p","identityId":"i","datasetName":"d","syncCount":"many"}"#,
    ])
    func `a push of another kind is not an update`(json: String) {
        #expect(Muster.PushUpdate(json: Data(json.utf8)) == nil)
    }
}

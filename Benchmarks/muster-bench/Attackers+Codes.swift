import Foundation
import MusterTerminal
import NIOCore

/// Attacks by the operations of Cognito's user pools that anyone may call.
extension Attackers {
    /// Challenges to prove one leader's password, from 2,000 addresses; nobody answers them.
    static func challenges(of server: BenchServer, _ once: OneRequest) async throws -> Attackers {
        let client = try await clientID(of: server)
        var random = BenchRandom(seed: 4)
        // A client's number has as many bits as the group's.
        let numbers = (0..<16).map { _ in
            "1" + (0..<47).map { _ in String(format: "%016lx", random.next()) }.joined()
        }
        let requests = (0..<2_000).map { turn in
            userPoolRequest(
                "InitiateAuth",
                #""ClientId":"\#(client)","AuthFlow":"USER_SRP_AUTH","AuthParameters":{"USERNAME":"leader0","#
                    + #""SRP_A":"\#(numbers[turn % numbers.count])"}"#,
                from: "198.18.\(turn / 250).\(turn % 250 + 1)")
        }
        return Attackers(
            name: "srp, challenges for one leader", lanes: 40, pause: .milliseconds(20), requests: requests, once: once)
    }

    /// Requests for codes, wrong codes and new accounts: 10,000 a minute from 1,000 addresses, where the server answers
    /// within 100 ms on average.
    static func codes(of server: BenchServer, _ once: OneRequest) async throws -> Attackers {
        let client = try await clientID(of: server)
        let requests = (0..<4_000).map { turn in
            let user = #""ClientId":"\#(client)","Username":"#
            let (leader, fresh) = (#""leader\#(turn / 4 % 4)""#, #""fresh\#(turn / 4)""#)
            let (operation, members) =
                switch turn % 4 {
                case 0: ("ForgotPassword", user + leader)
                case 1:
                    (
                        "ConfirmForgotPassword",
                        user + leader + #","ConfirmationCode":"AAAABBBBCCCCDDDD","Password":"found again \#(turn)""#
                    )
                case 2:
                    (
                        "SignUp",
                        user + fresh + #","Password":"a new password","UserAttributes":[{"Name":"email","#
                            + #""Value":"fresh\#(turn)@example.org"}]"#
                    )
                default: ("ConfirmSignUp", user + fresh + #","ConfirmationCode":"AAAABBBBCCCCDDDD""#)
                }
            let address = turn % 1_000
            return userPoolRequest(operation, members, from: "198.19.\(address / 250).\(address % 250 + 1)")
        }
        return Attackers(
            name: "codes, requests and guesses", lanes: 200, pause: .milliseconds(1_100), requests: requests, once: once
        )
    }

    private static func clientID(of server: BenchServer) async throws -> String {
        struct Settings: Decodable { var clientId: String }
        return try await server.connection.get("/cognito", as: Settings.self).clientId
    }

    private static func userPoolRequest(_ operation: String, _ members: String, from address: String) -> ByteBuffer {
        let body = "{\(members)}"
        return ByteBuffer(
            string: "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: \(address)\r\n"
                + "Content-Type: application/x-amz-json-1.1\r\n"
                + "X-Amz-Target: AWSCognitoIdentityProviderService.\(operation)\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
}

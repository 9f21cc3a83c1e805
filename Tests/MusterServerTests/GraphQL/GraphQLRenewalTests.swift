import Hummingbird
import Logging
import MusterCore
import MusterWire
import NIOEmbedded
import Testing

@testable import MusterGraphQL
@testable import MusterServer

/// What a request of several mutations may do when rights end while it lasts.
@Suite struct GraphQLRenewalTests {
    /// The context of an operation of lena, by a key of hers.
    private func operation(at office: Office, _ secret: String) throws -> OperationContext {
        var context = AppRequestContext(
            source: ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "test")))
        context.proof = HeaderProof("Bearer \(secret)", from: "1.2.3.4")
        context.principal = Principal(try office.user("lena"), proof: .apiKey)
        return try OperationContext(office.parts, context)
    }

    @Test func `a mutation whose caller's key was revoked while others took long is refused`() async throws {
        let office = try await Office()
        try await office.open { _ in
            let lena = try office.user("lena")
            let (key, secret) = try await office.identity.makeKey(label: "short", for: lena.number, by: nil)
            let operation = try operation(at: office, secret)
            try await operation.beginCommand(of: 20)
            try await operation.beginCommand(of: 20)
            try await office.identity.removeKey(key, by: nil)
            await #expect(throws: IdentityError.refused) { try await operation.beginCommand(of: 20) }
            #expect(operation.fault(for: IdentityError.refused).code == "UnauthorizedException")
        }
    }

    @Test func `a mutation has the rights that its caller has when its turn comes`() async throws {
        let office = try await Office()
        try await office.open { _ in
            let operation = try operation(at: office, office.keys["lena"] ?? "")
            try await operation.beginCommand(of: 20)
            let mia = try office.user("mia")
            #expect(operation.access.mayRead(mia))
            try await office.coordinator.edit(by: nil) { directory, draft in
                guard var lena = directory.users["lena"] else { return }
                lena.role = .member
                draft.edits = [.putUser(lena)]
            }
            try await operation.beginCommand(of: 20)
            #expect(!operation.access.mayRead(mia))
        }
    }

    @Test func `an error that passes with time says when`() throws {
        let fault = try #require(GraphQLFieldFault(mapping: Problem.tooManyRequests(retryAfterSeconds: 7)))
        #expect(fault.retryAfterSeconds == 7)
        #expect(fault.code == "ThrottlingException")
        #expect(GraphQLFieldFault(mapping: Problem.notFound)?.retryAfterSeconds == nil)
    }
}

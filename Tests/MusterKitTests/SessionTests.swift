import Foundation
import MusterKit
import MusterReplication
import Testing

@Suite struct SessionTests {
    @Test func `a session opens signed in without a network, and not after signing out`() throws {
        let path = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let keeper = FileCredentialKeeper(path: path)
        #expect(try Session.open(keeper) == nil)
        let account = """
            {"server":"http://127.0.0.1:1/","user":"ann","password":"p","key":"k","secret":"s",\
            "databaseRoot":"http://127.0.0.1:1/","databaseName":"lt_locations_user_a%40b"}
            """
        try keeper.storeCredentials(Data(account.utf8))
        let session = try #require(try Session.open(keeper))
        #expect(session.user == "ann")
        #expect(session.database.description == "http://127.0.0.1:1/lt_locations_user_a%2540b")
        try Session.signOut(keeper)
        #expect(try Session.open(keeper) == nil)
    }

    @Test func `a credentials file that others may read is refused`() throws {
        let path = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let keeper = FileCredentialKeeper(path: path)
        try keeper.storeCredentials(Data("{}".utf8))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(throws: CredentialError.readableByOthers(path: path)) { try keeper.loadCredentials() }
    }

    @Test func `a session needs a server that answers`() async throws {
        let keeper = FileCredentialKeeper(path: temporaryPath())
        await #expect(throws: SessionError.illegalServer("ftp://x")) {
            try await Session.signIn(at: "ftp://x", user: "a", password: "b", keeper)
        }
        await #expect {
            try await Session.signIn(at: "http://127.0.0.1:1", user: "a", password: "b", keeper)
        } throws: { error in
            if case SessionError.unreachable = error { true } else { false }
        }
        #expect(try keeper.loadCredentials() == nil)
    }
}

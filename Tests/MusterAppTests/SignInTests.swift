import Foundation
import MusterKit
import MusterWire
import Testing

@testable import MusterApp

/// Signing in by the form, by an invitation's link and by its QR code.
@MainActor @Suite(.timeLimit(.minutes(5))) struct SignInTests {
    @Test func `an invited person sets a password by the link, and is signed in`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.ask("POST", "users", #"{"name":"mia","role":"member","team":"crew"}"#)
            let made = try await server.ask(
                "POST", "links", #"{"kind":"invitation","user":"mia","expiresSeconds":3600}"#)
            let link = try #require(made["url"]?.string)
            let phone = Phone(at: server.address, over: server.connections)
            phone.app.signIn.password = "typed for another server"
            #expect(phone.app.signIn.open(link))
            #expect(phone.app.signIn.password.isEmpty)
            #expect(phone.app.signIn.invitation == nil, "nothing is sent before the person has said yes")
            #expect(phone.app.signIn.serverQuestion?.title.hasPrefix("Sign in at 127.0.0.1:") ?? false)
            await phone.app.signIn.confirmServer()
            #expect(phone.app.signIn.serverQuestion == nil)
            let invitation = try #require(phone.app.signIn.invitation)
            #expect(invitation.user == "mia")
            #expect(invitation.welcome.contains("127.0.0.1"))
            phone.app.signIn.newPassword = "short"
            #expect(phone.app.signIn.passwordFault == "Needs at least 8 characters.")
            phone.app.signIn.newPassword = "a sentence of mine"
            await phone.app.signIn.accept()
            #expect(phone.app.signIn.problem == nil)
            #expect(phone.app.face == .member)
            #expect(phone.app.signIn.newPassword.isEmpty, "the password is forgotten")
            await phone.app.close()
            let other = Phone(at: server.address, over: server.connections)
            #expect(other.app.signIn.open(link))
            await other.app.signIn.confirmServer()
            #expect(other.app.signIn.problem?.hasPrefix("This invitation is no longer valid") ?? false)
        }
    }

    @Test func `a wrong password is told, and a right one of the same form signs in`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let phone = Phone(at: server.address, over: server.connections)
            let form = phone.app.signIn
            (form.server, form.user, form.password) = (server.address, "ann", "wrong")
            await form.signIn()
            #expect(form.problem == "The name or the password is wrong.")
            #expect(phone.app.face == .signIn)
            form.password = RunningServer.memberPassword
            await form.signIn()
            #expect(form.problem == nil && phone.app.face == .member)
            phone.kill()
            await phone.start()
            #expect(phone.app.face == .member, "the next start is signed in")
            await phone.app.close()
        }
    }

    @Test func `who is signed in and opens an invitation is told to sign out first`() async throws {
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let phone = Phone(at: server.address, over: server.connections)
            let link = try #require(URL(string: "https://m.example/console/invite/#ms_0123456789abcdefghijk"))
            #expect(await phone.app.open(link))
            #expect(phone.app.signIn.serverQuestion != nil)
            phone.app.signIn.leaveServer()
            try await phone.signIn("ann")
            #expect(await phone.app.open(link))
            #expect(phone.app.signIn.serverQuestion == nil, "the form is not on the screen")
            #expect(phone.app.navigation.tab == .phone)
            let problem = try phone.account.settings.problem
            #expect(problem?.hasPrefix("You are signed in as ann.") ?? false)
            // A link for which the system starts the app waits for the models.
            phone.kill()
            #expect(await phone.app.open(link))
            #expect(try phone.account.settings.problem != nil)
            await phone.app.close()
        }
    }

    @Test func `a server is reached by https alone, and never by a code without a yes`() async {
        let phone = Phone(at: "", over: .shared)
        let form = phone.app.signIn
        form.server = "https://right.example/"
        #expect(!form.open("http://10.0.0.7:8080"))
        #expect(form.problem?.contains("others could read your password") ?? false)
        #expect(form.serverQuestion == nil && form.server == "https://right.example/")
        (form.server, form.user, form.password) = ("http://10.0.0.7:8080", "ann", "a secret of hers")
        await form.signIn()
        #expect(form.problem?.contains("others could read your password") ?? false)
        #expect(form.open("https://left.example/me/"))
        #expect(form.serverQuestion?.title == "Sign in at left.example?")
        form.leaveServer()
        #expect(form.server == "http://10.0.0.7:8080", "a no changes nothing")
        #expect(form.open("https://left.example/me/"))
        await form.confirmServer()
        #expect(form.server == "https://left.example/")
    }

    @Test(arguments: [
        ("https://m.example/console/invite/#ms_0123456789abcdefghijk", "https://m.example/ ms_0123456789abcdefghijk"),
        (
            "https://m.example:8443/muster/console/invite/#ms_0123456789abcdefghijk",
            "https://m.example:8443/muster/ ms_0123456789abcdefghijk"
        ),
        ("https://m.example/console/invite/", "broken"), ("https://m.example/me/", "https://m.example/"),
        (" http://10.0.0.7:8080 ", "http://10.0.0.7:8080/"), ("otpauth://totp/x", "nil"), ("", "nil"),
        ("https://", "nil"), ("javascript:alert(1)", "nil"),
    ])
    func `a code or link leads to an invitation, a server, or nowhere`(_ text: String, _ expected: String) {
        let link =
            switch SignInModel.Link(text) {
            case .invitation(let root, let secret)?: "\(root) \(secret)"
            case .server(let root)?: root
            case .broken?: "broken"
            case nil: "nil"
            }
        #expect(link == expected)
    }
}

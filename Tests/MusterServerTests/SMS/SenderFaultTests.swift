import MusterCore
import Testing

@testable import MusterServer

/// Which people are told that texts by SMS would not count as theirs.
@Suite struct SenderFaultTests {
    private func directory(_ phones: [String?]) -> Directory {
        var directory = Directory()
        for (index, phone) in phones.enumerated() {
            directory.apply(
                .putUser(
                    User(
                        number: UserNumber(Int32(index + 1)), name: "user\(index + 1)", role: .member, team: nil,
                        phone: phone)))
        }
        return directory
    }

    private func check(_ phones: [String?], country: String?, _ expected: [String: SenderFault]) {
        let directory = directory(phones)
        let found = directory.senderFaults(country: country)
        #expect(found.map(\.user.name) == expected.keys.sorted())
        for (user, fault) in found { #expect(fault == expected[user.name]) }
        for user in directory.users.all {
            #expect(directory.senderFault(of: user, country: country) == expected[user.name])
        }
    }

    @Test func `a whole number that is one person's alone has no fault`() {
        check(["+34 600 111 222", nil, "0034600111333"], country: nil, [:])
        check(["600 111 222", "34 600 111 333"], country: "34", [:])
    }

    @Test func `a number that no sender has is told`() {
        check(["112", "+34 600 111 222"], country: nil, ["user1": .matchesNoSender])
        // With the country code before it, it would be longer than any number.
        check(["44600111222333"], country: "34", ["user1": .matchesNoSender])
    }

    @Test func `a national number needs the operator's country`() {
        check(["600 111 222"], country: nil, ["user1": .hasNoCountry])
    }

    @Test func `people with one number are told of each other, however it is written`() {
        check(
            ["+34 600 111 222", "600-111-222", "+34 600 111 333"], country: "34",
            ["user1": .isShared(with: ["user2"]), "user2": .isShared(with: ["user1"])])
    }

    @Test func `the words name the other people and no number`() throws {
        let directory = directory(["+34 600 111 222", "+34600111222"])
        let user = try #require(directory.users["user1"])
        let words = try #require(directory.senderFault(of: user, country: nil)).words(of: user)
        #expect(words.contains("user1") && words.contains("user2") && !words.contains("600"))
    }
}

import MusterCore
import MusterServer
import Testing

@testable import MusterTAK

/// What TAK clients are told of changes of the log.
@Suite struct TAKNewsTests {
    private static let (ana, ben, cid, lead) = (UserNumber(1), UserNumber(2), UserNumber(3), UserNumber(4))
    private static let (north, south) = (TeamNumber(1), TeamNumber(2))
    private static let leader = User(number: lead, name: "lead", role: .leader, team: north)

    private static var directory: Directory {
        var directory = Directory()
        for user in [
            User(number: ana, name: "ana", role: .member, team: north),
            User(number: ben, name: "ben", role: .member, team: north),
            User(number: cid, name: "cid", role: .member, team: south), leader,
        ] { directory.apply(.putUser(user)) }
        return directory
    }

    private func batch(_ changes: [Change]) -> TAKBatch {
        let directory = Self.directory
        let events = changes.enumerated().map { index, change in
            LiveEvent(
                LoggedChange(
                    sequence: LogSequence(Int64(index + 1)), committedAt: Instant(milliseconds: 0), change: change),
                directory: directory)
        }
        return TAKBatch(events, in: directory)
    }

    private static func safety(_ state: Safety.State) -> Safety {
        Safety(state: state, since: Instant(milliseconds: 0))
    }

    @Test func `a call for help and its reminders are known as a call although nothing else is known`() {
        let batch = batch([
            .safety(Self.safety(.sos), of: Self.ana), .safety(Self.safety(.safe), of: Self.ben),
            .reminder(Self.safety(.needsHelp), of: Self.cid, count: 1),
        ])
        #expect(batch.sights.isEmpty)
        #expect(batch.people == [Self.ana, Self.ben, Self.cid])
        #expect(batch.calls == [Self.ana, Self.cid])
    }

    @Test func `a leader's client is told of the calls of its team alone`() async throws {
        let town = try await Town()
        let principal = Principal(Self.leader, proof: .password)
        let feed = try town.feeds.open(
            .nothing, by: FeedOwner(principal), beatSeconds: nil, timeoutSeconds: nil)
        defer { feed.close() }
        let inbox = TAKInbox(feed)
        inbox.setReader(Access(principal, in: Self.directory))
        let calls = batch([
            .safety(Self.safety(.sos), of: Self.ana), .safety(Self.safety(.sos), of: Self.cid),
        ])
        #expect(inbox.add(calls))
        // An edit of the directory clears what was known of people, but not that they call.
        #expect(inbox.add(batch([.directory(.user(Self.ben), removed: false)])))
        let news = inbox.takeNews()
        #expect(news.people == [Self.ana])
        #expect(news.calls == [Self.ana])
        #expect(inbox.takeNews().calls.isEmpty)
        try await town.coordinator.close()
    }
}

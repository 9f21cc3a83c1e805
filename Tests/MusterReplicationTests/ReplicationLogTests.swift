import MusterCore
import MusterWire
import Testing

@testable import MusterReplication

@Suite struct ReplicationLogTests {
    @Test func `a log reads back as it was written`() throws {
        let outstanding = [
            DocumentRevisions(id: "a \"b\"", revisions: [try #require(Revision("3-x")), try #require(Revision("4-y"))])
        ]
        let log = ReplicationLog(history: [session("a", 12), session("b", 5)], outstanding: outstanding)
        var read = ReplicationLog(parsing: log.json(id: "x"))
        #expect(read.revision == nil)
        read.revision = nil
        #expect(read == log)
    }

    @Test func `a log of CouchDB's is understood`() throws {
        let text =
            #"{"_id":"_local/x","_rev":"0-3","session_id":"s1","source_last_seq":"7-g1AAA","history":"#
            + #"[{"session_id":"s1","recorded_seq":"7-g1AAA","start_last_seq":0,"docs_written":4}]}"#
        let log = ReplicationLog(parsing: Array(text.utf8))
        #expect(log.revision == "0-3")
        #expect(log.history.map(\.recorded.json) == ["\"7-g1AAA\""])
        #expect(log.history[0].counts.written == 4)
    }

    @Test func `a log with sequences as numbers is one with sequences as strings`() {
        let log = ReplicationLog(history: [session("s1", 7)])
        let text = String(decoding: log.json(), as: UTF8.self)
        #expect(text.contains(#""source_last_seq":"7""#) && text.contains(#""start_last_seq":"0""#))
        let before = text.replacing(#""7""#, with: "7").replacing(#""0""#, with: "0")
        #expect(ReplicationLog(parsing: Array(before.utf8)) == log)
        #expect(PeerSequence(json: "7") == PeerSequence(7) && PeerSequence(json: "0") == .start)
        #expect([PeerSequence(7).name, PeerSequence(json: #""7-g1""#).name] == ["7", #""7-g1""#])
    }

    @Test func `the newest shared session counts, with the lesser sequence`() {
        let source = ReplicationLog(history: [session("c", 30), session("b", 20), session("a", 10)])
        let target = ReplicationLog(history: [session("b", 15), session("a", 10)])
        #expect(ReplicationLog.commonAncestor(source: source, target: target)?.recorded == PeerSequence(15))
        #expect(ReplicationLog.commonAncestor(source: target, target: source)?.recorded == PeerSequence(15))
    }

    @Test func `peers that share no session begin at the beginning`() {
        let source = ReplicationLog(history: [session("a", 10)])
        let target = ReplicationLog(history: [session("z", 10)])
        #expect(ReplicationLog.commonAncestor(source: source, target: target) == nil)
        #expect(ReplicationLog.commonAncestor(source: source, target: nil) == nil)
    }

    @Test func `a log forgets its oldest sessions`() {
        var log = ReplicationLog()
        for index in 0..<120 { log.record(session("\(index)", Int64(index))) }
        #expect(log.history.count == ReplicationLog.historyLimit)
        #expect(log.history.first?.id == "119")
    }

    @Test func `a malformed replication log counts as missing`() {
        for text in ["", "[]", "{\"history\":7}", "{\"history\":[{\"recorded_seq\":1}]}", "\u{0}"] {
            #expect(ReplicationLog(parsing: Array(text.utf8)).history.isEmpty)
        }
    }

    private func session(_ id: String, _ recorded: Int64) -> ReplicationLog.Session {
        ReplicationLog.Session(
            id: id, startedAt: Instant(milliseconds: 1_000), endedAt: Instant(milliseconds: 2_000), start: .start,
            recorded: PeerSequence(recorded), counts: ReplicationCounts())
    }
}

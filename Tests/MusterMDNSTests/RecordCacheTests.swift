import Testing

@testable import MusterMDNS

/// What is kept of what others said, and how long (RFC 6762, sections 5.2, 7.1 and 10).
struct RecordCacheTests {
    private let host = DNSName("h.local") ?? .root
    private let source = HostAddress.v4(1)

    private final class Subject {
        var cache: RecordCache
        var random = SeededRandom(seed: 5)

        init(_ limits: RecordCache.Limits = .init()) { cache = RecordCache(limits: limits) }

        @discardableResult
        func insert(_ record: DNSRecord, from source: HostAddress = .v4(1), at seconds: Double) -> RecordCache.Change {
            cache.insert(record, from: source, at: .seconds(seconds), random: &random)
        }
    }

    private func address(_ number: UInt32, timeToLive: UInt32 = 100, flushes: Bool = true) -> DNSRecord {
        DNSRecord(host, .address(.v4(number)), timeToLive: timeToLive, flushesCache: flushes)
    }

    private func addresses(_ subject: Subject, at seconds: Double) -> Set<DNSRecordData> {
        Set(subject.cache.records(host, .a, at: .seconds(seconds)).map(\.data))
    }

    @Test func `a record lives as long as its time to live`() {
        let subject = Subject()
        #expect(subject.insert(address(1), at: 0) == .changed)
        #expect(addresses(subject, at: 99.9).count == 1)
        #expect(addresses(subject, at: 100).isEmpty)
        #expect(subject.cache.advance(to: .seconds(100)).ended.count == 1)
        #expect(subject.cache.count == 0 && subject.cache.deadline == nil)
    }

    @Test func `a repeated record is refreshed`() {
        let subject = Subject()
        subject.insert(address(1), at: 0)
        #expect(subject.insert(address(1), at: 50) == .refreshed)
        #expect(addresses(subject, at: 149).count == 1)
        #expect(subject.cache.count == 1)
    }

    @Test func `a record lives one more second after a goodbye, and may be renewed in it`() {
        let subject = Subject()
        subject.insert(address(1), at: 0)
        subject.insert(address(1, timeToLive: 0), at: 10)
        #expect(addresses(subject, at: 10.9).count == 1)
        #expect(addresses(subject, at: 11).isEmpty)
        subject.insert(address(2), at: 20)
        subject.insert(address(2, timeToLive: 0), at: 30)
        subject.insert(address(2), at: 30.5)
        #expect(addresses(subject, at: 60).count == 1)
    }

    @Test func `a goodbye for what is not known is not kept`() {
        let subject = Subject()
        subject.insert(address(1, timeToLive: 0), at: 0)
        #expect(subject.cache.count == 0)
    }

    @Test func `a record that flushes ends those that came more than a second before`() {
        let subject = Subject()
        subject.insert(address(1), at: 0)
        subject.insert(address(2), at: 9.5)
        subject.insert(address(3), at: 10)
        // The first ends a second after the second came, which came with the third.
        #expect(addresses(subject, at: 10.4).count == 3)
        #expect(addresses(subject, at: 10.5) == [.address(.v4(2)), .address(.v4(3))])
        #expect(addresses(subject, at: 99).count == 2)
    }

    @Test func `a record that does not flush stands beside others`() {
        let subject = Subject()
        subject.insert(address(1, flushes: false), at: 0)
        subject.insert(address(2, flushes: false), at: 10)
        #expect(addresses(subject, at: 50).count == 2)
    }

    @Test func `a record is asked for again at 80, 85, 90 and 95 percent of its life`() {
        let subject = Subject()
        subject.insert(address(1, timeToLive: 1_000), at: 0)
        var asked: [Int] = []
        for second in 1...1_000 {
            let (ended, questions) = subject.cache.advance(to: .seconds(second))
            if !questions.isEmpty { asked.append(second) }
            #expect(ended.isEmpty == (second < 1_000))
        }
        #expect(asked.count == 4)
        for (second, percent) in zip(asked, [800, 850, 900, 950]) {
            #expect((percent...(percent + 21)).contains(second))
        }
    }

    @Test func `a record with less than half of its life left is not sent as a known answer`() {
        let subject = Subject()
        subject.insert(address(1), at: 0)
        #expect(subject.cache.knownAnswers(host, .a, at: .seconds(49)).map(\.timeToLive) == [51])
        #expect(subject.cache.knownAnswers(host, .a, at: .seconds(50)).isEmpty)
    }

    @Test func `a source has a share, and what goes beyond it is not kept`() {
        let subject = Subject(RecordCache.Limits(records: 100, recordsPerSource: 10))
        subject.insert(address(99, flushes: false), from: .v4(7), at: 0)
        for number in 0..<50 as Range<UInt32> { subject.insert(address(number, flushes: false), at: 0) }
        #expect(subject.cache.count(from: .v4(1)) == 10)
        #expect(subject.cache.count(from: .v4(7)) == 1)
        #expect(subject.insert(address(60, flushes: false), at: 0) == .refused)
        // The records of the source end, and then there is room again.
        _ = subject.cache.advance(to: .seconds(100))
        #expect(subject.insert(address(60, flushes: false), at: 100) == .changed)
    }

    @Test func `a flood from many sources ends the flooders' records`() {
        let subject = Subject(RecordCache.Limits(records: 100, recordsPerSource: 20))
        for honest in 0..<10 as Range<UInt32> {
            subject.insert(address(honest, flushes: false), from: .v4(1_000 + honest), at: 0)
        }
        for flooder in 0..<50 as Range<UInt32> {
            for number in 0..<30 as Range<UInt32> {
                let record = address(10_000 + flooder * 100 + number, flushes: false)
                subject.insert(record, from: .v4(flooder), at: 1)
            }
        }
        #expect(subject.cache.count <= 100)
        for honest in 0..<10 as Range<UInt32> { #expect(subject.cache.count(from: .v4(1_000 + honest)) == 1) }
        #expect(!subject.cache.advance(to: .seconds(1)).ended.isEmpty)
    }

    @Test func `texts are bounded by their bytes`() {
        let subject = Subject(RecordCache.Limits(bytes: 100_000, bytesPerSource: 20_000))
        for number in 0..<50 as Range<UInt8> {
            let text = DNSRecordData.text(
                [200] + [UInt8](repeating: number, count: 200) + [200] + [UInt8](repeating: 1, count: 200))
            subject.insert(DNSRecord(host, text, timeToLive: 100), at: 0)
        }
        #expect((30..<50).contains(subject.cache.count))
    }
}

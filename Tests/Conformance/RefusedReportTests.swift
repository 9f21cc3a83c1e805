import MusterCore
import MusterStore
import Testing

/// The reports that the server could not read, in every store.
@Suite struct RefusedReportTests {
    private static func report(
        _ seconds: Double, user: Int32 = 1, device: Int32? = nil, body: [UInt8] = [0, 255, 123]
    ) -> RefusedReport {
        RefusedReport(
            receivedAt: .test(seconds), user: UserNumber(user), device: device.map { DeviceNumber($0) },
            topic: "owntracks/a/b", reason: "Byte 3: the text ends too early.", body: body)
    }

    @Test(arguments: StoreKind.allCases)
    func `refused reports come back newest first, page by page, and outlive a crash`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let reports = [Self.report(1), Self.report(2, user: 2, device: 7), Self.report(3, body: [])]
        try bench.store.write(at: .test(9)) { transaction in for report in reports { try transaction.put(report) } }
        try bench.crash()
        let found = try bench.store.refusedReports(of: nil, before: nil, limit: 9)
        #expect(found.map(\.receivedAt) == [.test(3), .test(2), .test(1)])
        #expect(found[1].device == DeviceNumber(7) && found[1].body == [0, 255, 123] && found[1].byteCount == 3)
        #expect(try bench.store.refusedReports(of: nil, before: found[0].number, limit: 1) == [found[1]])
        #expect(try bench.store.refusedReports(of: UserNumber(1), before: nil, limit: 9) == [found[0], found[2]])
        #expect(try bench.store.refusedReport(found[2].number) == found[2])
        #expect(try bench.store.refusedReport(99) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `the oldest go beyond the limits of a user, of all and of bytes`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        let long = Self.report(0, user: 2, body: Array(repeating: 7, count: RefusedReport.bodyLimitBytes + 5))
        try bench.store.write(at: .test(9)) { transaction in
            try transaction.put(Self.report(0, user: 9))
            for number in 0...RefusedReport.limitOfUser { try transaction.put(Self.report(Double(number))) }
            try transaction.put(long)
        }
        let own = try bench.store.refusedReports(of: UserNumber(1), before: nil, limit: 2_000)
        #expect(own.count == RefusedReport.limitOfUser && own.last?.receivedAt == .test(1))
        let kept = try #require(try bench.store.refusedReports(of: UserNumber(2), before: nil, limit: 1).first)
        #expect(kept.body.count == RefusedReport.bodyLimitBytes && kept.byteCount == kept.body.count + 5)
        // Nothing of another user went for these.
        #expect(try bench.store.refusedReports(of: UserNumber(9), before: nil, limit: 9).count == 1)
        try bench.store.write(at: .test(9)) { transaction in
            for user in 10..<30 {
                for number in 0..<90 { try transaction.put(Self.report(Double(number), user: Int32(user))) }
            }
        }
        #expect(try bench.store.refusedReports(of: nil, before: nil, limit: 5_000).count == RefusedReport.limit)
        try bench.store.write(at: .test(9)) { transaction in
            for user in 40..<46 {
                for _ in 0..<60 {
                    var report = long
                    report.user = UserNumber(Int32(user))
                    try transaction.put(report)
                }
            }
        }
        let bytes = try bench.store.refusedReports(of: nil, before: nil, limit: 5_000).map(\.body.count).reduce(0, +)
        #expect(bytes <= RefusedReport.limitBytes && bytes > RefusedReport.limitBytes - RefusedReport.bodyLimitBytes)
    }

    @Test(arguments: StoreKind.allCases)
    func `refused reports go with their age, their user and their device`(kind: StoreKind) throws {
        let bench = try Bench(kind)
        try bench.store.write(at: .test(9)) { transaction in
            try transaction.put(Self.report(1))
            try transaction.put(Self.report(5))
            try transaction.put(Self.report(6, device: 3))
            try transaction.put(Self.report(7, user: 2))
        }
        _ = try bench.store.forget(before: .test(4), limit: 100)
        func times() throws -> [Instant] {
            try bench.store.refusedReports(of: nil, before: nil, limit: 9).map(\.receivedAt)
        }
        #expect(try times() == [.test(7), .test(6), .test(5)])
        try bench.store.write(at: .test(9)) { try $0.remove(DeviceNumber(3)) }
        #expect(try times() == [.test(7), .test(5)])
        try bench.store.write(at: .test(9)) { try $0.remove(UserNumber(2)) }
        #expect(try times() == [.test(5)])
    }
}

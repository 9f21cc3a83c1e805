import MusterCore
import MusterStore
import Testing

@testable import MusterServer

struct StorageScheduleTests {
    private let start = Instant(seconds: 1_700_000_000)

    private func status(refused: Bool, freeBytes: Int64 = 50 << 30) -> StorageHealth.Status {
        var status = StorageHealth.Status()
        status.refusedSince = refused ? start : nil
        status.space = DiskSpace(freeBytes: freeBytes, totalBytes: 100 << 30)
        return status
    }

    /// The seconds at which a schedule that is looked at every second takes a step.
    private func seconds(
        of step: StorageSchedule.Step, in schedule: inout StorageSchedule, _ span: Range<Int>,
        _ status: StorageHealth.Status
    ) -> [Int] {
        span.filter { schedule.takeSteps(for: status, at: start.advanced(bySeconds: Double($0))).contains(step) }
    }

    @Test func `a disk that refuses writes is logged once a minute, and its recovery once`() {
        var schedule = StorageSchedule(warningBytes: 1 << 20)
        let refused = status(refused: true)
        #expect(seconds(of: .logRefusal, in: &schedule, 0..<200, refused) == [0, 60, 120, 180])
        #expect(seconds(of: .logRecovery, in: &schedule, 200..<400, status(refused: false)) == [200])
    }

    @Test func `a disk that alternately refuses and takes writes does not flood the log`() {
        var schedule = StorageSchedule(warningBytes: 1 << 20)
        var lines = 0
        for second in 0..<600 {
            let steps = schedule.takeSteps(
                for: status(refused: second % 2 == 0), at: start.advanced(bySeconds: Double(second)))
            lines += steps.count { $0 == .logRefusal || $0 == .logRecovery }
        }
        #expect(lines <= 22)
    }

    @Test func `a write is tried soon, then less often, and at least every quarter of a minute`() {
        var schedule = StorageSchedule(warningBytes: 1 << 20)
        let refused = status(refused: true)
        #expect(seconds(of: .testWriting, in: &schedule, 0..<62, refused) == [1, 3, 7, 15, 30, 45, 60])
        // After a recovery it begins anew.
        _ = schedule.takeSteps(for: status(refused: false), at: start.advanced(bySeconds: 62))
        #expect(seconds(of: .testWriting, in: &schedule, 100..<104, refused) == [101, 103])
    }

    @Test func `little room is logged once an hour, and no write is tried for it`() {
        var schedule = StorageSchedule(warningBytes: 512 << 20)
        let low = status(refused: false, freeBytes: 100 << 20)
        #expect(seconds(of: .logLowSpace, in: &schedule, 0..<7300, low) == [0, 3600, 7200])
        #expect(seconds(of: .testWriting, in: &schedule, 7300..<7400, low) == [])
    }

    @Test func `room is measured every ten seconds, whatever the disk does`() {
        var schedule = StorageSchedule(warningBytes: 0)
        #expect(seconds(of: .measure, in: &schedule, 0..<30, status(refused: true)) == [0, 10, 20])
    }

    @Test func `little room is a fixed size on a large disk, and a twentieth of a small one`() {
        #expect(DiskSpace(freeBytes: 500 << 20, totalBytes: 1 << 40).isLow(warningBytes: 512 << 20))
        #expect(!DiskSpace(freeBytes: 600 << 20, totalBytes: 1 << 40).isLow(warningBytes: 512 << 20))
        #expect(!DiskSpace(freeBytes: 20 << 20, totalBytes: 100 << 20).isLow(warningBytes: 512 << 20))
        #expect(DiskSpace(freeBytes: 4 << 20, totalBytes: 100 << 20).isLow(warningBytes: 512 << 20))
        #expect(!DiskSpace(freeBytes: 0, totalBytes: 1 << 40).isLow(warningBytes: 0))
    }
}

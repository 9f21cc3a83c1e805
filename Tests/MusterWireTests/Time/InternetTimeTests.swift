import MusterCore
import Testing

@testable import MusterWire

struct InternetTimeTests {
    private func check(_ text: String, _ milliseconds: Int64, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect((try? Instant(rfc3339: text))?.milliseconds == milliseconds, sourceLocation: sourceLocation)
    }

    private func check(_ text: String, _ fault: InstantError, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(throws: fault, sourceLocation: sourceLocation) { try Instant(rfc3339: text) }
    }

    @Test func `times of RFC 3339 are read`() {
        check("1970-01-01T00:00:00Z", 0)
        check("2026-11-21T06:00:00.000Z", 1_795_240_800_000)
        check("1985-04-12T23:20:50.52Z", 482_196_050_520)
        check("1996-12-19T16:39:57-08:00", 851_042_397_000)
        check("1937-01-01T12:00:27.87+00:20", -1_041_337_172_130)
        check("2026-11-21t06:00:00z", 1_795_240_800_000)
        check("2026-11-21T06:00:00-00:00", 1_795_240_800_000)
        check("0001-01-01T00:00:00Z", -62_135_596_800_000)
        check("9999-12-31T23:59:59.999Z", 253_402_300_799_999)
        check("2000-02-29T00:00:00Z", 951_782_400_000)
    }

    @Test func `digits beyond the milliseconds are cut off`() {
        check("1970-01-01T00:00:00.1Z", 100)
        check("1970-01-01T00:00:00.0019999999999999999Z", 1)
        check("1969-12-31T23:59:59.9999Z", -1)
    }

    @Test func `a leap second is the last millisecond of its minute`() {
        check("1990-12-31T23:59:60Z", 662_687_999_999)
        check("1990-12-31T15:59:60-08:00", 662_687_999_999)
        check("1990-12-31T23:59:60.5Z", 662_687_999_999)
        check("1990-12-31T23:58:60Z", .noSuchTime)
        check("1990-12-31T12:59:60Z", .noSuchTime)
    }

    @Test func `anything else is refused with its reason`() {
        check("", .malformed(offset: 0))
        check("2026-11-21", .malformed(offset: 10))
        check("2026-11-21 06:00:00Z", .malformed(offset: 10))
        check("2026-11-21T06:00:00", .malformed(offset: 19))
        check("2026-11-21T06:00:00.Z", .malformed(offset: 20))
        check("2026-11-21T06:00:00Zx", .malformed(offset: 20))
        check("2026-11-21T06:00:00+0100", .malformed(offset: 24))
        check("20261121T060000Z0000", .malformed(offset: 4))
        check("2026-11-21T06:00:00,5Z", .malformed(offset: 19))
        check("2026-13-01T00:00:00Z", .noSuchDay)
        check("2026-00-01T00:00:00Z", .noSuchDay)
        check("2026-02-29T00:00:00Z", .noSuchDay)
        check("1900-02-29T00:00:00Z", .noSuchDay)
        check("2026-11-21T24:00:00Z", .noSuchTime)
        check("2026-11-21T06:60:00Z", .noSuchTime)
        check("2026-11-21T06:00:61Z", .noSuchTime)
        check("2026-11-21T06:00:00+24:00", .noSuchOffset)
        check("0000-12-31T23:59:59Z", .outOfYears)
        check("0001-01-01T00:00:00+00:01", .outOfYears)
        check("9999-12-31T23:59:59-00:01", .outOfYears)
    }

    @Test func `a time survives being written and read`() throws {
        var random = Seeded(seed: 6)
        let range = Instant.earliestInternetTime.milliseconds...Instant.latestInternetTime.milliseconds
        for _ in 0..<50_000 {
            let instant = Instant(milliseconds: .random(in: range, using: &random))
            #expect(try Instant(rfc3339: instant.rfc3339) == instant)
        }
        #expect(Instant(milliseconds: -1).rfc3339 == "1969-12-31T23:59:59.999Z")
        #expect(Instant(milliseconds: 0).rfc3339 == "1970-01-01T00:00:00.000Z")
        #expect(Instant(milliseconds: .max).rfc3339 == "9999-12-31T23:59:59.999Z")
        #expect(Instant(milliseconds: .min).rfc3339 == "0001-01-01T00:00:00.000Z")
    }

    @Test func `every day of four centuries is itself again`() {
        for day in -200_000...200_000 where CivilDay(daysSince1970: day).daysSince1970 != day {
            Issue.record("day \(day)")
        }
    }

    @Test func `dates of HTTP are written and read back to the second`() {
        for (milliseconds, text) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (-1_000, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400_000, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (253_402_300_799_000, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)] {
            #expect(Instant(milliseconds: milliseconds).httpDate == text)
            #expect(Instant(milliseconds: milliseconds + 999).httpDate == text)
            #expect(Instant(httpDate: text)?.milliseconds == milliseconds)
        }
        for text in ["", "Thu, 01 Jan 1970 00:00:00", "Thu, 32 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z"] {
            #expect(Instant(httpDate: text) == nil)
        }
    }
}

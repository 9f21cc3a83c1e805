package import MusterCore

// Days to dates and back: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms" (2013), proleptic Gregorian.

extension Instant {
    /// 0001-01-01T00:00:00Z.
    package static let earliestInternetTime = Instant(milliseconds: -62_135_596_800_000)
    /// 9999-12-31T23:59:59.999Z.
    package static let latestInternetTime = Instant(milliseconds: 253_402_300_799_999)

    /// Reads an RFC 3339 time: `2026-11-21T06:00:00Z`, any number of fraction digits, any offset from UTC.
    ///
    /// `T` and `Z` may be lower case; nothing else may differ from the grammar of RFC 3339. Digits after the
    /// milliseconds are cut off. A leap second (`:60`, only where UTC has 23:59) becomes the last millisecond of its
    /// minute, so that it stays before the next minute.
    ///
    /// - Throws: the text's fault.
    package init(rfc3339 text: UnsafeRawBufferPointer) throws(InstantError) {
        guard text.count >= 20 else { throw .malformed(offset: Self.firstMisfit(in: text)) }
        guard let year = text.digits(0, 4), text[4] == UInt8(ascii: "-"), let month = text.digits(5, 2),
            text[7] == UInt8(ascii: "-"), let day = text.digits(8, 2), text[10] | 0x20 == UInt8(ascii: "t"),
            let hour = text.digits(11, 2), text[13] == UInt8(ascii: ":"), let minute = text.digits(14, 2),
            text[16] == UInt8(ascii: ":"), let second = text.digits(17, 2)
        else { throw .malformed(offset: Self.firstMisfit(in: text)) }
        guard month >= 1, month <= 12, day >= 1, day <= CivilDay.daysIn(month: month, of: year) else {
            throw .noSuchDay
        }
        guard hour <= 23, minute <= 59, second <= 60 else { throw .noSuchTime }

        var position = 19
        let fraction = try Self.milliseconds(in: text, at: &position)
        let offsetMinutes = try Self.offsetMinutes(in: text, at: position)

        let days = CivilDay(year: year, month: month, day: day).daysSince1970
        let minutes = Int64(days) * 1440 + Int64(hour * 60 + minute - offsetMinutes)
        if second == 60 {
            guard (minutes % 1440 + 1440) % 1440 == 1439 else { throw .noSuchTime }
            self.init(milliseconds: minutes * 60_000 + 59_999)
        } else {
            self.init(milliseconds: minutes * 60_000 + Int64(second * 1000 + fraction))
        }
        guard self >= .earliestInternetTime, self <= .latestInternetTime else { throw .outOfYears }
    }

    /// Reads an RFC 3339 time.
    package init(rfc3339 text: String) throws(InstantError) {
        var text = text
        self = try text.withUTF8 { bytes in
            Result { () throws(InstantError) in try Instant(rfc3339: UnsafeRawBufferPointer(bytes)) }
        }.get()
    }

    /// The time as `2026-11-21T06:00:00.000Z`. A time outside the years 0001 to 9999, which RFC 3339 cannot write, is
    /// written as the nearest one inside.
    package var rfc3339: String {
        String(unsafeUninitializedCapacity: 24) { buffer in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(24)
            appendRFC3339(to: &bytes)
            return buffer.initialize(fromContentsOf: bytes)
        }
    }

    /// Appends the time as `rfc3339` writes it.
    package func appendRFC3339(to bytes: inout [UInt8]) {
        let held = min(max(self, .earliestInternetTime), .latestInternetTime).milliseconds
        let day = CivilDay(daysSince1970: Int((held - 86_399_999 * (held < 0 ? 1 : 0)) / 86_400_000))
        let inDay = Int(held - Int64(day.daysSince1970) * 86_400_000)
        bytes.append(padded: day.year, digits: 4)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(padded: day.month, digits: 2)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(padded: day.day, digits: 2)
        bytes.append(UInt8(ascii: "T"))
        bytes.append(padded: inDay / 3_600_000, digits: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(padded: inDay / 60_000 % 60, digits: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(padded: inDay / 1000 % 60, digits: 2)
        bytes.append(UInt8(ascii: "."))
        bytes.append(padded: inDay % 1000, digits: 3)
        bytes.append(UInt8(ascii: "Z"))
    }

    // MARK: Pieces

    /// Returns the milliseconds of the fraction at `position`, and moves `position` behind it; 0 when there is no
    /// fraction.
    private static func milliseconds(
        in text: UnsafeRawBufferPointer, at position: inout Int
    ) throws(InstantError) -> Int {
        guard text[position] == UInt8(ascii: ".") else { return 0 }
        position += 1
        let start = position
        var value = 0
        while position < text.count, text[position] &- UInt8(ascii: "0") <= 9 {
            if position < start + 3 { value = value * 10 + Int(text[position] - UInt8(ascii: "0")) }
            position += 1
        }
        guard position > start else { throw .malformed(offset: position) }
        for _ in 0..<max(0, 3 - (position - start)) { value *= 10 }
        return value
    }

    /// Reads the offset from UTC that ends the text, in minutes.
    private static func offsetMinutes(
        in text: UnsafeRawBufferPointer, at position: Int
    ) throws(InstantError) -> Int {
        guard position < text.count else { throw .malformed(offset: position) }
        if text[position] | 0x20 == UInt8(ascii: "z") {
            guard position + 1 == text.count else { throw .malformed(offset: position + 1) }
            return 0
        }
        let isWest = text[position] == UInt8(ascii: "-")
        guard isWest || text[position] == UInt8(ascii: "+") else { throw .malformed(offset: position) }
        guard position + 6 == text.count else { throw .malformed(offset: min(position + 6, text.count)) }
        guard let hours = text.digits(position + 1, 2), text[position + 3] == UInt8(ascii: ":"),
            let minutes = text.digits(position + 4, 2)
        else { throw .malformed(offset: position + 1) }
        guard hours <= 23, minutes <= 59 else { throw .noSuchOffset }
        return (hours * 60 + minutes) * (isWest ? -1 : 1)
    }

    /// Returns the offset of the first byte that does not fit the form of date and time.
    private static func firstMisfit(in text: UnsafeRawBufferPointer) -> Int {
        let form: StaticString = "0000-00-00T00:00:00"
        for (index, byte) in text.prefix(form.utf8CodeUnitCount).enumerated() {
            let wanted = form.utf8Start[index]
            let fits =
                wanted == UInt8(ascii: "0")
                ? byte &- UInt8(ascii: "0") <= 9
                : wanted == byte || (wanted == UInt8(ascii: "T") && byte == UInt8(ascii: "t"))
            if !fits { return index }
        }
        return min(text.count, form.utf8CodeUnitCount)
    }
}

/// A day of the proleptic Gregorian calendar.
struct CivilDay: Hashable {
    let year: Int
    let month: Int
    let day: Int

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that is `daysSince1970` days after 1970-01-01. The year begins in March here, so that the leap day comes
    /// last.
    init(daysSince1970: Int) {
        let shifted = daysSince1970 + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The days since 1970-01-01.
    var daysSince1970: Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Returns the number of days of a month.
    static func daysIn(month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the number that `count` decimal digits at `offset` write; nil when one of them is no digit. The caller
    /// has checked that the bytes exist.
    @inline(__always)
    fileprivate func digits(_ offset: Int, _ count: Int) -> Int? {
        var value = 0
        for index in offset..<offset + count {
            let digit = self[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }
}

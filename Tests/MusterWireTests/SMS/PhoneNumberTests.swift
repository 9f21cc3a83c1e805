import MusterWire
import Testing

/// When two telephone numbers are one.
@Suite struct PhoneNumberTests {
    private func isSame(_ one: String, _ other: String, country: String? = nil) throws -> Bool {
        let first = try #require(PhoneNumber(one, country: country))
        let second = try #require(PhoneNumber(other, country: country))
        if first.isSame(as: second) { #expect(first.endsLike(other) && second.endsLike(one)) }
        return first.isSame(as: second)
    }

    @Test(arguments: [
        "+34600111222", "+34 600 111 222", "0034600111222", "00 34-600.111/222", "34600111222", "+34 (600) 111222",
    ])
    func `a number is the same however it is written`(text: String) throws {
        #expect(try isSame(text, "+34600111222"))
        #expect(try isSame(text, "600 111 222", country: "34"))
    }

    @Test func `a zero before the national number counts for nothing`() throws {
        #expect(try isSame("+442079460018", "020 7946 0018", country: "44"))
        #expect(try isSame("+44 (0)20 7946 0018", "+442079460018"))
    }

    @Test func `without a country code a national number is another`() throws {
        #expect(try !isSame("+34600111222", "600111222"))
        #expect(try isSame("600111222", "600 111 222"))
        #expect(try !isSame("+34600111222", "600111222", country: "33"))
        #expect(try !isSame("+34600111222", "+34600111223"))
        #expect(try !isSame("+34600111222", "+33600111222"))
    }

    @Test func `a stranger abroad with the same digits is not the user of a national number`() throws {
        #expect(try !isSame("+600111222", "600111222", country: "34"))
        #expect(try !isSame("00600111222", "600111222", country: "34"))
        #expect(try isSame("34600111222", "34 600 111 222", country: "34"))
        #expect(try isSame("447700900123", "+44 7700 900123", country: "34"))
    }

    @Test(arguments: [
        "", "Movistar", "112", "+", "00", "1234567890123456", "+34600x11222", "12345", "+34600111222;+33",
    ])
    func `what is no number of a person is none`(text: String) { #expect(PhoneNumber(text) == nil) }
}

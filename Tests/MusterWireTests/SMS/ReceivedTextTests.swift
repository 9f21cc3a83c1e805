import MusterCore
import MusterWire
import Testing

/// What gateways post.
@Suite struct ReceivedTextTests {
    @Test func `Twilio's form is read`() throws {
        let form = FormFields(
            "ToCountry=US&SmsMessageSid=SM1&NumMedia=0&SmsSid=SM1&Body=SAFE+%C3%B1&From=%2B34600111222&MessageSid=SM1"
                + "&To=%2B12025550100&ApiVersion=2010-04-01")
        let received = try #require(ReceivedText(twilio: form))
        #expect(received.sender == "+34600111222")
        #expect(received.text == "SAFE ñ")
        #expect(received.id == "SM1")
        #expect(received.sentAt == nil)
        #expect(ReceivedText(twilio: FormFields("Body=SAFE")) == nil)
        #expect(ReceivedText(twilio: FormFields("From=1&From=2&Body=SAFE")) == nil)
        #expect(ReceivedText(twilio: FormFields("From=%2B34600111222"))?.text == "")
    }

    @Test func `a plain form is read`() throws {
        let form = FormFields("from=%2B34600111222&text=HELP&id=IN20261130_221500_00.txt&time=2026-11-30+22:15:00")
        let received = try #require(ReceivedText(form: form))
        #expect(received.id == "IN20261130_221500_00.txt")
        #expect(received.sentAt == (try Instant(rfc3339: "2026-11-30T22:15:00Z")))
    }

    @Test func `Kannel's post is read, in UTF-8 and in UTF-16`() throws {
        let query = FormFields("from=34600111222&id=7f3e&time=2026-11-30+22:15:00")
        let plain = try #require(
            ReceivedText(kannel: query, sender: nil, time: nil, body: Array("無事".utf8), contentType: "text/plain"))
        #expect(plain.sender == "34600111222" && plain.text == "無事" && plain.id == "7f3e" && plain.sentAt != nil)
        let wide = try #require(
            ReceivedText(
                kannel: FormFields(""), sender: "%2B34600111222", time: "2026-11-30 22:15:00",
                body: [0x71, 0x21, 0x4E, 0x8B], contentType: "text/plain; charset=\"UTF-16BE\""))
        #expect(wide.sender == "+34600111222" && wide.text == "無事" && wide.id == nil)
        let unreadable: [([UInt8], String)] = [
            ([0xFF, 0xFE], "text/plain"), ([0x71], "text/plain; charset=UTF-16BE"),
        ]
        for (body, type) in unreadable {
            #expect(
                ReceivedText(kannel: query, sender: nil, time: nil, body: body, contentType: type) == nil, "\(type)")
        }
        #expect(ReceivedText(kannel: FormFields(""), sender: nil, time: nil, body: [], contentType: nil) == nil)
    }
}

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
        #expect(ReceivedText(kannel: FormFields(""), sender: nil, time: nil, body: [], contentType: nil) == nil)
    }

    private static let bodies: [([UInt8], String, String)] = [
        (Array("SOS ni".utf8) + [0xF1] + Array("o".utf8), "text/plain", "SOS niño"),
        ([0xFF], "text/plain; charset=UTF-8", "ÿ"),
        ([0, 0x53, 0, 0x4F, 0, 0x53, 0], "text/plain; charset=UTF-16BE", "SOS"),
        ([0x53, 0, 0x4F, 0, 0x53, 0], "text/plain; charset=\"utf-16le\"", "SOS"),
        ([0xFF, 0xFE, 0x53, 0, 0x4F, 0, 0x53, 0], "text/plain; charset=UTF-16", "\u{FEFF}SOS"),
        ([0xD8, 0, 0, 0x53], "text/plain; charset=UTF-16BE", "\u{FFFD}S"),
        ([0x71], "text/plain; charset=UTF-16BE", ""), ([], "text/plain; charset=UTF-16BE", ""),
    ]

    @Test(arguments: bodies)
    func `a text in a wrong character set is read as far as it can be`(body: [UInt8], type: String, text: String) {
        let query = FormFields("from=34600111222")
        let received = ReceivedText(kannel: query, sender: nil, time: nil, body: body, contentType: type)
        #expect(received?.text == text, "\(type)")
    }

    @Test func `wrong escapes and a second text lose nothing`() {
        func text(_ form: String) -> String? { ReceivedText(form: FormFields(anyForm: "from=346001&" + form))?.text }
        #expect(text("text=SOS+ni%F1o") == "SOS niño")
        #expect(text("text=SOS+100%") == "SOS 100%")
        #expect(text("text=SOS%zz%4") == "SOS%zz%4")
        #expect(text("text=SOS&text=here") == "SOS\nhere")
        #expect(text("text=ni%C3%B1o") == "niño")
        #expect(text("") == "")
        #expect(ReceivedText(form: FormFields(anyForm: "text=SOS")) == nil)
        #expect(ReceivedText(twilio: FormFields(anyForm: "From=1&Body=SOS&Body=now"))?.text == "SOS\nnow")
    }
}

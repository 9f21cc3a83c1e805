import MusterGeometry
import MusterWire

/// Whatever a phone writes or a gateway posts, it is read without a crash: the person is safe by a known phrase alone,
/// a place is on the globe, and an answer is short.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    let text = String(decoding: bytes, as: UTF8.self)
    let form = FormFields(text)
    _ = ReceivedText(twilio: form)
    _ = ReceivedText(form: form)
    _ = ReceivedText(kannel: form, sender: text, time: text, body: bytes, contentType: "text/plain; charset=utf-16be")
    if let number = PhoneNumber(text, country: "34") {
        // A number without a sign that is too long for a country code before it is nobody's that is stored.
        precondition(number.endsLike(text) && (number.isSame(as: number) || text.utf8.count > 12))
    }
    let message = TextMessage(text)
    for language in TextLanguage.allCases {
        switch message.content {
        case .safe(let code, _):
            precondition(code.map { $0.utf8.count == TextMessage.codeLength } ?? !text.contains("?"))
        case .help(let place): precondition(TextAnswer.help(at: place).words(in: language).utf16.count <= 160)
        case .sos(let place): precondition(TextAnswer.sos(at: place).words(in: language).utf16.count <= 160)
        case .place(let place):
            precondition((-90...90).contains(place.latitude) && (-180...180).contains(place.longitude))
            precondition(TextAnswer.place(place).words(in: language).utf16.count <= 160)
        case .unknown: break
        }
    }
    return 0
}

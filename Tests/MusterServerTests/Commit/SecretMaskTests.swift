import Testing

@testable import MusterServer

/// What a report that the server could not read shows to an admin.
@Suite struct SecretMaskTests {
    @Test(arguments: [
        (#"{"password":"a\"bc","url":"here"}"#, #"{"password":"*****","url":"here"}"#),
        (#"{"tlsClientCrtPassword" : "xyz","tid":"ab"}"#, #"{"tlsClientCrtPassword" : "***","tid":"ab"}"#),
        (#"{"opencageApiKey":"k1","userToken":"t"}"#, #"{"opencageApiKey":"**","userToken":"*"}"#),
        (#"{"url":"https://ana:pw@host/pub?a@b"}"#, #"{"url":"https://******@host/pub?a@b"}"#),
        (#"{"url":"https://host/pub?to=a@b"}"#, #"{"url":"https://host/pub?to=a@b"}"#),
        (#"{"keys":["a"],"password":4,"#, #"{"keys":["a"],"password":4,"#),
        (#"{"password":"open"#, #"{"password":"****"#),
    ])
    func `secrets are hidden, and nothing else`(report: String, shown: String) {
        #expect(String(decoding: SecretMask.masking(Array(report.utf8)), as: UTF8.self) == shown)
    }
}

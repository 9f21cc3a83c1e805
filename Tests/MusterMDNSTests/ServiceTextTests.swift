import MusterMDNS
import Testing

struct ServiceTextTests {
    @Test func `a text is written with each entry's length before it`() {
        let text: ServiceText = ["id": "7", "v": ""]
        #expect(text.strings == [4] + Array("id=7".utf8) + [2] + Array("v=".utf8))
        #expect(ServiceText().strings == [0])
    }

    @Test func `of a repeated key the first counts, whatever its case`() {
        let strings = ["A=1", "a=2", "=3", "flag", "b=x=y", ""].flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        let text = ServiceText(reading: strings)
        #expect(text["a"] == "1")
        #expect(text["B"] == "x=y")
        #expect(text.contains("flag") && text["flag"] == nil)
        #expect(text.entries.count == 3)
    }

    @Test func `a text that others could not read is refused`() {
        #expect((["a=b": "1"] as ServiceText).strings == nil)
        #expect((["": "1"] as ServiceText).strings == nil)
        #expect((["ä": "1"] as ServiceText).strings == nil)
        #expect((["a": String(repeating: "x", count: 254)] as ServiceText).strings == nil)
        let many = (0..<10).map { ServiceText.Entry(key: "k\($0)", value: [UInt8](repeating: 65, count: 200)) }
        #expect(ServiceText(many).strings == nil)
    }
}

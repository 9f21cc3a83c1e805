import MusterCore
import MusterWire
import Testing

/// Ids of the union that say whose a document is.
@Suite struct QualifiedIDTests {
    private let ben = DatabaseNumber.locations(of: UserNumber(2))

    @Test(arguments: ["x", "user-0000000007:x", "é/ö", ":", "position-0000000001-", "\u{301}a"])
    func `an id that was qualified is found again`(id: String) throws {
        let text = QualifiedID(id, in: ben).text
        #expect(text == "user-0000000002:" + id)
        let found = try #require(QualifiedID(text))
        #expect(found.database == ben && Array(found.id.utf8) == Array(id.utf8))
        #expect(text.utf8.count == id.utf8.count + QualifiedID.qualifierBytes)
    }

    @Test(arguments: [
        "", "x", "user-", "user-0000000002", "user-0000000002:", "user-2:x", "user-0000000002;x", "user-000000000a:x",
        "user-0000000000:x", "user-9999999999:x", "User-0000000002:x", "user-+000000002:x", "user-00000000002:x",
    ])
    func `a text of another form is not a qualified id`(text: String) {
        #expect(QualifiedID(text) == nil)
    }

    @Test func `a replica accepts a qualified id, and refuses a longer one`() {
        let longest = String(repeating: "i", count: DocumentEdit.idLimitBytes)
        #expect(throws: Never.self) { try DocumentID.check(QualifiedID(longest, in: ben).text) }
        for id in [longest + "i", QualifiedID(longest + "i", in: ben).text] {
            #expect(throws: CouchDocumentError.self) { try DocumentID.check(id) }
            #expect(throws: Never.self) { try DocumentID.checkForm(of: id) }
        }
    }

    @Test(arguments: [
        ("position-0000000001-", 1), ("position-0000000012-x", 12), ("position-2147483647-", 2_147_483_647),
    ])
    func `an id among those of a device's positions names the device`(id: String, device: Int32) {
        #expect(PositionDocument.device(ofID: id) == DeviceNumber(device))
    }

    @Test(arguments: [
        "position-", "position-0000000000-x", "position-1-x", "position-0000000001.", "position-2147483648-",
        "Position-0000000001-", "position-00000000010-", "position-+000000001-",
    ])
    func `other ids name no device`(id: String) {
        #expect(PositionDocument.device(ofID: id) == nil)
    }
}

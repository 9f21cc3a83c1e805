import Foundation
import MusterCore
import Testing

@testable import MusterNearby

/// The secret of a device's range tag: how the tag is made of it, and where it is stored.
@Suite struct RangeSecretTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/muster-secret-" + UUID().uuidString

    @Test func `the tag of a secret is the one that the server computes`() {
        // The example of docs/proximity.md, computed by another program; RangeRoutesTests has the same.
        let secret = RangeSecret("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
        #expect(secret?.tag.description == "1e1823c5e4d535395f65f2e3e3c0894b")
    }

    @Test func `the file of a secret is readable by its owner alone, and outlives the run`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let secret = try NearbyStore(folder: folder).rangeSecret()
        let path = folder + "/range-secret"
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == secret.digits + "\n")
        #expect(try NearbyStore(folder: folder).rangeSecret() == secret)
        try "0011\n".write(toFile: path, atomically: true, encoding: .utf8)
        let failure = #expect(throws: NearbyStore.Failure.self) { try NearbyStore(folder: folder).rangeSecret() }
        #expect(failure?.description == "\(path) holds no range secret")
    }

    @Test func `a new secret replaces the tag of an earlier version, which had none`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try NearbyStore(folder: folder)
        let former = "00112233445566778899aabbccddeeff"
        try (former + "\n").write(toFile: folder + "/range-tag", atomically: true, encoding: .utf8)
        let secret = try store.rangeSecret()
        #expect(secret.tag.description != former)
        #expect(!FileManager.default.fileExists(atPath: folder + "/range-tag"))
        #expect(try NearbyStore(folder: folder).rangeSecret() == secret)
    }

    @Test func `a store in memory makes one secret, and another store another`() throws {
        let store = try NearbyStore()
        let secret = try store.rangeSecret()
        #expect(try store.rangeSecret() == secret)
        #expect(try NearbyStore().rangeSecret() != secret)
    }
}

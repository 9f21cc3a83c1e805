import MusterCore
import Testing

@testable import MusterServer

struct KnownClientTests {
    private let vault = SecretVault()
    private let ana = UserNumber(7)
    private let mark = [UInt8](repeating: 3, count: 32)
    private let start = Instant(seconds: 1_700_000_000)

    private var proof: String { KnownClient(ana, mark: mark, at: start).text(sealedBy: vault) }

    @Test func `a proof is its user's alone, and ends with the password and with time`() throws {
        let known = try #require(KnownClient(proof, openedBy: vault))
        #expect(known.proves(ana, mark: mark, at: start))
        #expect(!known.proves(UserNumber(8), mark: mark, at: start))
        #expect(!known.proves(ana, mark: [UInt8](repeating: 4, count: 32), at: start))
        #expect(!known.proves(ana, mark: [], at: start))
        #expect(known.proves(ana, mark: mark, at: start.advanced(bySeconds: KnownClient.lifetimeSeconds - 1)))
        #expect(!known.proves(ana, mark: mark, at: start.advanced(bySeconds: KnownClient.lifetimeSeconds)))
    }

    @Test func `nobody makes a proof without the server's key`() {
        let proof = proof
        #expect(KnownClient(proof, openedBy: SecretVault()) == nil)
        #expect(KnownClient("", openedBy: vault) == nil)
        #expect(KnownClient(String(repeating: "A", count: 4_096), openedBy: vault) == nil)
        var changed = Array(proof.utf8)
        for index in changed.indices {
            let letter = changed[index]
            changed[index] = letter == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(KnownClient(String(decoding: changed, as: UTF8.self), openedBy: vault) == nil)
            changed[index] = letter
        }
        // Another secret that the server sealed is none.
        let other = KnownClient(ana, mark: mark, at: start)
        #expect(other.text(sealedBy: vault) != proof)
    }
}

import Dispatch
import MusterCoding
import MusterCore
import Testing

@testable import MusterHTTP
@testable import MusterServer

@Suite struct PasswordTests {
    private static let cost = PasswordHash.Cost(logarithm: 4, blockSize: 8, parallelism: 1)

    @Test func `scrypt is the scrypt of RFC 7914`() throws {
        // Section 12: the second vector, N = 1024, r = 8, p = 16, its first 32 bytes.
        let cost = PasswordHash.Cost(logarithm: 10, blockSize: 8, parallelism: 16)
        let hash = try PasswordHash(of: "password", salt: Array("NaCl".utf8), cost: cost)
        let expected: [UInt8] = [
            0xFD, 0xBA, 0xBE, 0x1C, 0x9D, 0x34, 0x72, 0x00, 0x78, 0x56, 0xE7, 0x19, 0x0D, 0x01, 0xE9, 0xFE, 0x7C, 0x6A,
            0xD7, 0xCB, 0xC8, 0x23, 0x78, 0x30, 0xE7, 0x73, 0x76, 0x63, 0x4B, 0x37, 0x31, 0x62,
        ]
        #expect(hash.key == expected)
    }

    @Test func `a hash survives as text and matches its password alone`() throws {
        let hash = try PasswordHash(of: "pässwörd", salt: Array(1...16), cost: Self.cost)
        #expect(hash.text.hasPrefix("$scrypt$ln=4,r=8,p=1$"))
        let read = try #require(PasswordHash(text: hash.text))
        #expect(read == hash)
        #expect(try read.matches("pässwörd"))
        #expect(try !read.matches("passwörd"))
        #expect(try !read.matches(""))
    }

    @Test(arguments: [
        "", "$scrypt$", "$scrypt$ln=4,r=8,p=1$AAAA$AAAA", "$2b$12$abcdefghijklmnopqrstuv",
        "$scrypt$ln=30,r=8,p=1$AQIDBAUGBwgJCgsMDQ4PEA$YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE",
        "$scrypt$ln=-1,r=8,p=1$AQIDBAUGBwgJCgsMDQ4PEA$YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE",
    ])
    func `a malformed or too expensive password hash is refused`(_ text: String) {
        #expect(PasswordHash(text: text) == nil)
    }

    @Test func `the same password hashes differently each time`() async throws {
        let hasher = PasswordHasher.quick()
        let first = try await hasher.hash("one password")
        let second = try await hasher.hash("one password")
        #expect(first != second)
        #expect(try await hasher.verify("one password", against: first))
        #expect(try await hasher.verify("one password", against: second))
        #expect(try await !hasher.verify("", against: nil))
    }

    @Test func `more sign-ins than may wait are turned away, and the others are served`() async throws {
        let hasher = PasswordHasher.quick(threads: 1, waitingLimit: 4)
        let gate = DispatchSemaphore(value: 0)
        // Takes the thread until everyone has come: so it runs, and three wait.
        let held = Task { try await hasher.run("192.0.2.1", .unknown) { gate.wait() } }
        while hasher.counts.running == 0 { await Task.yield() }
        let outcomes = await withTaskGroup { group in
            for _ in 0..<40 {
                group.addTask {
                    do { return try await hasher.verify("guess", against: nil) ? "right" : "wrong" } catch {
                        return "\(error)"
                    }
                }
            }
            while hasher.counts.waiting + hasher.counts.refused < 40 { await Task.yield() }
            gate.signal()
            var outcomes: [String: Int] = [:]
            for await outcome in group { outcomes[outcome, default: 0] += 1 }
            return outcomes
        }
        try await held.value
        #expect(outcomes == ["wrong": 3, "busy": 37])
        #expect(try await !hasher.verify("guess", against: nil))
    }

    @Test func `hashing for a request without a sign-in has the urgency of an unknown address`() {
        let work = RequestWork(from: "203.0.113.7")
        RequestWork.$current.withValue(work) {
            #expect(PasswordHasher.urgencyOfNewPasswords == .unknown)
            work.setClient(RequestWork.Client(number: 1, name: "admin", hasPriority: true))
            #expect(PasswordHasher.urgencyOfNewPasswords == .knownAddress)
        }
        #expect(PasswordHasher.urgencyOfNewPasswords == .knownAddress)
    }

    @Test(arguments: ["", "f", "fo", "foo", "\u{FF}\u{FE}~?>"], [Base64.Alphabet.standard, .forURLs])
    func `base 64 goes there and back`(_ text: String, _ alphabet: Base64.Alphabet) {
        let encoded = Base64.encodeUnpadded(Array(text.utf8), alphabet)
        #expect(!encoded.contains("="))
        #expect(Base64.decodeUnpadded(encoded, alphabet) == Array(text.utf8))
    }

    @Test(arguments: ["A", "Zg==x", "Z*", "Zh", "Zm9=", "Zm9v==="])
    func `malformed base 64 is refused`(_ text: String) {
        #expect(Base64.decodeUnpadded(text, .standard) == nil)
    }
}

import Foundation
import MusterCore
import MusterKit
import MusterReplication
import Testing

@testable import MusterApp

/// An app whose process is killed with -9 at any line, again and again, while a person speaks.
@MainActor
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1, "the server needs a thread beside the waiting one"))
struct KilledAppTests {
    private nonisolated static let kills = 3
    /// Another run: `MUSTER_SEED=7`.
    private nonisolated static let seed = ProcessInfo.processInfo.environment["MUSTER_SEED"].flatMap { UInt64($0) } ?? 1

    @Test func `an app that is killed at any line sends each word once, and loses none that was taken`() async throws {
        print("seed \(Self.seed)")
        let folder = URL(filePath: temporaryPath())
        defer { try? FileManager.default.removeItem(at: folder) }
        try await RunningServer.serve { server in
            try await server.makeMeadow()
            try await server.make(["ann"], team: "crew")
            let phone = Phone(at: server.address, over: server.connections, folder: folder)
            try await phone.signIn("ann")
            await phone.app.close()
            var dice = Dice(seed: Self.seed)
            for run in 0..<Self.kills {
                let words = Int.random(in: 2...8, using: &dice)
                let turns = Int.random(in: 0...100_000, using: &dice)
                let address = server.address
                let path = folder.path
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [
                        address = address as String, path = path as String, run = run as Int, words = words as Int,
                        turns = turns as Int,
                    ] in
                    try await Self.speak(address, path, run, words, turns)
                }
            }
            await phone.start()
            let account = try phone.account
            try await until { account.waiting.waitingCount == 0 }
            let taken = try String(contentsOfFile: folder.appending(path: "taken").path, encoding: .utf8)
            let said = try await server.declarations(of: "ann")
            #expect(Set(said).count == said.count, "each word counts once")
            let lost = taken.split(separator: "\n").map(String.init).filter { !said.contains($0) }
            #expect(lost.isEmpty)
            #expect(said.count > Self.kills, "an app that says nothing proves nothing")
            await phone.app.close()
        }
    }

    /// What the process does that is killed: it says one word after the other, and writes down each that was taken.
    /// Once so many words are taken, it lives for some turns of all other threads.
    @MainActor private static func speak(
        _ address: String, _ path: String, _ run: Int, _ words: Int, _ turns: Int
    ) async throws {
        let phone = Phone(at: address, over: .shared, folder: URL(filePath: path))
        await phone.start()
        let account = try phone.account
        let file = URL(filePath: path).appending(path: "taken").path
        if !FileManager.default.fileExists(atPath: file) { try Data().write(to: URL(filePath: file)) }
        let taken = try #require(FileHandle(forWritingAtPath: file))
        for word in 0..<1_000 {
            if word == words {
                Thread.detachNewThread {
                    for _ in 0..<turns { sched_yield() }
                    kill(getpid(), SIGKILL)
                }
            }
            await account.safety.askForHelp(note: "\(run).\(word)")
            try taken.seekToEnd()
            try taken.write(contentsOf: Data("needsHelp \(run).\(word)\n".utf8))
        }
        kill(getpid(), SIGKILL)
    }
}

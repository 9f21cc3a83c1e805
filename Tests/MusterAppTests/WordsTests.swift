import Foundation
import Testing

@testable import MusterApp

/// The texts of the app in its languages.
@MainActor @Suite struct WordsTests {
    private static func parameters(_ text: String) -> Set<String> {
        Set(text.matches(of: /\{(\w+)\}/).map { String($0.output.1) })
    }

    @Test(arguments: Language.allCases) func `every key has a text in every language`(_ language: Language) {
        let words = Words(language).all
        let missing = Word.allCases.map(\.rawValue).filter { words[$0] == nil && words["\($0).other"] == nil }
        #expect(missing.isEmpty)
        let keys = Set(words.keys.map { $0.split(separator: ".").first.map(String.init) ?? "" })
        #expect(keys.subtracting(Word.allCases.map(\.rawValue)).isEmpty, "texts that no key names")
        #expect(words.values.allSatisfy { !$0.isEmpty })
    }

    @Test(arguments: Language.allCases) func `a text has the parameters of the English one`(_ language: Language) {
        let (words, english) = (Words(language).all, Words(.english).all)
        for word in Word.allCases.map(\.rawValue) {
            func of(_ table: [String: String]) -> Set<String> {
                [table[word], table["\(word).one"], table["\(word).other"]].compactMap(\.self)
                    .reduce(into: []) { $0.formUnion(Self.parameters($1)) }
            }
            #expect(of(words).subtracting(["count"]) == of(english).subtracting(["count"]), "\(word)")
        }
    }

    @Test(arguments: [Language.spanish, .japanese, .chinese])
    func `no text of another language is English`(_ language: Language) {
        // Names and signs that are the same in all languages.
        let same: Set<String> = ["betweenParts", "textPercent", "lengthMetres", "lengthKilometres", "wayN"]
        let english = Words(.english).all
        for (key, text) in Words(language).all where !same.contains(key) {
            guard let other = english[key], other == text else { continue }
            let letters = text.replacing(/\{\w+\}/, with: "").filter(\.isLetter)
            #expect(letters.count <= 9, "\(key): \(text)")
        }
    }

    @Test func `numbers, ages and lengths are worded`() {
        let wording = Wording(.english, timeZone: .gmt, now: Date(timeIntervalSince1970: 1_800_000_000))
        #expect(wording.words.text(.declarationsMessages, count: 1) == "1 message")
        #expect(wording.words.text(.declarationsMessages, count: 3) == "3 messages")
        #expect(Words(.japanese).text(.declarationsMessages, count: 1).contains("1"))
        #expect(wording.age(of: wording.now.addingTimeInterval(-180)) == "3 min ago")
        #expect(wording.age(of: wording.now.addingTimeInterval(60)) == "now")
        #expect(wording.age(of: nil) == "never")
        #expect(wording.length(1_234) == "1.2 km")
        #expect(wording.clock(wording.now) == "08:00:00")
        #expect(wording.clock(wording.now.addingTimeInterval(-86_400)) == "2027-01-14 08:00:00")
        #expect(wording.stopwatch(3_907) == "1:05:07")
        #expect(wording.legible("a\u{202E}b\nc") == "a b c")
        wording.language = .spanish
        #expect(wording.words.text(.mySafe) == Words(.spanish).text(.mySafe))
    }

    @Test(arguments: [
        (["fr-FR", "zh-Hans-CN", "en"], Language.chinese), (["pt_BR"], .english), (["es-419"], .spanish),
        ([], .english),
    ])
    func `the first language of a person that the app speaks is chosen`(_ list: [String], _ expected: Language) {
        #expect(Language.preferred(among: list) == expected)
    }

    @Test func `a text is cut at a character, never refused for its length`() {
        #expect("  äöü ".trimmed(toBytes: 5) == "äö")
        #expect(" \n ".trimmed(toBytes: 10) == nil)
        #expect("👩‍🚒👩‍🚒".trimmed(toBytes: 12) == "👩‍🚒")
    }

    @Test func `a notification is worded in the phone's language`() {
        let data = ["kind": "incident", "state": "open", "drill": "false", "team": "crew"]
        let words = NotificationWords(data, body: "crew: fire", user: "ann", .spanish)
        #expect(words?.title == Words(.spanish).text(.callReal))
        #expect(words?.isCritical == true && words?.actions == [.seen, .safe, .needHelp])
        #expect(NotificationWords(["kind": "dream"], body: "", user: nil, .english) == nil)
    }

    @Test(arguments: [
        ("incident", "open"), ("incident", "closed"), ("call", "sos"), ("call", "needs-help"), ("check-in", "due"),
        ("check-in", "overdue"), ("locate", nil), ("par", "par"), ("par", "par-overdue"), ("par", "handed-over"),
        ("test", nil), ("dream", "of a newer server"), (nil, nil),
    ])
    func `a Focus filter never silences what is urgent or unknown`(_ kind: String?, _ state: String?) {
        for drill in ["true", "false"] {
            var data = ["drill": drill]
            data["kind"] = kind
            data["state"] = state
            #expect(NotificationUrgency(data) == .urgent)
        }
    }

    @Test(arguments: [("attendance", "lacking"), ("proximity", "near")])
    func `a Focus filter may silence the report of a rule`(_ kind: String, _ state: String) {
        #expect(NotificationUrgency(["kind": kind, "state": state]) == .routine)
    }

    @Test func `a notice of the phone itself is urgent, whether it breaks through silence or not`() {
        #expect(Notice(id: "a", title: "", body: "").urgency == .urgent)
        #expect(Notice(id: "a", title: "", body: "", isCritical: true).urgency == .urgent)
    }
}

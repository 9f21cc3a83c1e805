import Testing

/// That each rule finds what it is for, and nothing else.
@Suite struct RuleTests {
    private func file(_ text: String, path: String = "Sources/MusterCore/Sample.swift") -> SourceFile {
        SourceFile(path: path, text: text)
    }

    @Test(arguments: [
        ("import Foundation", "Sources/MusterCore/A.swift", 1),
        ("public import struct Foundation.Date", "Sources/MusterGeometry/A.swift", 1),
        ("public import MusterGeometry\nimport MusterStore", "Sources/MusterCore/A.swift", 1),
        ("@preconcurrency import MusterSimulator", "Sources/MusterServer/A.swift", 1),
        ("import NIOCore\nimport MusterStore\nimport Foundation", "Sources/MusterServer/A.swift", 0),
        ("// import Foundation\nlet text = \"import Foundation\"", "Sources/MusterCore/A.swift", 0),
        ("import Synchronization", "Sources/MusterKit/A.swift", 1),
        ("import Synchronization", "Sources/MusterServer/A.swift", 0),
        ("import MusterServer", "Tests/Anything/A.swift", 0),
        ("", "Sources/Unheard/A.swift", 1),
    ])
    func `an import is judged by its target`(text: String, path: String, count: Int) {
        #expect(Dependencies.findings(in: file(text, path: path)).count == count)
    }

    @Test func `strings, comments and quoted names are not code`() {
        let text = #"""
            let a = "func {" // {
            let b = "\(call("{", /* } */ x)) {" + #"\("# + """
                " { \(y { z }) {
                """
            func `it's a "quoted" {`() {}
            """#
        let masked = Code(text).lines.joined(separator: "\n")
        #expect(masked.count { $0 == "{" } == 2)
        #expect(masked.count { $0 == "}" } == 2)
        #expect(masked.contains("call(") && masked.contains("y { z }"))
        #expect(masked.utf8.count == text.utf8.count)
    }

    @Test func `a function's length runs from its head to its brace`() {
        func body(_ lines: Int) -> String {
            "struct S {\n    package mutating func f(\n        a: Int\n    ) {\n"
                + String(repeating: "        g { 1 }\n", count: lines) + "    }\n}\n"
        }
        #expect(Layout.longFunctions(in: file(body(66))).isEmpty)
        #expect(Layout.longFunctions(in: file(body(67))).map(\.line) == [2])
        let requirements = "protocol P {\n" + String(repeating: "    func f()\n", count: 80) + "}\n"
        #expect(Layout.longFunctions(in: file(requirements)).isEmpty)
    }

    @Test func `files and lines have a limit that may be reached`() {
        #expect(Layout.longFile(file(String(repeating: "a\n", count: 400))).isEmpty)
        #expect(Layout.longFile(file(String(repeating: "a\n", count: 401))).count == 1)
        #expect(Layout.longLines(in: file(String(repeating: "é", count: 120))).isEmpty)
        #expect(Layout.longLines(in: file("\n" + String(repeating: "é", count: 121))).map(\.line) == [2])
    }

    @Test(arguments: [
        ("public struct A {}", 1), ("/// Said.\npublic struct A {}", 0), ("public init() {}", 0),
        ("/// Said.\n@inlinable\n@discardableResult public static func f() {}", 0),
        ("@inlinable\npublic func f() {}", 1),
        ("package import MusterCore", 0), ("struct A {}", 0), ("let a = package", 0), ("package extension A {", 0),
        ("// Said.\npackage final class A {", 1), ("public internal(set) var a = 1", 1),
        ("package var a = 1", 0), ("public var a = 1", 1), ("case package", 0),
        ("public class func f() {}", 1), ("private package(set) var a = 1", 0),
    ])
    func `a declaration that others see needs a doc comment`(text: String, count: Int) {
        #expect(Wording.undocumented(in: file(text)).count == count)
    }

    @Test func `words are found in code, and not in comments or strings`() {
        let text = "let a = try! f()\n// try! this\nlet b = \"try!\"\nfingerprint(a)\nprint(a)\n"
        #expect(Wording.code("try!", in: file(text), because: "").map(\.line) == [1])
        #expect(Wording.code("print(", in: file(text), because: "").map(\.line) == [5])
    }

    @Test(arguments: [
        ("if access.principal.role == .admin {}", "Sources/MusterAmazon/A.swift", 1),
        ("if context.principal?.role == .admin {}", "Sources/MusterMQTT/A.swift", 1),
        ("extension Principal {\n    var leads: Bool { role == .leader }\n}", "Sources/MusterCouchDB/A.swift", 1),
        ("let roles = principal.roles // principal.role", "Sources/MusterAmazon/A.swift", 0),
        ("let isMember = user.role == .member", "Sources/MusterAmazon/A.swift", 0),
        ("switch principal.role {}", "Sources/MusterServer/Identity/Access.swift", 0),
    ])
    func `only Access reads a caller's role`(text: String, path: String, count: Int) {
        #expect(Roles.findings(in: file(text, path: path)).count == count)
    }

    @Test func `a trap's message may not say that code is missing`() {
        #expect(Wording.unwritten(in: file("fatalError(\"the ring is closed\")")).isEmpty)
        #expect(Wording.unwritten(in: file("fatalError(\"not yet implemented\")")).count == 1)
    }

    @Test(arguments: [
        ("@Test(.enabled" + "(if: isLinux)) func f() {}", 1),
        ("@Test(.enabled" + "(if: f(1), \"only there\")) func f() {}", 0),
        ("@Test(.enabled" + "(if: f(1, \"there\"))) func f() {}", 1), ("@Test(.disabled" + "()) func f() {}", 1),
        ("@Test(.disabled" + "(\"slow\")) func f() {}", 0),
    ])
    func `a skip has a reason`(text: String, count: Int) {
        #expect(Wording.silentSkips(in: file(text, path: "Tests/A/B.swift")).count == count)
    }

    @Test func `a page shows examples word by word`() {
        let examples: Set<ArraySlice<String>> = [["let a = 1", "let b = 2"]]
        let good = "Say:\n```swift\nlet a = 1\nlet b = 2\n```\n```\nlet c = 3\n```\n"
        #expect(Wording.uncompiled(in: file(good, path: "a.md"), examples).isEmpty)
        #expect(Wording.uncompiled(in: file(good + "```swift\nlet a = 1\n```\n", path: "a.md"), examples).count == 1)
    }

    @Test func `a path of the glossary may leave out what all have in common`() {
        let tree = ["Sources/MusterCore/Rule/Rule.swift", "Sources/muster/Serve/Serve.swift", "docs/a.yml"]
        let good = "`Core/Rule/Rule`, `muster/Serve/Serve`, `Core/Rule/`, `docs/a.yml`, `/health`, `muster serve`\n"
        #expect(Glossary.absentPaths(in: file(good, path: "docs/glossary.md"), tree).isEmpty)
        let bad = "a `Core/Rule/Gone`\n`Core/Rul`\n"
        #expect(Glossary.absentPaths(in: file(bad, path: "docs/glossary.md"), tree).map(\.line) == [1, 2])
    }
}

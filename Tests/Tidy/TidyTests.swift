import Testing

/// The rules that the compiler and the formatter do not check, each held against the whole tree.
@Suite struct TidyTests {
    private static let noFoundation: Set<String> = ["MusterGeometry", "MusterCore", "MusterWire", "MusterSimulator"]

    @Test func `the files of the package are found`() {
        #expect(Tree.files.contains { $0.path == "Package.swift" })
        #expect(Tree.swift.contains { $0.path == "Tests/Tidy/TidyTests.swift" })
    }

    @Test func `dependencies point downwards only`() {
        report(Tree.swift.flatMap(Dependencies.findings))
    }

    @Test func `the targets that decide do not import Foundation`() {
        report(
            Tree.swift.filter { TidyTests.noFoundation.contains($0.target ?? "") }.flatMap { file in
                Dependencies.imports(in: file).filter { $0.module.hasPrefix("Foundation") }.map {
                    Finding(path: file.path, line: $0.line, message: "no Foundation here")
                }
            })
    }

    @Test func `no file is longer than 400 lines`() {
        report(Tree.files.filter(isCode).flatMap(Layout.longFile))
    }

    @Test func `no line is wider than 120 columns`() {
        report(Tree.files.filter(isCode).flatMap(Layout.longLines))
    }

    @Test func `no function is longer than 70 lines`() {
        report(Tree.swift.flatMap(Layout.longFunctions))
    }

    @Test func `declarations that other targets see are documented`() {
        report(Tree.swift.filter { $0.target != nil }.flatMap(Wording.undocumented))
    }

    @Test func `no code has try!`() {
        report(Tree.swift.flatMap { Wording.code("try!", in: $0, because: "traps on an error") })
    }

    @Test func `no code is unfinished`() {
        report(Tree.swift.flatMap(Wording.unwritten))
        for mark in ["TO" + "DO", "FIX" + "ME", "XX" + "X:"] {
            report(Tree.files.flatMap { Wording.text(mark, in: $0, because: "belongs in an issue") })
        }
    }

    @Test func `the server logs and never prints`() {
        let server = Tree.swift.filter { $0.target == "MusterServer" }
        report(server.flatMap { Wording.code("print(", in: $0, because: "bypasses the log") })
    }

    @Test func `no endpoint decides by a caller's role`() {
        report(Tree.swift.flatMap(Roles.findings))
    }

    @Test func `no registry's host is named`() {
        let hosts = [
            "py" + "pi.org", "files.python" + "hosted.org", "deb.de" + "bian.org", "registry.npm" + "js.org",
            "crates" + ".io", "proxy.gol" + "ang.org", "rubygems" + ".org",
        ]
        for host in hosts {
            report(Tree.files.flatMap { Wording.text(host, in: $0, because: "is for each machine's settings to name") })
        }
    }

    @Test func `no file names a path of the machine it was written on`() {
        for path in ["/wo" + "rk/", "/tm" + "p/h-", "/ro" + "ot/", "/opt/sw" + "ift"] {
            report(Tree.files.flatMap { Wording.text(path, in: $0, because: "exists on one machine only") })
        }
    }

    @Test func `a test that is skipped says why`() {
        report(Tree.files.filter { $0.path.hasPrefix("Tests/") && isCode($0) }.flatMap(Wording.silentSkips))
    }

    @Test func `the examples of the documentation are compiled`() {
        let examples = Set(Tree.swift.filter { $0.path.hasPrefix("Examples/") }.map { $0.lines.dropLast() })
        #expect(!examples.isEmpty)
        report(Tree.files.filter { $0.path.hasSuffix(".md") }.flatMap { Wording.uncompiled(in: $0, examples) })
    }

    @Test func `the glossary leads to files that are there`() {
        let page = Tree.files.first { $0.path == "docs/glossary.md" }
        #expect(page != nil)
        report(page.map { Glossary.absentPaths(in: $0, Tree.files.map(\.path)) } ?? [])
    }

    private func isCode(_ file: SourceFile) -> Bool {
        [".swift", ".js", ".mjs", ".py", ".css"].contains { file.path.hasSuffix($0) }
    }

    /// One issue a breach, so that each shows by file and line.
    private func report(_ findings: [Finding]) {
        for finding in findings.prefix(100) { Issue.record("\(finding.description)") }
    }
}

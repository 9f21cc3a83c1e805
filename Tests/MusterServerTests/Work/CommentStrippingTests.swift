import Foundation
import Testing

@testable import MusterHTTP

/// Leaving the comments out of scripts and style sheets.
@Suite struct CommentStrippingTests {
    private func script(_ text: String) -> String {
        String(decoding: CommentStripping.strip(Array(text.utf8), of: .script), as: UTF8.self)
    }

    private func sheet(_ text: String) -> String {
        String(decoding: CommentStripping.strip(Array(text.utf8), of: .styleSheet), as: UTF8.self)
    }

    @Test(arguments: [
        ("// a\nb();\n", "b();\n"), ("a();\n  // b\n\t// c\nd();", "a();\nd();"), ("a();\n// b", "a();\n"),
        ("/** a */\nb();\n", "b();\n"), ("/**\n * a // b\n * \"c\n */\nd();\n", "d();\n"),
        ("a();\n/* b */  \n", "a();\n"),
        ("// it's `so`\na();\n", "a();\n"), ("//\n", ""), ("", ""), ("/***/\na\n", "a\n"), ("// 日本語\na\n", "a\n"),
        ("let a = 1\n// b\n;[2].map(c)\n", "let a = 1\n;[2].map(c)\n"), ("return\n/* a */\nb\n", "return\nb\n"),
    ])
    func `a comment on lines of its own is left out`(text: String, expected: String) {
        #expect(script(text) == expected)
    }

    @Test(arguments: [
        "a(); // b\n", "/* a */ b();\n", "a(); /* b\n c */\n", "/* a\n */ b();\n", "a /* b */ /* c */\n",
        "/* a */ // b\n", "a();\n /* b */ /* c */\n",
    ])
    func `a comment that shares a line with something else stays`(text: String) { #expect(script(text) == text) }

    @Test(arguments: [
        "/*! a licence */\n", "/**\n * @license MIT\n */\n", "// @preserve\n", "//# sourceMappingURL=a.map\n",
        "//! a\n", "//@ b\n", "/* Copyright 2020 somebody */\n", "// Copyright 2020\n// All rights, in full.\n",
        "// One\n// COPYRIGHT somebody\n// three\n", "/*@cc_on @*/\n",
    ])
    func `what a licence or a tool wants kept stays`(comment: String) {
        #expect(script(comment + "a();\n// b\n") == comment + "a();\n")
    }

    @Test func `a licence keeps no other comment`() {
        #expect(script("/* a */\n// @license MIT\n/* b */\n// c\n") == "// @license MIT\n")
    }

    @Test(arguments: [
        // Texts.
        "a = \"\\\n// b\\\n\";\n", "a = '// b';\n", "a = \"\\\\\";\n", "a = '\\'// b';\n", "a = '/*';\nb = '*/';\n",
        "a = `\n// b\n`;\n", "a = `\n/* b */\n`;\n", "a = `\\`\n// b\n`;\n", "a = `$\\{\n// b\n`;\n",
        "a = `${b}\n// c\n${`\n// d\n${e}`}\n// f\n`;\n", "a = `${{ b: \"}\" }}\n// c\n`;\n",
        "a = html`<p>${c.map((d) => html`<b>\n// e\n</b>`)}\n// f\n</p>`;\n", "a = `${\n// b\nc}`;\n",
        // Regular expressions.
        "a = /`/;\nb = `\n// c\n`;\n", "a = /[/`]/g;\nb = `\n// c\n`;\n", "a = /\\/`/;\nb = `\n// c\n`;\n",
        "f(/'/, `\n// a\n`);\n", "x => /`/.test(`\n// a\n`);\n", "return /`/.test(`\n// a\n`);\n",
        "if (a) /`/.test(`\n// a\n`);\n", "for await (a of b) /`/.test(`\n// a\n`);\n", "[.../`/.exec(`\n// a\n`)];\n",
        "while (a(b)) /`/.test(`\n// a\n`);\n", "a = typeof /`/ + `\n// a\n`;\n", "!/[\\]`/]/.test(`\n// a\n`);\n",
        // Divisions.
        "a = b / `\n// c\n`;\n", "a = f(x) / `\n// c\n`;\n", "a = b[0] / `\n// c\n`;\n", "a = 1 / `\n// c\n`;\n",
        "a = 1. / `\n// c\n`;\n", "a = b.return / `\n// c\n`;\n", "a = b?.if(x) / `\n// c\n`;\n",
        "a = this.#if(x) / `\n// c\n`;\n", "a /= `\n// b\n`;\n", "a = `b` / `\n// c\n`;\n", "a++ / `\n// c\n`;\n",
        "a = {} / `\n// c\n`;\n", "a = b ? .5 / c : `\n// d\n`;\n", "a = 0x1F / 2e-3 / `\n// c\n`;\n",
    ])
    func `what only looks like a comment stays, and a comment behind it goes`(text: String) {
        #expect(script(text) == text)
        #expect(script(text + "// a comment\nz();\n") == text + "z();\n")
    }

    @Test(arguments: [
        // A slash that only a parser can tell.
        "a = {} / b / c;\n", "{}\n/b`/.test(c);\n", "a++ / b / c;\n", "yield /a`/;\n", "a = of / b / c;\n",
        // Texts, templates, brackets and comments that do not end.
        "a = \"b\n", "a = 'b\\", "a = `b\n", "a = `${b\n", "f(\n", "f(]\n", "}\n", "a = /b\n", "a = /b\\\n/;\n",
        "/* a\n", "a = \"", "a = /", "a = `\\",
        // What this scanner does not know.
        "\u{FEFF}a();\n", "é();\n", "a\u{A0}();\n", "\\u0061();\n", "a <!--b\n",
        "/* a */ --> b\n", "a();\r\n", "a = \"\u{2028}\";\n", "a = \"\u{2029}\";\n", "a\u{0}();\n",
    ])
    func `a text that is not understood stays as it is`(text: String) {
        let whole = "// a comment\n" + text + "\n// another\n"
        #expect(script(whole) == whole)
    }

    @Test func `a script that a command line runs stays as it is`() {
        #expect(script("#!/usr/bin/env node\n// a\n") == "#!/usr/bin/env node\n// a\n")
    }

    @Test func `a line comment that another character ends stays`() {
        for end in ["\r", "\u{2028}", "\u{2029}"] {
            let text = "// a\(end)b();\n"
            #expect(script(text) == text)
        }
    }

    @Test(arguments: [
        ("/* a */\nb { }\n", "b { }\n"), ("a { }\n  /* b\n   c */\nd { }\n", "a { }\nd { }\n"),
        ("a { b: url(x/*y) }\n/* c */\nd { e: \"*/\" }\n", "a { b: url(x/*y) }\nd { e: \"*/\" }\n"),
        ("a { b: URL( \"/*\" ) }\n/* c */\n", "a { b: URL( \"/*\" ) }\n"),
        ("a::before { content: \"\\\n/* b */\\\n\" }\n", nil),
        ("a { b: url(c\\)/*d) }\n/* e */\n", "a { b: url(c\\)/*d) }\n"), ("a { b: url( /*c\n/* d */\n) }\n", nil),
        (".a\\\"b { }\n/* c */\n.d\\\"e { }\n", ".a\\\"b { }\n.d\\\"e { }\n"), ("/*! a */\nb { }\n", nil),
        ("a { } /* b */\n", nil), ("/* a */ b { }\n", nil), ("// a\nb { }\n", nil), ("/* a */\nb { c: \"d\n }\n", nil),
        ("/* a */\r\nb { }\n", nil), ("/* a */\nb { }\n/* c\n", nil), ("/* a */\nb { c: url(d }\n", nil),
        ("/* a */\n.日本::after { content: '語' }\n", ".日本::after { content: '語' }\n"),
    ])
    func `a style sheet loses the comments on lines of their own`(text: String, expected: String?) {
        #expect(sheet(text) == expected ?? text)
    }

    @Test func `every end of a text is met without a trap`() {
        let text = "// a\nb = /[\\/]/g / `c${{ d: '\\'' }}\\`` / 2. / \"\\\"\" /* e */;\n/* f */\n"
        let bytes = Array(text.utf8)
        for length in 0...bytes.count {
            for language in [CommentStripping.Language.script, .styleSheet] {
                #expect(CommentStripping.strip(Array(bytes.prefix(length)), of: language).count <= length)
            }
        }
    }

    @Test func `every file of the page is understood`() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let web = root.appendingPathComponent("Web")
        let paths = try #require(FileManager.default.subpaths(atPath: web.path))
        let own = paths.filter { !$0.hasPrefix("vendor/") && ($0.hasSuffix(".js") || $0.hasSuffix(".css")) }
        #expect(own.count > 400)
        for path in own {
            let text = Array(try Data(contentsOf: web.appendingPathComponent(path)))
            let comments =
                path.hasSuffix(".js") ? ScriptScanner.comments(in: text) : StyleSheetScanner.comments(in: text)
            #expect(comments != nil, "\(path)")
        }
    }
}

import Testing

/// Tests that documentation and manifest agree on what an app that uses the package builds.
@Suite struct ManifestTests {
    private func file(_ path: String) throws -> SourceFile { try #require(Tree.files.first { $0.path == path }) }

    /// The names between backticks in the row of a table that begins with a text.
    private func names(inRow start: String, of page: SourceFile) throws -> [String] {
        let row = try #require(page.lines.first { $0.hasPrefix("| \(start) |") })
        return row.matches(of: /`([^`]+)`/).map { String($0.output.1) }
    }

    @Test func `the page of MusterKit lists what an app builds`() throws {
        let built = Manifest(try file("Package.swift").text).closure(of: "MusterKit")
        let page = try file("docs/kit.md")
        #expect(try names(inRow: "this package", of: page) == built.targets.sorted())
        #expect(try names(inRow: "other packages", of: page) == built.products.sorted())
    }

    @Test func `targets, products and conditions of a manifest are distinguished`() {
        let manifest = Manifest(
            """
            products: [.library(name: "A", targets: ["A"])],
            targets: [
                .target(name: "A", dependencies: ["B", .product(name: "P", package: "q")], swiftSettings: strict),
                .target(
                    name: "B",
                    dependencies: [
                        "C", .target(name: "D", condition: .when(platforms: [.linux])),
                    ]),
                .systemLibrary(name: "D", pkgConfig: "d"),
                .executableTarget(name: "e-f", dependencies: ["A"], path: "E"),
                .testTarget(name: "G"),
            ]
            """)
        #expect(manifest.targets.keys.sorted() == ["A", "B", "D", "G", "e-f"])
        #expect(manifest.targets["A"] == Manifest.Needs(targets: ["B"], products: ["P"]))
        let all = manifest.closure(of: "e-f")
        #expect(all.targets == ["A", "B", "C", "D", "e-f"])
        #expect(all.products == ["P"])
    }

    @Test func `no target may import itself through others`() {
        for target in Dependencies.allowed.keys.sorted() {
            var reached: Set<String> = []
            var waiting = Array(Dependencies.allowed[target]?.own ?? [])
            while let next = waiting.popLast() {
                guard reached.insert(next).inserted else { continue }
                waiting += Dependencies.allowed[next]?.own ?? []
            }
            #expect(!reached.contains(target), "\(target)")
        }
    }
}

/// The targets that Package.swift declares, and what each depends on.
struct Manifest {
    /// What a target names in its dependencies.
    struct Needs: Equatable {
        /// Targets of this package.
        var targets: Set<String> = []
        /// Products of other packages.
        var products: Set<String> = []
    }

    /// What each target names in its dependencies, by the target's name.
    private(set) var targets: [String: Needs] = [:]

    /// Reads the text of a manifest in which names are literals.
    init(_ text: String) {
        // This reader also counts brackets in literals and comments, so they must be balanced there too.
        var rest = text[...]
        let head = /\.(?:target|executableTarget|testTarget|systemLibrary)\(\s*name: "([^"]+)"/
        while let match = rest.firstMatch(of: head) {
            let declaration = Manifest.group("(", ")", in: text[match.range.lowerBound...])
            targets[String(match.output.1)] = Manifest.dependencies(in: declaration)
            rest = text[declaration.endIndex...]
        }
    }

    /// What a target needs, directly or through others. A target that is not declared needs nothing.
    func closure(of target: String) -> Needs {
        var found = Needs(targets: [target])
        var waiting = [target]
        while let next = waiting.popLast() {
            guard let needed = targets[next] else { continue }
            found.products.formUnion(needed.products)
            waiting += needed.targets.subtracting(found.targets)
            found.targets.formUnion(needed.targets)
        }
        return found
    }

    private static func dependencies(in declaration: Substring) -> Needs {
        guard let start = declaration.firstRange(of: "dependencies: [") else { return Needs() }
        let list = group("[", "]", in: declaration[start.lowerBound...])
        let products = list.matches(of: /\.product\(name: "([^"]+)", package: "[^"]+"\)/)
        // The literals that are left are names of targets. A condition of platforms contains no literal.
        let others = list.replacing(/\.product\([^)]*\)/, with: "")
        return Needs(
            targets: Set(others.matches(of: /"([^"]+)"/).map { String($0.output.1) }),
            products: Set(products.map { String($0.output.1) }))
    }

    /// The text up to the bracket that closes the first opening one; the whole text if none closes it.
    private static func group(_ opening: Character, _ closing: Character, in text: Substring) -> Substring {
        var depth = 0
        for index in text.indices {
            if text[index] == opening { depth += 1 }
            guard text[index] == closing else { continue }
            depth -= 1
            if depth == 0 { return text[...index] }
        }
        return text
    }
}

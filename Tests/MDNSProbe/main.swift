import MusterMDNS
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// mdns-probe [--interfaces lo,eth0] [--rescan MILLISECONDS] [--host LABEL] [--browse TYPE]
//     [--advertise TYPE NAME PORT key=value…]
//
// Advertises a service, or browses, or both, until its standard input ends; then it says goodbye. It prints a line of
// JSON for each thing that happens, with the milliseconds since its start.

var arguments = CommandLine.arguments.dropFirst()
var configuration = MulticastDNS.Configuration()
var service: ServiceDescription?
var browsed: [String] = []

@MainActor func nextArgument() -> String {
    guard let argument = arguments.popFirst() else {
        print("an argument is missing")
        exit(2)
    }
    return argument
}

func readText(_ words: some Sequence<Substring>) -> ServiceText {
    ServiceText(
        words.map { word in
            let parts = word.split(separator: "=", maxSplits: 1)
            return ServiceText.Entry(key: String(parts[0]), value: parts.count > 1 ? Array(parts[1].utf8) : nil)
        })
}

while let argument = arguments.popFirst() {
    switch argument {
    case "--interfaces":
        let names = nextArgument()
        configuration.interfaces = names == "lo" ? .loopback : .named(Set(names.split(separator: ",").map(String.init)))
    case "--rescan": configuration.rescan = .milliseconds(Int64(nextArgument()) ?? 3_000)
    case "--host": configuration.hostLabel = nextArgument()
    case "--browse": browsed.append(nextArgument())
    case "--advertise":
        let (type, name, port) = (nextArgument(), nextArgument(), nextArgument())
        var words: [Substring] = []
        while let word = arguments.first, !word.hasPrefix("--") {
            words.append(Substring(word))
            arguments.removeFirst()
        }
        service = ServiceDescription(type: type, name: name, port: UInt16(port) ?? 0, text: readText(words))
    default:
        print("unknown argument \(argument)")
        exit(2)
    }
}

let start = ContinuousClock.now

func quote(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": quoted += "\\\(scalar)"
        case _ where scalar.value < 0x20:
            let digits = String(scalar.value, radix: 16)
            quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: quoted.unicodeScalars.append(scalar)
        }
    }
    return quoted + "\""
}

func say(_ event: String, _ fields: [(String, String)]) {
    let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
    let all = [("event", quote(event)), ("milliseconds", "\(milliseconds)")] + fields
    // Past the buffer of `print`: flushing it may wait for the thread that reads standard input.
    let line = Array(("{" + all.map { "\(quote($0.0)): \($0.1)" }.joined(separator: ", ") + "}\n").utf8)
    _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}

func describe(_ instance: ServiceInstance) -> [(String, String)] {
    [
        ("name", quote(instance.name)), ("type", quote(instance.type)), ("host", quote(instance.host)),
        ("port", "\(instance.port)"),
        ("addresses", "[" + instance.addresses.map { quote($0.address.description) }.joined(separator: ", ") + "]"),
        (
            "text",
            "{"
                + instance.text.entries.map { entry in
                    let value = entry.value.map { quote(String(decoding: $0, as: UTF8.self)) }
                    return "\(quote(entry.key)): \(value ?? "null")"
                }.joined(separator: ", ") + "}"
        ),
    ]
}

configuration.onError = { interface, error in
    say("fault", [("interface", quote(interface)), ("error", quote("\(error)"))])
}

/// Returns when standard input ends, which a task of its own waits for.
func inputEnd() async {
    await Task.detached { while readLine() != nil {} }.value
}

let services = MulticastDNS(configuration)
await withTaskGroup(of: Void.self) { group in
    group.addTask { await services.run() }
    for type in browsed {
        group.addTask {
            guard let events = try? services.browse(type) else { return say("bad type", []) }
            for await event in events {
                switch event {
                case .found(let instance): say("found", describe(instance))
                case .changed(let instance): say("changed", describe(instance))
                case .removed(let instance): say("removed", describe(instance))
                }
            }
        }
    }
    if let service {
        do throws(ServiceError) {
            let names = try await services.advertise(service)
            group.addTask { for await name in names { say("named", [("name", quote(name))]) } }
        } catch {
            say("refused", [("error", quote("\(error)"))])
        }
    }
    await inputEnd()
    group.cancelAll()
}
say("stopped", [])
